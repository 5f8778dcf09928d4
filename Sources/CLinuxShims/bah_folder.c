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

/*
 * Gives us all rights to a folder, and to nothing else that its owner may put there at any moment:
 * not to what a link leads to, nor to a file that has another name elsewhere. chmod(2) of what a
 * place descriptor leads to, proc_pid_fd(5).
 */
static int give_rights(int parent, const char *name)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int place = openat(parent, name, flags);
    if (place < 0) {
        return -1;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    const int status = chmod(path, 0700);
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

enum { deepest_folder = 256 };

/* Looks again with rights that its owner may have taken away meanwhile. */
static int look_at(int folder, const char *name, struct stat *facts)
{
    if (fstatat(folder, name, facts, AT_SYMLINK_NOFOLLOW) == 0) {
        return 0;
    }
    if (errno != EACCES) {
        return -errno;
    }
    fchmod(folder, 0700);
    return fstatat(folder, name, facts, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
}

static int measure(DIR *stream, int depth, uint64_t most_files, struct bah_folder_use *use)
{
    int status = 0;
    const struct dirent *entry;
    while (status == 0 && (entry = readdir(stream)) != NULL) {
        if (is_dots(entry->d_name)) {
            continue;
        }
        struct stat facts;
        const int looked = look_at(dirfd(stream), entry->d_name, &facts);
        if (looked == -EACCES) {
            return looked;
        }
        if (looked != 0) {
            continue;
        }
        if (S_ISREG(facts.st_mode)) {
            const uint64_t blocks = (uint64_t)facts.st_blocks * 512;
            const uint64_t size = (uint64_t)facts.st_size;
            use->bytes += size < blocks ? size : blocks;
        }
        if (++use->files > most_files || (S_ISDIR(facts.st_mode) && depth == deepest_folder)) {
            status = -E2BIG;
        } else if (S_ISDIR(facts.st_mode)) {
            DIR *inner = open_folder(dirfd(stream), entry->d_name);
            if (inner != NULL) {
                status = measure(inner, depth + 1, most_files, use);
                closedir(inner);
            } else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) {
                status = -errno;
            }
        }
    }
    return status;
}

int bah_measure_folder(int descriptor, uint64_t most_files, struct bah_folder_use *use)
{
    DIR *stream = open_folder(descriptor, ".");
    if (stream == NULL) {
        return -errno;
    }
    const int status = measure(stream, 0, most_files, use);
    closedir(stream);
    return status;
}
