/* Starting a program with exactly the descriptors it is given: posix_spawn(3). */
#pragma once

#include <stddef.h>

/*
 * Starts `path` in a session of its own with default signal actions and an empty signal mask.
 * Descriptor `descriptors[i]` becomes number i in the child (-1 leaves i open on /dev/null);
 * every other one is closed. Returns the process number or a negated errno.
 */
int bah_spawn_program(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, const int *_Nonnull descriptors,
    size_t descriptor_count);

/*
 * Makes `descriptors[i]` number i of this process (-1 leaves /dev/null there) and closes every
 * other one. Returns 0 or a negated errno. dup2(2), close_range(2).
 */
int bah_place_descriptors(const int *_Nonnull descriptors, size_t count);
