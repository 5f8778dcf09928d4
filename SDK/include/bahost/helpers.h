/*
 * Small conveniences for authors in C and C++. Not part of the interface: they compile into the
 * plugin and call the host table.
 *
 * Part of the bahost SDK. Include <bahost/bahost.h>.
 */
#ifndef BAHOST_HELPERS_H
#define BAHOST_HELPERS_H

#include <bahost/host.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

BAHOST_BEGIN_C

/* Logs a text that ends with NUL. */
static inline void bahost_log_text(
    const bahost_host *BAHOST_NONNULL host, int32_t level, const char *BAHOST_NONNULL text)
{
    host->log(host, level, text, strlen(text));
}

/* Logs as printf would; what is past 1023 bytes is cut. */
__attribute__((format(printf, 3, 4))) static inline void bahost_log_format(
    const bahost_host *BAHOST_NONNULL host, int32_t level, const char *BAHOST_NONNULL format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= 0)
        bahost_log_text(host, level, text);
}

/* Makes a plain request of default priority: everything zero but what is given. The strings are not
 * copied; they must live until schedule. size_bytes 0: not known. */
static inline void bahost_request_init(
    bahost_download_request *BAHOST_NONNULL request, const char *BAHOST_NULLABLE identifier,
    const char *BAHOST_NULLABLE url, uint64_t size_bytes)
{
    memset(request, 0, sizeof *request);
    request->struct_size = sizeof *request;
    request->identifier = identifier;
    request->url = url;
    request->size_bytes = size_bytes;
}

/* Reads 64 hexadecimal digits into 32 bytes. Returns 0, or -1: not 64 digits, or more follows. */
static inline int32_t bahost_sha256_from_hex(
    uint8_t *BAHOST_NONNULL digest, const char *BAHOST_NONNULL hex)
{
    for (size_t i = 0; i < 64; i++) {
        char c = hex[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        digest[i / 2] = (uint8_t)(i % 2 == 0 ? digit << 4 : digest[i / 2] | digit);
    }
    return hex[64] == '\0' ? 0 : -1;
}

BAHOST_END_C

#endif
