/* Installing a system call filter that was built before: seccomp(2). */
#pragma once

#include <stddef.h>

/* A file in memory, close-on-exec, to export a filter to. memfd_create(2). */
int bah_open_memory_file(const char *_Nonnull name);

/*
 * Puts a program of `count` bytes, whole instructions of 8 each, in force for this thread and all
 * it starts. Needs no-new-privileges or CAP_SYS_ADMIN. Returns 0 or a negated errno.
 */
int bah_install_filter(const void *_Nonnull program, size_t count);
