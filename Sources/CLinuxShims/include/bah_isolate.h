/* Starting a program in namespaces of its own: clone(2), namespaces(7). */
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
enum bah_isolate_step {
    BAH_ISOLATE_CLONE = 1,
    BAH_ISOLATE_CAPABILITIES,
    BAH_ISOLATE_CGROUP,
    BAH_ISOLATE_DESCRIPTORS,
    BAH_ISOLATE_PROGRAM,
};

/*
 * As bah_spawn_program, in the new namespaces of the mask `namespaces`. In a user namespace the
 * program keeps all capabilities and has to write its maps itself (bah_map_user): the child here
 * may not, because a caller that is not dumpable shares its memory. The child joins the cgroup
 * whose cgroup.procs is open for writing as `cgroup`, unless that is -1. `pidfd` is a descriptor of
 * the child, close-on-exec.
 * Returns the process number, or a negated errno with `step` saying where.
 */
int bah_spawn_isolated(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, const int *_Nonnull descriptors,
    size_t descriptor_count, int namespaces, int cgroup, int *_Nonnull pidfd,
    int *_Nonnull step);
