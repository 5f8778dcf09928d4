// Techniques that ask the host for exactly as much as they are told.
#include "hostile.h"

enum { LINE_HEAD = 6, LINE = 1024 };

static const char address[] = "https://example.com/file";

/* One request, dropped afterwards. */
static int32_t ask_once(const struct call *call, const bahost_download_request *request)
{
    asked(call, call->host->schedule(call->host, request), "schedule");
    return DROP_REQUESTS;
}

/* So many letters and a NUL; not much is ever asked for. */
static char *letters(size_t count)
{
    char *text = malloc(count + 1);
    if (text == NULL)
        abort();
    memset(text, 'a', count);
    text[count] = '\0';
    return text;
}

/* ---- Numbers of calls ---- */

int32_t requests(const struct call *call)
{
    const long wanted = number_argument(call, 0);
    for (long i = 0; i < wanted; i++) {
        char identifier[32];
        bahost_download_request request;
        snprintf(identifier, sizeof identifier, "request-%ld", i);
        bahost_request_init(&request, identifier, address, 0);
        const int32_t status = call->host->schedule(call->host, &request);
        if (status == BAHOST_STATUS_OK)
            continue;
        allowed(call, "%ld requests", i);
        asked(call, status, "schedule");
        return DROP_REQUESTS;
    }
    allowed(call, "%ld requests", wanted);
    return DROP_REQUESTS;
}

/* The line at the end is one of them. */
int32_t host_calls(const struct call *call)
{
    const long wanted = number_argument(call, 0);
    for (long i = 1; i < wanted; i++)
        call->host->remaining(call->host, BAHOST_REMAINING_CALL_MS);
    allowed(call, "%ld host calls", wanted);
    return 0;
}

/* ---- Logs ---- */

/* As the host counts it: each line has six bytes besides, `info: `. The first line begins with
   `first`, so that one can see whether it was kept. Says nothing else. */
int32_t log_bytes(const struct call *call)
{
    const bahost_host *host = call->host;
    char line[LINE];
    memset(line, 'x', sizeof line);
    memcpy(line, "first ", 6);
    for (long left = number_argument(call, 0); left > LINE_HEAD; left -= LINE) {
        const long size = left < LINE ? left : LINE;
        host->log(host, BAHOST_LOG_INFO, line, (uint64_t)(size - LINE_HEAD));
        memcpy(line, "xxxxxx", 6);
    }
    return 0;
}

int32_t log_line_bytes(const struct call *call)
{
    const size_t size = (size_t)number_argument(call, 0);
    call->host->log(call->host, BAHOST_LOG_INFO, letters(size), size);
    allowed(call, "a line of %zu bytes", size);
    return 0;
}

/* ---- One request ---- */

int32_t identifier_bytes(const struct call *call)
{
    bahost_download_request request;
    bahost_request_init(&request, letters((size_t)number_argument(call, 0)), address, 0);
    return ask_once(call, &request);
}

int32_t url_bytes(const struct call *call)
{
    const size_t size = (size_t)number_argument(call, 0);
    char *url = letters(size);
    memcpy(url, address, size < sizeof address - 1 ? size : sizeof address - 1);
    bahost_download_request request;
    bahost_request_init(&request, "url-bytes", url, 0);
    return ask_once(call, &request);
}

int32_t headers(const struct call *call)
{
    enum { MOST = 1024 };
    static char names[MOST][12];
    static bahost_header all[MOST];
    const long count = number_argument(call, 0) < MOST ? number_argument(call, 0) : MOST;
    for (long i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "X-%ld", i);
        all[i] = (bahost_header){names[i], "1"};
    }
    bahost_download_request request;
    bahost_request_init(&request, "headers", address, 0);
    request.headers = all;
    request.header_count = (uint32_t)count;
    return ask_once(call, &request);
}

/* One header of so many bytes, name and value together. */
int32_t header_bytes(const struct call *call)
{
    const size_t size = (size_t)number_argument(call, 0);
    const bahost_header header = {"X", letters(size > 0 ? size - 1 : 0)};
    bahost_download_request request;
    bahost_request_init(&request, "header-bytes", address, 0);
    request.headers = &header;
    request.header_count = 1;
    return ask_once(call, &request);
}

int32_t mirrors(const struct call *call)
{
    enum { MOST = 1024 };
    static const char *all[MOST];
    const long count = number_argument(call, 0) < MOST ? number_argument(call, 0) : MOST;
    for (long i = 0; i < count; i++)
        all[i] = address;
    bahost_download_request request;
    bahost_request_init(&request, "mirrors", address, 0);
    request.mirrors = all;
    request.mirror_count = (uint32_t)count;
    return ask_once(call, &request);
}
