// The smallest useful plugin: one file, asked for at install.
#include <bahost/bahost.h>

BAHOST_PLUGIN("My plugin", "1.0");

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    (void)request; // request->manifest_path is the app's manifest, request->app the app

    bahost_download_request wish;
    bahost_request_init(&wish, "first-file", "https://example.com/first-file.bin", 0);
    int32_t status = host->schedule(host, &wish);
    if (status != BAHOST_STATUS_OK)
        bahost_log_format(host, BAHOST_LOG_WARNING, "first-file refused: %d", status);
    return 0;
}
