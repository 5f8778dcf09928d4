/* The times of a file, for which Swift lacks a macro. */
#pragma once

#include <stdint.h>

/* Sets the modification time, and leaves the access time. futimens(2). */
int bah_set_modified(int file, int64_t seconds, int64_t nanoseconds);
