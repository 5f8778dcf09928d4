#define _GNU_SOURCE
#include "bah_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

int bah_open_file(int folder, const char *path, int flags, unsigned mode)
{
    const int descriptor = openat(folder, path, flags | O_CLOEXEC, (mode_t)mode);
    return descriptor >= 0 ? descriptor : -errno;
}

int bah_place_flag(void)
{
    return O_PATH;
}

int bah_open_beneath(int folder, const char *path, int flags, unsigned mode)
{
    struct open_how how = {
        .flags = (uint64_t)(uint32_t)(flags | O_CLOEXEC),
        .mode = (flags & (O_CREAT | O_TMPFILE)) ? mode : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    const long descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
    return descriptor >= 0 ? (int)descriptor : -errno;
}

int bah_set_nonblocking(int descriptor, int is_nonblocking)
{
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) {
        return -errno;
    }
    const int wanted = is_nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return fcntl(descriptor, F_SETFL, wanted) == 0 ? 0 : -errno;
}

int bah_lock_file(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

int bah_current_folder(void)
{
    return AT_FDCWD;
}
