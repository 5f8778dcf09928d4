// A plugin that computes with OpenMP: threads that the compiler's library starts.
#include "../legitimate.h"

BAHOST_PLUGIN("Legitimate, OpenMP", "1.0");

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    const struct call call = {host, request};
    for (int round = 0; round < 10; round++) {
        long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(4)
        for (long i = 0; i < 100000; i++)
            sum += i;
        REQUIRE(&call, sum == 99999L * 100000 / 2);
    }
    return FOUND(&call, "four threads added up ten times");
}
