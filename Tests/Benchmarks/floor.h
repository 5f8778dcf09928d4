/* The parts of the floor program; floor.c says what it is. */
#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>

#if __has_include("bah_fence.h")
#include "bah_fence.h"
#endif

struct floor_files {
    const char *plugin_folder;
    const char *plugin_name;
    const char *container;
    const char *runtime; /* NULL: none */
};

/* Numbers of the descriptors that a worker is started with. */
enum {
    FLOOR_OUTPUT = 1,
    FLOOR_ERROR,
    FLOOR_LINK,
    FLOOR_CONTROL,
    FLOOR_EVIDENCE,
    FLOOR_DESCRIPTORS = 5,
};

/* A root floor's workers become this user, as bahost's do. */
enum { FLOOR_IDENTITY = 61790 };

struct floor_launcher {
    struct floor_files files;
    unsigned host_user;
    unsigned host_group;
    const void *filter;
    size_t filter_bytes;
    int is_sealed;
#if __has_include("bah_fence.h")
    struct bah_fence fence;
#endif
};

/* The filter for process 1 of a namespace, on the heap. NULL: it cannot be built. */
void *floor_build_filter(size_t *bytes);

/* A worker's whole life. */
_Noreturn void floor_work(const struct floor_launcher *launcher);

/* Ends the process with a word on stderr when `result` is negative. */
void floor_must(const char *step, long result);

#endif
