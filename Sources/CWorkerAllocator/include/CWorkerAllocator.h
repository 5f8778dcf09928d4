/*
 * The worker's own malloc family, mmap, pthread_create, process-starting functions, sendfile and
 * truncate.
 *
 * The worker exports them (exports.list), so that the plugin's calls land here; each hands on to
 * the C library's. Once armed, a refusal for want of memory writes evidence and ends the process.
 * Only the worker links this.
 */
#pragma once

#include <stdint.h>

/* What happens on a refusal. */
enum bah_allocator_action {
    BAH_ALLOCATOR_END = 0, /* evidence, then the process ends */
    BAH_ALLOCATOR_FAIL = 1, /* the caller is told, nothing is noted */
};

/*
 * Starts watching. `data_limit` is RLIMIT_DATA in bytes, for saying what was left; `threads` is the
 * most threads the process may have, the `running` ones included. Cannot be undone.
 */
void bah_arm_allocator(int action, uint64_t data_limit, uint64_t threads, uint64_t running);

/*
 * Finds the C library's pthread_create, which the first thread otherwise has to. For a launcher:
 * its workers have found it then.
 */
void bah_find_threads(void);
