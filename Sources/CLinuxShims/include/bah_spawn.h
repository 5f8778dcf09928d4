/* Starting a program with exactly the descriptors it is given: clone(2), namespaces(7). */
#pragma once

#include <stddef.h>

enum {
    BAH_NEW_USER_NAMESPACE = 1,
    BAH_NEW_PID_NAMESPACE = 2,
    BAH_NEW_NETWORK_NAMESPACE = 4,
    BAH_NEW_IPC_NAMESPACE = 8,
    BAH_NEW_MOUNT_NAMESPACE = 16,
};

/* What a start failed in, beside its errno. */
enum bah_spawn_step {
    BAH_SPAWN_CLONE = 1,
    BAH_SPAWN_CAPABILITIES,
    BAH_SPAWN_CGROUP,
    BAH_SPAWN_DESCRIPTORS,
    BAH_SPAWN_PROGRAM,
};

/*
 * Starts `path` in a session of its own with default signal actions and an empty signal mask, in
 * the new namespaces of the mask `namespaces`. Descriptor `descriptors[i]` becomes number i in the
 * child (-1 leaves /dev/null there), at most 32; every other one is closed. In a user namespace the
 * program keeps all capabilities and has to write its maps itself (bah_map_user): the child here
 * may not, because a caller that is not dumpable shares its memory. The child joins the cgroup
 * whose cgroup.procs is open for writing as `cgroup`, unless that is -1. `pidfd` is a descriptor of
 * the child, close-on-exec.
 * Returns the process number, or a negated errno with `step` saying where.
 */
int bah_spawn_program(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, const int *_Nonnull descriptors,
    size_t descriptor_count, int namespaces, int cgroup, int *_Nonnull pidfd,
    int *_Nonnull step);

/*
 * Makes `descriptors[i]` number i of this process (-1 leaves /dev/null there) and closes every
 * other one. Returns 0 or a negated errno. dup2(2), close_range(2).
 */
int bah_place_descriptors(const int *_Nonnull descriptors, size_t count);
