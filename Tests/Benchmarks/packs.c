// The plugin of the measurements of packs: wants every second one.
#include <bahost/bahost.h>

BAHOST_PLUGIN("Packs", "1.0");

int32_t bahost_should_download(const bahost_host *host, const bahost_asset_pack *pack)
{
    (void)host;
    return pack->version % 2 == 0;
}
