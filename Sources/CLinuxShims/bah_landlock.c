#define _GNU_SOURCE
#include "bah_landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Newer than Debian 12's header, which stops at ABI 2. Source: the kernel's
 * include/uapi/linux/landlock.h and Documentation/userspace-api/landlock.rst ("Previous
 * limitations" says which ABI brought which).
 */
#ifndef LANDLOCK_ACCESS_FS_REFER /* ABI 2 */
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE /* ABI 3 */
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP /* ABI 4 */
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV /* ABI 5 */
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET /* ABI 6 */
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif

/* struct landlock_ruleset_attr as of ABI 6; an older kernel is given its own, shorter size. */
struct ruleset_attributes {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

static uint64_t handled_rights(int version)
{
    uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    rights |= version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0;
    rights |= version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0;
    rights |= version >= 5 ? LANDLOCK_ACCESS_FS_IOCTL_DEV : 0;
    return rights;
}

int bah_read_landlock_version(void)
{
    const long version = syscall(
        SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : version == 0 ? -ENOSYS : -errno;
}

int bah_create_landlock_ruleset(int version)
{
    const struct ruleset_attributes attributes = {
        .handled_access_fs = handled_rights(version),
        .handled_access_net =
            version >= 4 ? LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP : 0,
        .scoped = version >= 6 ? LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL : 0,
    };
    const size_t size = version >= 6   ? sizeof attributes
                        : version >= 4 ? offsetof(struct ruleset_attributes, scoped)
                                       : offsetof(struct ruleset_attributes, handled_access_net);
    const long ruleset = syscall(SYS_landlock_create_ruleset, &attributes, size, 0U);
    return ruleset >= 0 ? (int)ruleset : -errno;
}

static uint64_t kernel_rights(unsigned rights, int is_folder)
{
    uint64_t result = 0;
    if (rights & BAH_LANDLOCK_READ_FILE) {
        result |= LANDLOCK_ACCESS_FS_READ_FILE;
    }
    if (rights & BAH_LANDLOCK_WRITE_FILE) {
        result |= LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
    }
    if (is_folder && (rights & BAH_LANDLOCK_READ_FOLDER)) {
        result |= LANDLOCK_ACCESS_FS_READ_DIR;
    }
    if (is_folder && (rights & BAH_LANDLOCK_CHANGE_FOLDER)) {
        result |= LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE
                  | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG
                  | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER
                  | LANDLOCK_ACCESS_FS_TRUNCATE;
    }
    return result;
}

int bah_add_landlock_path(int ruleset, int version, const char *path, unsigned rights)
{
    struct stat status;
    const int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) {
        return -errno;
    }
    int result = fstat(place, &status) == 0 ? 0 : -errno;
    if (result == 0) {
        const struct landlock_path_beneath_attr attributes = {
            .allowed_access =
                kernel_rights(rights, S_ISDIR(status.st_mode)) & handled_rights(version),
            .parent_fd = place,
        };
        result = syscall(
                     SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &attributes, 0U)
                         == 0
                     ? 0
                     : -errno;
    }
    close(place);
    return result;
}

int bah_apply_landlock(int ruleset)
{
    return syscall(SYS_landlock_restrict_self, ruleset, 0U) == 0 ? 0 : -errno;
}
