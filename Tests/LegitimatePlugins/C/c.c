// The well-behaved plugin in C: does the one ordinary thing that it is told to do.
#include "c.h"

BAHOST_PLUGIN("Legitimate, C", "1.0");

#define TABLE_ROW(word, function) {word, function},
static const struct named_activity activities[] = {ACTIVITIES(TABLE_ROW)};

int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
{
    return run_first_line(host, request, activities, sizeof activities / sizeof activities[0]);
}
