#define _GNU_SOURCE
#include "bah_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
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

int bah_set_nonblocking(int descriptor, int is_nonblocking)
{
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) {
        return -errno;
    }
    const int wanted = is_nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return fcntl(descriptor, F_SETFL, wanted) == 0 ? 0 : -errno;
}

int bah_keep_access_time(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) {
        return -errno;
    }
    return fcntl(descriptor, F_SETFL, flags | O_NOATIME) == 0 ? 0 : -errno;
}

int bah_lock_file(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

int bah_current_folder(void)
{
    return AT_FDCWD;
}
