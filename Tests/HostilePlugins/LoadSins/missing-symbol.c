// Calls a function that exists nowhere. Linked without -z defs.
#include "harmless.h"

BAHOST_PLUGIN("Missing symbol", "1.0");

int32_t a_function_that_exists_nowhere(void);

int32_t bahost_update(const bahost_host *host, const bahost_content_request *request)
{
    (void)host;
    (void)request;
    return a_function_that_exists_nowhere();
}
