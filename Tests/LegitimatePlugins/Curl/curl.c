// A plugin linked against a large library of the system with many others behind it: what of them
// cannot be written is not paid from the limit.
#include "../legitimate.h"

#include <curl/curl.h>

BAHOST_PLUGIN("Legitimate, libcurl", "1.0");

/* There is no network: libcurl says so. */
int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    const struct call call = {host, request};
    CURL *transfer = curl_easy_init();
    REQUIRE(&call, transfer != NULL);
    REQUIRE(&call, curl_easy_setopt(transfer, CURLOPT_URL, "http://127.0.0.1:9/") == CURLE_OK);
    REQUIRE(&call, curl_easy_perform(transfer) == CURLE_COULDNT_CONNECT);
    curl_easy_cleanup(transfer);
    return FOUND(&call, "refused with curl's %d", (int)CURLE_COULDNT_CONNECT);
}
