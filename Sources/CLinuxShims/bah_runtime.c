#define _GNU_SOURCE
#include "bah_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>

int bah_use_one_arena(void)
{
    return mallopt(M_ARENA_MAX, 1) == 1 ? 0 : -EINVAL;
}

int bah_set_thread_stack(uint64_t stack_bytes)
{
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);
    if (status != 0) {
        return -status;
    }
    status = pthread_attr_setstacksize(&attributes, (size_t)stack_bytes);
    if (status == 0) {
        status = pthread_setattr_default_np(&attributes);
    }
    pthread_attr_destroy(&attributes);
    return -status;
}

int bah_buffer_lines(void)
{
    return setvbuf(stdout, NULL, _IOLBF, 0) == 0 ? 0 : -EIO;
}

const char *bah_read_glibc_version(void)
{
    return gnu_get_libc_version();
}

const char *bah_read_library_path(void)
{
    Dl_info info;
    return dladdr((const void *)gnu_get_libc_version, &info) != 0 ? info.dli_fname : NULL;
}
