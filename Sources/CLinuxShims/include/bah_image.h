/* The objects that the loader has mapped: dl_iterate_phdr(3). */
#pragma once

#include <stdint.h>

/* The bytes of all pages that were made read-only after relocation. PT_GNU_RELRO. */
uint64_t bah_read_relro_bytes(void);
