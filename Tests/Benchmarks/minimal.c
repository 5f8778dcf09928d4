// The plugin of the measurements: wants nothing and says so.
#include <bahost/bahost.h>

BAHOST_PLUGIN("Minimal", "1.0");

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    (void)host;
    (void)request;
    return BAHOST_STATUS_OK;
}
