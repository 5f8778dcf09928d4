#define _GNU_SOURCE
#include "bah_time.h"

#include <errno.h>
#include <sys/stat.h>

int bah_set_modified(int file, int64_t seconds, int64_t nanoseconds)
{
    const struct timespec times[2] = {
        { .tv_nsec = UTIME_OMIT },
        { .tv_sec = seconds, .tv_nsec = nanoseconds },
    };
    return futimens(file, times) == 0 ? 0 : -errno;
}
