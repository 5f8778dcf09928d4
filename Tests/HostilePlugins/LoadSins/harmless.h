// An entry point that does nothing, for plugins whose sin lies elsewhere.
#pragma once

#include <bahost/bahost.h>

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    (void)request;
    bahost_log_text(host, BAHOST_LOG_INFO, "loaded and called all the same");
    return 0;
}
