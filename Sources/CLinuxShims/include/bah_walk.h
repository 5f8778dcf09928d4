/* Looking through a folder whose contents are somebody else's, and may change meanwhile. */
#pragma once

#include <stdint.h>

struct bah_walk;

/*
 * Begins to read what lies below `folder`, which stays open; 0 or a negated errno. Never through a
 * link; a folder without rights for us gets them. Ends after `most_entries` entries, and goes into
 * no more than `most_depth` folders in one another, up to 4,096, of which each is open meanwhile;
 * and into other mounts only when `enters_mounts` is not 0.
 */
int bah_begin_walk(
    int folder, uint64_t most_entries, unsigned most_depth, int enters_mounts,
    struct bah_walk *_Nullable *_Nonnull walk);

/*
 * The next entry: 1, or 0 at the end. A folder comes before what is in it. `path` leads there from
 * the top, is valid until the next call, and is NULL for one of more than 1,024 bytes and for what
 * lies in another mount. `facts` is a struct stat: with its header here, Swift would have two.
 */
int bah_walk_on(
    struct bah_walk *_Nonnull walk, const char *_Nullable *_Nonnull path,
    void *_Nonnull facts);

/* Frees it; 1 when all was seen, 0 when a bound was met or something could not be looked into. */
int bah_end_walk(struct bah_walk *_Nonnull walk);

/* What lies below a folder. */
struct bah_folder_use {
    uint64_t bytes; /* of regular files; holes and what blocks round up are not counted */
    uint64_t files; /* entries of any kind */
};

/*
 * Adds what lies below `folder`, as a walk sees it; 0 or a negated errno: -E2BIG past `most_files`
 * entries in all or 256 nested folders, and at a folder that cannot be opened or looked into.
 */
int bah_measure_folder(int folder, uint64_t most_files, struct bah_folder_use *_Nonnull use);
