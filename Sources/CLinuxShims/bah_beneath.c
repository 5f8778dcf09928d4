#define _GNU_SOURCE
#include "bah_beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* How often a rename by somebody else is waited out; one is enough to lose a race. */
enum { most_tries = 64 };

int bah_resolve_beneath(int folder, const char *path, int flags)
{
    /* With O_NOFOLLOW a link in the place of a folder would be told as ENOTDIR, not as ELOOP. */
    const int own_flags = O_CLOEXEC | ((flags & O_DIRECTORY) ? 0 : O_NOFOLLOW);
    struct open_how how = {
        .flags = (uint64_t)(uint32_t)(flags | own_flags),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    for (int tries = 0; tries < most_tries; tries++) {
        const long descriptor = syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (descriptor >= 0) {
            return (int)descriptor;
        }
        if (errno != EAGAIN && errno != EINTR) {
            break;
        }
    }
    return -errno;
}

int bah_can_resolve_beneath(int folder)
{
    /* Nobody but a filter forbids a folder that is open already. */
    const int descriptor = bah_resolve_beneath(folder, ".", O_PATH | O_DIRECTORY);
    if (descriptor >= 0) {
        close(descriptor);
        return 1;
    }
    return descriptor == -ENOSYS || descriptor == -EPERM ? 0 : descriptor;
}

/* Where a descriptor leads: a mount where the kernel tells (Linux 5.8), and always a device. */
struct place {
    uint64_t mount;
    dev_t device;
};

static int place_of(int descriptor, struct place *place)
{
    struct statx facts;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_MNT_ID, &facts) == 0) {
        place->mount = (facts.stx_mask & STATX_MNT_ID) ? facts.stx_mnt_id : 0;
        place->device = makedev(facts.stx_dev_major, facts.stx_dev_minor);
        return 0;
    }
    struct stat plain;
    if (fstat(descriptor, &plain) != 0) {
        return -errno;
    }
    place->mount = 0;
    place->device = plain.st_dev;
    return 0;
}

static int is_same(const struct place *one, const struct place *other)
{
    return one->mount == other->mount && one->device == other->device;
}

int bah_is_same_mount(int one, int other)
{
    struct place first = { 0 };
    struct place second = { 0 };
    return place_of(one, &first) == 0 && place_of(other, &second) == 0
        && is_same(&first, &second);
}

/* Closes what was opened when it is in another place than its folder. */
static int kept_in_place(int descriptor, const struct place *start)
{
    struct place here = { 0 };
    int status = place_of(descriptor, &here);
    if (status == 0 && !is_same(&here, start)) {
        status = -EXDEV;
    }
    if (status == 0) {
        return descriptor;
    }
    close(descriptor);
    return status;
}

/* openat(2) says ENOTDIR of a link where a folder was wanted, openat2(2) ELOOP. */
static int fault_of(int folder, const char *name, int code)
{
    struct stat facts;
    if (code == ENOTDIR && fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISLNK(facts.st_mode)) {
        return -ELOOP;
    }
    return -code;
}

static int open_name(int folder, const char *name, int flags, const struct place *start)
{
    const int descriptor = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW);
    return descriptor < 0 ? fault_of(folder, name, errno) : kept_in_place(descriptor, start);
}

int bah_walk_beneath(int folder, const char *path, int flags)
{
    struct place start = { 0 };
    int status = place_of(folder, &start);
    int here = folder;
    while (status >= 0) {
        char name[NAME_MAX + 1];
        const char *end = strchrnul(path, '/');
        const size_t length = (size_t)(end - path);
        if (length > NAME_MAX) {
            status = -ENAMETOOLONG;
            break;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        const int is_last = *end == '\0';
        status = is_last ? open_name(here, name, flags, &start)
                         : open_name(here, name, O_PATH | O_DIRECTORY, &start);
        if (is_last || status < 0) {
            break;
        }
        if (here != folder) {
            close(here);
        }
        here = status;
        path = end + 1;
    }
    if (here != folder) {
        close(here);
    }
    return status;
}
