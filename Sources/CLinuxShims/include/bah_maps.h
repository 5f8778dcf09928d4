/* The calling process's maps, read without using memory but the stack: proc_pid_maps(5). */
#pragma once

#include <stdint.h>

enum bah_map_kind {
    BAH_MAP_OTHER,
    BAH_MAP_STACK, /* of the first thread */
    BAH_MAP_KERNEL, /* [vsyscall], which is the kernel's */
};

struct bah_map {
    uintptr_t start;
    uintptr_t end;
    int protection; /* PROT_READ, PROT_WRITE, PROT_EXEC */
    int kind;
};

/*
 * Hands each map to `take`, in the order of addresses, until that returns other than 0. The maps
 * may be changed meanwhile where they have been handed out. Returns what `take` returned last, or a
 * negated errno value.
 */
int bah_each_map(
    int (*_Nonnull take)(const struct bah_map *_Nonnull map, void *_Nullable context),
    void *_Nullable context);
