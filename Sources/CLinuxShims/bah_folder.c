#define _GNU_SOURCE
#include "bah_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int change_rights(int place, unsigned added, unsigned removed)
{
    struct stat facts;
    if (fstat(place, &facts) != 0) {
        return -errno;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    const mode_t mode = ((facts.st_mode & 07777) | added) & ~removed;
    return chmod(path, mode) == 0 ? 0 : -errno;
}

int bah_add_rights(int place, unsigned rights)
{
    return change_rights(place, rights, 0);
}

int bah_remove_rights(int place, unsigned rights)
{
    return change_rights(place, 0, rights);
}

/*
 * Gives us all rights to a folder, and to nothing else that its owner may put there at any moment:
 * not to what a link leads to, nor to a file that has another name elsewhere.
 */
static int give_rights(int parent, const char *name)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int place = openat(parent, name, flags);
    if (place < 0) {
        return -1;
    }
    const int status = bah_add_rights(place, 0700);
    close(place);
    return status;
}

int bah_open_folder(int parent, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int descriptor = openat(parent, name, flags);
    int status = descriptor < 0 ? -errno : 0;
    if (status == -EACCES && give_rights(parent, name) == 0) {
        descriptor = openat(parent, name, flags);
        status = descriptor < 0 ? -errno : 0;
    }
    if (status != 0) {
        return status;
    }
    struct stat facts;
    /* One that can be listed, and whose entries cannot be reached. */
    if (fstatat(descriptor, ".", &facts, 0) != 0) {
        fchmod(descriptor, 0700);
    }
    return descriptor;
}

static DIR *open_folder(int parent, const char *name)
{
    const int descriptor = bah_open_folder(parent, name);
    if (descriptor < 0) {
        errno = -descriptor;
        return NULL;
    }
    DIR *stream = fdopendir(descriptor);
    if (stream == NULL) {
        close(descriptor);
    }
    return stream;
}

/* Moves an entry that is a folder up to `top`, under a name that nothing has. */
static int move_up(int folder, const char *name, int top, unsigned long *serial)
{
    char other[64];
    do {
        snprintf(other, sizeof other, ".bahost-sweep-%lu", ++*serial);
        if (renameat2(folder, name, top, other, RENAME_NOREPLACE) == 0) {
            return 0;
        }
    } while (errno == EEXIST);
    return -errno;
}

/* Empties one folder of `top` of all that is no folder, and moves the folders in it up. */
static int flatten(int top, const char *name, unsigned long *serial)
{
    DIR *stream = open_folder(top, name);
    if (stream == NULL) {
        return -errno;
    }
    /* Its entries can only be removed while it may be written. */
    fchmod(dirfd(stream), 0700);
    int status = 0;
    const struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        if (is_dots(entry->d_name) || unlinkat(dirfd(stream), entry->d_name, 0) == 0) {
            continue;
        }
        if (unlinkat(dirfd(stream), entry->d_name, AT_REMOVEDIR) != 0) {
            /* A folder without rights for us cannot be moved either. */
            give_rights(dirfd(stream), entry->d_name);
            const int moved = move_up(dirfd(stream), entry->d_name, top, serial);
            status = moved != 0 ? moved : status;
        }
    }
    closedir(stream);
    return unlinkat(top, name, AT_REMOVEDIR) == 0 ? 0 : (status != 0 ? status : -errno);
}

/* One pass over `top`; the number of entries that were there, or a negated errno. */
static long sweep(int top, unsigned long *serial, int *status)
{
    DIR *stream = open_folder(top, ".");
    if (stream == NULL) {
        return -errno;
    }
    long count = 0;
    const struct dirent *entry;
    while ((entry = readdir(stream)) != NULL) {
        if (is_dots(entry->d_name)) {
            continue;
        }
        count++;
        if (unlinkat(top, entry->d_name, 0) != 0) {
            const int flattened = flatten(top, entry->d_name, serial);
            *status = flattened != 0 ? flattened : *status;
        }
    }
    closedir(stream);
    return count;
}

int bah_empty_folder(int descriptor)
{
    unsigned long serial = 0;
    /* Its owner may have taken even that. */
    fchmod(descriptor, 0700);
    for (;;) {
        int status = 0;
        const long count = sweep(descriptor, &serial, &status);
        if (count <= 0) {
            return (int)count;
        }
        if (status != 0) {
            return status;
        }
    }
}

int bah_rename_new(int from, const char *name, int to, const char *new_name)
{
    return renameat2(from, name, to, new_name, RENAME_NOREPLACE) == 0 ? 0 : -errno;
}
