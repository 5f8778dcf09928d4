#define _GNU_SOURCE
#include "bah_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
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

int bah_open_place(const char *path)
{
    const int place = open(path, O_PATH | O_CLOEXEC);
    return place >= 0 ? place : -errno;
}

int bah_mount_empty(const char *folder)
{
    return bah_mount("bahost", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=65536");
}

int bah_mount_place(int place, const char *target, int is_writable)
{
    char source[64];
    struct stat status;
    if (fstat(place, &status) != 0) {
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
    snprintf(source, sizeof source, "/proc/self/fd/%d", place);
    const int result = bah_mount(source, target, NULL, MS_BIND, NULL);
    if (result != 0) {
        return result;
    }
    const unsigned long flags = MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV;
    return bah_mount(NULL, target, NULL, flags | (is_writable ? 0 : MS_RDONLY), NULL);
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
