#define _GNU_SOURCE
#include "bah_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int bah_mount(
    const char *source, const char *target, const char *type, unsigned long flags,
    const char *options)
{
    return mount(source, target, type, flags, options) == 0 ? 0 : -errno;
}

int bah_enter_mount_namespace(void)
{
    if (unshare(CLONE_NEWNS) != 0) {
        return -errno;
    }
    return bah_mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int bah_follow_mounts(void)
{
    return bah_mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL);
}

int bah_copy_tree(const char *path, int is_writable)
{
    struct mount_attr attributes = {
        .attr_set =
            MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (is_writable ? 0 : MOUNT_ATTR_RDONLY),
    };
    const int tree =
        open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (tree < 0) {
        return -errno;
    }
    if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes)
        != 0) {
        const int status = -errno;
        close(tree);
        return status;
    }
    return tree;
}

int bah_attach_tree(int tree, const char *target)
{
    struct stat status;
    if (fstat(tree, &status) != 0) {
        return -errno;
    }
    if (S_ISDIR(status.st_mode)) {
        if (mkdir(target, 0755) != 0) {
            return -errno;
        }
    } else {
        const int file = open(target, O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (file < 0) {
            return -errno;
        }
        close(file);
    }
    return move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0 ? 0 : -errno;
}

int bah_mount_empty(const char *folder)
{
    return bah_mount("bahost", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=65536");
}

int bah_mount_processes(void)
{
    return bah_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

int bah_seal_mount(const char *folder)
{
    const unsigned long flags = MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV | MS_RDONLY;
    return bah_mount(NULL, folder, NULL, flags, NULL);
}

int bah_unmount(const char *folder)
{
    return umount2(folder, MNT_DETACH) == 0 ? 0 : -errno;
}
