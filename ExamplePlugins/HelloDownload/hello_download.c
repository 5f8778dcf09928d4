// Downloads what its manifest lists. A line is `identifier size sha256 url`; see README.md.
#include <bahost/bahost.h>
#include <errno.h>
#include <stdlib.h>

BAHOST_PLUGIN("Hello, download", "1.0");

static int32_t schedule_line(const bahost_host *host, char *line)
{
    char *rest = NULL, *word[5];
    for (int i = 0; i < 5; i++)
        word[i] = strtok_r(i == 0 ? line : NULL, " \t\r\n", &rest);
    if (word[0] == NULL || word[0][0] == '#')
        return 0;
    if (word[3] == NULL || word[4] != NULL || strspn(word[1], "0123456789") != strlen(word[1]))
        return -1;
    errno = 0;
    bahost_download_request wish;
    bahost_request_init(&wish, word[0], word[3], strtoull(word[1], NULL, 10));
    uint8_t digest[32];
    if (errno != 0 || (strcmp(word[2], "-") != 0 && bahost_sha256_from_hex(digest, word[2]) != 0))
        return -1;
    wish.sha256 = word[2][0] == '-' ? NULL : digest;
    int32_t status = host->schedule(host, &wish);
    bahost_log_format(host, status ? BAHOST_LOG_WARNING : BAHOST_LOG_INFO, "%s: %s (%d)", word[0],
                      status ? "refused" : "asked for", status);
    return 0;
}

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    if (request->manifest_path == NULL)
        return 0;
    FILE *manifest = fopen(request->manifest_path, "re");
    if (manifest == NULL) {
        bahost_log_format(host, BAHOST_LOG_ERROR, "cannot open the manifest: %m");
        return -2;
    }
    int32_t status = 0;
    char line[9 * 1024]; // longer than any identifier, size, digest and URL together
    for (int number = 1; status == 0 && fgets(line, sizeof line, manifest) != NULL; number++) {
        int whole = strchr(line, '\n') != NULL || feof(manifest);
        status = whole ? schedule_line(host, line) : -1;
        if (status != 0)
            bahost_log_format(host, BAHOST_LOG_ERROR,
                              "manifest line %d is not `identifier size sha256 url`", number);
    }
    if (status == 0 && ferror(manifest))
        status = -2;
    fclose(manifest);
    return status;
}

int32_t bahost_update(const bahost_host *host, const bahost_content_request *request)
{
    return bahost_install(host, request);
}
