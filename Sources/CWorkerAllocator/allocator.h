/* What the hooks share. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The C library's function of a name, never NULL: the process ends without it. dlsym(3). */
void *allocator_next(const char *name);

/* True while refusals end the process. */
int allocator_ends(void);

int allocator_is_armed(void);

/* Writes evidence of a refused allocation and ends the process. */
_Noreturn void allocator_end_for_memory(size_t asked_bytes);

/* The most threads, and a place among them. Returns 0 when there is none. */
int allocator_take_thread(void);
void allocator_give_thread(void);

/* True when the kernel counts as many threads as there may be, however they were made. */
int allocator_has_all_threads(void);
