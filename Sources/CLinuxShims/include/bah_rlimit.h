/* Limits of the calling process: setrlimit(2). Values in the kernel's unit for each resource. */
#pragma once

#include <stdint.h>

enum bah_resource {
    BAH_RESOURCE_DATA,
    BAH_RESOURCE_AS,
    BAH_RESOURCE_STACK,
    BAH_RESOURCE_FSIZE,
    BAH_RESOURCE_CORE,
    BAH_RESOURCE_NOFILE,
    BAH_RESOURCE_NPROC,
    BAH_RESOURCE_CPU,
    BAH_RESOURCE_SIGPENDING,
    BAH_RESOURCE_MSGQUEUE,
};

/* Lowers soft and hard limit; never asks for more than the hard limit in force. */
int bah_lower_limit(int resource, uint64_t soft, uint64_t hard);

/* The soft limit; UINT64_MAX is "no limit". */
int bah_read_limit(int resource, uint64_t *_Nonnull soft);
