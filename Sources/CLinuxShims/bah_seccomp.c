#define _GNU_SOURCE
#include "bah_seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>

int bah_open_memory_file(const char *name)
{
    const int file = memfd_create(name, MFD_CLOEXEC);
    return file >= 0 ? file : -errno;
}

int bah_install_filter(const void *program, size_t count)
{
    const struct sock_fprog filter = {
        .len = (unsigned short)(count / sizeof(struct sock_filter)),
        .filter = (struct sock_filter *)program,
    };
    if (count % sizeof(struct sock_filter) != 0
        || count / sizeof(struct sock_filter) > BPF_MAXINSNS) {
        return -EINVAL;
    }
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : -errno;
}
