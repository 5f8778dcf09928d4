/* Emptying a folder whose contents are somebody else's. */
#pragma once

#include <stdint.h>

/*
 * Opens the folder `name` in `parent` for reading, never through a link; one without rights for us
 * to list it and to reach its entries gets them. Returns a descriptor or a negated errno.
 */
int bah_open_folder(int parent, const char *_Nonnull name);

/*
 * Removes everything below the folder `descriptor`, however deep it is nested and however its
 * names and modes are, and never through a link: a nested folder is emptied by moving its own
 * folders up, so that no path is ever walked. Nobody else may change the folder meanwhile.
 * Returns 0, or a negated errno when something could not be removed.
 */
int bah_empty_folder(int descriptor);

/* What lies below a folder. */
struct bah_folder_use {
    uint64_t bytes; /* of regular files; holes and what blocks round up are not counted */
    uint64_t files; /* entries of any kind */
};

/*
 * Adds what lies below the folder `descriptor`, never through a link. A folder without rights for
 * us gets them. Stops early, with -E2BIG, past `most_files` entries or 256 nested folders,
 * and with a negated errno at a folder that cannot be opened or looked into; else returns 0.
 */
int bah_measure_folder(
    int descriptor, uint64_t most_files, struct bah_folder_use *_Nonnull use);
