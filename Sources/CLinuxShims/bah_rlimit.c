#define _GNU_SOURCE
#include "bah_rlimit.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

static const int resources[] = {
    [BAH_RESOURCE_DATA] = RLIMIT_DATA,
    [BAH_RESOURCE_AS] = RLIMIT_AS,
    [BAH_RESOURCE_STACK] = RLIMIT_STACK,
    [BAH_RESOURCE_FSIZE] = RLIMIT_FSIZE,
    [BAH_RESOURCE_CORE] = RLIMIT_CORE,
    [BAH_RESOURCE_NOFILE] = RLIMIT_NOFILE,
    [BAH_RESOURCE_NPROC] = RLIMIT_NPROC,
    [BAH_RESOURCE_CPU] = RLIMIT_CPU,
    [BAH_RESOURCE_SIGPENDING] = RLIMIT_SIGPENDING,
    [BAH_RESOURCE_MSGQUEUE] = RLIMIT_MSGQUEUE,
};

static int is_known(int resource)
{
    return resource >= 0 && (size_t)resource < sizeof resources / sizeof resources[0];
}

int bah_lower_limit(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit limit;
    if (!is_known(resource)) {
        return -EINVAL;
    }
    if (getrlimit(resources[resource], &limit) != 0) {
        return -errno;
    }
    if (hard < limit.rlim_max) {
        limit.rlim_max = hard;
    }
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    return setrlimit(resources[resource], &limit) == 0 ? 0 : -errno;
}

int bah_read_limit(int resource, uint64_t *soft)
{
    struct rlimit limit;
    if (!is_known(resource)) {
        return -EINVAL;
    }
    if (getrlimit(resources[resource], &limit) != 0) {
        return -errno;
    }
    *soft = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
    return 0;
}
