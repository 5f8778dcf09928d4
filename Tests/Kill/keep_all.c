// Asks for what its manifest lists and its container does not hold yet. A line is
// `identifier size sha256 url`. Finished files stay in Downloads/ under their identifiers; what is
// called `moved-` something goes to Library/.
#include <bahost/bahost.h>
#include <stdlib.h>
#include <unistd.h>

BAHOST_PLUGIN("Keep all", "1.0");

static int lies_in(const char *folder, const char *container, const char *identifier)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s/%s", container, folder, identifier);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

static int is_there(const bahost_content_request *request, const char *identifier)
{
    const char *container = request->app->container_path;
    return lies_in("Downloads", container, identifier) || lies_in("Library", container, identifier);
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

int32_t bahost_download_finished(const bahost_host *host, const bahost_download *download,
                                 const char *path)
{
    (void)host;
    char target[4096];
    const char *container = getenv("HOME");
    if (strncmp(download->identifier, "moved-", 6) != 0)
        return BAHOST_FINISHED_KEEP;
    int length = snprintf(target, sizeof target, "%s/Library/%s", container, download->identifier);
    if (length < 0 || (size_t)length >= sizeof target || rename(path, target) != 0)
        return -4;
    return BAHOST_FINISHED_KEEP;
}
