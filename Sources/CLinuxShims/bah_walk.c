#define _GNU_SOURCE
#include "bah_walk.h"
#include "bah_beneath.h"
#include "bah_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { longest_path = 1024, deepest_measured = 256, deepest_of_all = 4096 };

/* A folder that is being read. */
struct level {
    DIR *stream;
    int has_path;
    size_t path_length; /* of the folder's own path */
};

struct bah_walk {
    int top;
    uint64_t left; /* entries that may still come */
    int is_whole;
    int enters_mounts;
    unsigned deepest;
    unsigned depth; /* how many levels there are */
    char path[longest_path + 1];
    struct level levels[];
};

/* Goes into the folder `name` of `parent`; 0 or a negated errno. */
static int enter(struct bah_walk *walk, int parent, const char *name, int has_path, size_t length)
{
    const int descriptor = bah_open_folder(parent, name);
    if (descriptor < 0) {
        return descriptor;
    }
    DIR *stream = fdopendir(descriptor);
    if (stream == NULL) {
        const int status = -errno;
        close(descriptor);
        return status;
    }
    walk->levels[walk->depth++] = (struct level) {
        .stream = stream,
        .has_path = has_path && bah_is_same_mount(walk->top, descriptor),
        .path_length = length,
    };
    return 0;
}

int bah_begin_walk(
    int folder, uint64_t most_entries, unsigned most_depth, int enters_mounts,
    struct bah_walk **walk)
{
    if (most_depth > deepest_of_all) {
        return -EINVAL;
    }
    struct bah_walk *made = calloc(1, sizeof *made + (most_depth + 1) * sizeof made->levels[0]);
    if (made == NULL) {
        return -ENOMEM;
    }
    made->top = folder;
    made->left = most_entries;
    made->is_whole = 1;
    made->enters_mounts = enters_mounts;
    made->deepest = most_depth;
    const int status = enter(made, folder, ".", 1, 0);
    if (status != 0) {
        free(made);
        return status;
    }
    *walk = made;
    return 0;
}

int bah_end_walk(struct bah_walk *walk)
{
    const int is_whole = walk->is_whole;
    while (walk->depth > 0) {
        closedir(walk->levels[--walk->depth].stream);
    }
    free(walk);
    return is_whole;
}

/* The next name that is read; NULL at the end, also the one that a bound sets. */
static const char *next_name(struct bah_walk *walk)
{
    while (walk->depth > 0) {
        DIR *stream = walk->levels[walk->depth - 1].stream;
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (entry == NULL) {
            walk->is_whole = walk->is_whole && errno == 0;
            closedir(stream);
            walk->depth--;
        } else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            /* Counted whether it is still there or not: somebody may make ever new ones. */
            if (walk->left == 0) {
                walk->is_whole = 0;
                return NULL;
            }
            walk->left--;
            return entry->d_name;
        }
    }
    return NULL;
}

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

/* Puts the path of an entry together: its length, or 0 where there is none. */
static size_t name_entry(struct bah_walk *walk, const struct level *level, const char *name)
{
    const size_t start = level->path_length == 0 ? 0 : level->path_length + 1;
    const size_t length = start + strlen(name);
    if (!level->has_path || length > longest_path) {
        return 0;
    }
    if (start > 0) {
        walk->path[start - 1] = '/';
    }
    memcpy(walk->path + start, name, length - start + 1);
    return length;
}

/*
 * Whether the walk goes into a folder; looked at before it is opened, since a mount of somebody's
 * may answer never, and its rights are not ours to change.
 */
static int is_ours(const struct bah_walk *walk, int parent, const char *name)
{
    if (walk->enters_mounts) {
        return 1;
    }
    const int place = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) {
        return 1; /* Opening it says why. */
    }
    const int is_same = bah_is_same_mount(walk->top, place);
    close(place);
    return is_same;
}

/* Goes into an entry that was a folder; one that is none any more is no fault. */
static void descend(struct bah_walk *walk, int parent, const char *name, size_t length)
{
    if (!is_ours(walk, parent, name)) {
        return;
    }
    if (walk->depth > walk->deepest) {
        walk->is_whole = 0;
        return;
    }
    const int status = enter(walk, parent, name, length > 0, length);
    if (status != 0 && status != -ENOENT && status != -ENOTDIR && status != -ELOOP) {
        walk->is_whole = 0;
    }
}

int bah_walk_on(struct bah_walk *walk, const char **path, void *facts)
{
    struct stat *found = facts;
    const char *name;
    while ((name = next_name(walk)) != NULL) {
        const struct level *level = &walk->levels[walk->depth - 1];
        const int folder = dirfd(level->stream);
        const int looked = look_at(folder, name, found);
        if (looked == 0) {
            const size_t length = name_entry(walk, level, name);
            *path = length > 0 ? walk->path : NULL;
            if (S_ISDIR(found->st_mode)) {
                descend(walk, folder, name, length);
            }
            return 1;
        }
        walk->is_whole = walk->is_whole && looked == -ENOENT;
    }
    return 0;
}

/* The most that can be said where it is more: a file system of somebody's may say anything. */
static uint64_t multiplied(uint64_t one, uint64_t other)
{
    uint64_t product;
    return __builtin_mul_overflow(one, other, &product) ? UINT64_MAX : product;
}

static uint64_t added(uint64_t one, uint64_t other)
{
    uint64_t sum;
    return __builtin_add_overflow(one, other, &sum) ? UINT64_MAX : sum;
}

int bah_measure_folder(int folder, uint64_t most_files, struct bah_folder_use *use)
{
    struct bah_walk *walk = NULL;
    const uint64_t left = most_files > use->files ? most_files - use->files : 0;
    const int status = bah_begin_walk(folder, left, deepest_measured, 1, &walk);
    if (status != 0) {
        return status;
    }
    const char *path;
    struct stat facts;
    while (bah_walk_on(walk, &path, &facts)) {
        use->files++;
        if (S_ISREG(facts.st_mode)) {
            const uint64_t blocks = multiplied((uint64_t)facts.st_blocks, 512);
            const uint64_t size = (uint64_t)facts.st_size;
            use->bytes = added(use->bytes, size < blocks ? size : blocks);
        }
    }
    return bah_end_walk(walk) ? 0 : -E2BIG;
}
