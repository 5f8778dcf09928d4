/* Writing back a part of a file, or all of a file system, which Swift's Glibc leaves out. */
#pragma once

#include <stdint.h>

/*
 * Lets the kernel begin to write a part of a file, to its end when `count` is 0, without waiting
 * for the disk. Says nothing about what is durable. sync_file_range(2).
 */
int bah_start_write_back(int file, uint64_t offset, uint64_t count);

/* Waits until what was begun to be written of a file is written. 0 or a negated errno. */
int bah_finish_write_back(int file);

/*
 * Makes everything durable that was written to the file system of `file`. Tells of a failed
 * write-back since Linux 5.8. syncfs(2).
 */
int bah_sync_filesystem(int file);

/*
 * 1 on a file system that frees what was removed only when it next writes everything down: btrfs.
 * fstatfs(2).
 */
int bah_frees_late(int file);
