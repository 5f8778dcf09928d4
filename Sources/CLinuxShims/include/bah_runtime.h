/* How the C library behaves in a worker: mallopt(3), pthread_setattr_default_np(3), setvbuf(3). */
#pragma once

#include <stdint.h>

/* One malloc arena, so that threads do not each reserve their own. M_ARENA_MAX. */
int bah_use_one_arena(void);

/* The stack of threads that do not ask for another size. */
int bah_set_thread_stack(uint64_t stack_bytes);

/* Standard output goes out line by line, also into a pipe. */
int bah_buffer_lines(void);

/* The C library's own version, such as "2.36"; lives as long as the process. */
const char *_Nonnull bah_read_glibc_version(void);

/* The path by which the C library was loaded, or NULL. dladdr(3). */
const char *_Nullable bah_read_library_path(void);
