/*
 * Landlock: landlock(7) and Documentation/userspace-api/landlock.rst of the kernel, which lists the
 * rights by ABI version.
 */
#pragma once

#include <stdint.h>

enum bah_landlock_right {
    BAH_LANDLOCK_READ_FILE = 1,
    BAH_LANDLOCK_READ_FOLDER = 2,
    BAH_LANDLOCK_WRITE_FILE = 4,

    /* Making, removing, renaming and truncating files, folders and symbolic links below. */
    BAH_LANDLOCK_CHANGE_FOLDER = 8,
};

/* The kernel's ABI version, from 1; -ENOSYS or -EOPNOTSUPP without Landlock. */
int bah_read_landlock_version(void);

/* A ruleset that handles every right the kernel knows: its descriptor. */
int bah_create_landlock_ruleset(int version);

/* Grants `rights` (bits above) on the file or folder `path`, and below it. */
int bah_add_landlock_path(
    int ruleset, int version, const char *_Nonnull path, unsigned rights);

/* Puts the ruleset in force for this thread and its children for good. */
int bah_apply_landlock(int ruleset);
