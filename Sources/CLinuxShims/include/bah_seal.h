/* Memory whose maps can no longer be changed: mseal(2), Linux 6.10. Inherited by fork. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 1 when the kernel seals for this process, 0 when not. */
int bah_can_seal(void);

/* Seals whole pages, all of them mapped. */
int bah_seal_range(uintptr_t start, size_t length);

/*
 * Seals every map that cannot be written now. Call it with a single thread. Uses no memory but its
 * stack. Returns the number of maps.
 */
int bah_seal_read_only_maps(void);

/* 1 when the map at an address is sealed, 0 when not, -ENOENT when there is none. */
int bah_is_sealed(uintptr_t address);

/* The call's number, for filters of system calls. */
int bah_seal_call_number(void);

/* An address in the code of the program itself. */
uintptr_t bah_own_code(void);
