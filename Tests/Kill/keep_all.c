// Asks for what its manifest lists and its container does not hold yet. A line is
// `identifier size sha256 url`. Finished files stay in Downloads/ under their identifiers.
#include <bahost/bahost.h>
#include <stdlib.h>
#include <unistd.h>

BAHOST_PLUGIN("Keep all", "1.0");

static int is_there(const bahost_content_request *request, const char *identifier)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/Downloads/%s", request->app->container_path,
                          identifier);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    FILE *manifest = request->manifest_path ? fopen(request->manifest_path, "re") : NULL;
    if (manifest == NULL)
        return -1;
    char identifier[256], digits[65], url[1024];
    unsigned long long size;
    int32_t status = 0;
    while (status == 0 && fscanf(manifest, "%255s %llu %64s %1023s", identifier, &size, digits,
                                 url) == 4) {
        bahost_download_request wish;
        uint8_t digest[32];
        bahost_request_init(&wish, identifier, url, size);
        if (bahost_sha256_from_hex(digest, digits) != 0)
            status = -2;
        wish.sha256 = digest;
        if (status == 0 && !is_there(request, identifier))
            status = host->schedule(host, &wish);
    }
    status = status == 0 && !feof(manifest) ? -3 : status;
    fclose(manifest);
    return status;
}
