// Techniques that do no wrong.
#include "hostile.h"

#include <inttypes.h>
#include <time.h>

int32_t hello(const struct call *call)
{
    say(call, "hello");
    return 0;
}

/* The manifest's other lines are `identifier size sha256 url`, sha256 `-` for none. */
int32_t schedule_lines(const struct call *call)
{
    char identifier[256], hex[65], url[1024];
    uint64_t size;
    static const char *const line = "%255s %" SCNu64 " %64s %1023s";
    while (call->manifest != NULL &&
           fscanf(call->manifest, line, identifier, &size, hex, url) == 4) {
        uint8_t digest[32];
        bahost_download_request request;
        bahost_request_init(&request, identifier, url, size);
        if (bahost_sha256_from_hex(digest, hex) == 0)
            request.sha256 = digest;
        say(call, "%s: status %d", identifier, call->host->schedule(call->host, &request));
    }
    return 0;
}

/* Three seconds of a little work between sleeps. */
int32_t steady(const struct call *call)
{
    enum { TURNS = 30, BYTES = 1 << 20 };
    uint32_t sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        unsigned char *room = malloc(BYTES);
        if (room == NULL)
            return -1;
        memset(room, turn, BYTES);
        for (int place = 0; place < BYTES; place += 64)
            sum += room[place];
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        free(room);
    }
    say(call, "steady: %" PRIu32, sum);
    return 0;
}
