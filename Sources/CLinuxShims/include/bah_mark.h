/* Words about an open file that move with it: extended attributes, user.*. xattr(7). */
#pragma once

#include <stddef.h>

/* 0 or a negated errno: -ENOTSUP where the file system keeps no such thing. fsetxattr(2). */
int bah_write_mark(
    int file, const char *_Nonnull attribute, const void *_Nonnull mark, size_t size);

/* 0 or a negated errno: -ENODATA without such a mark. fremovexattr(2). */
int bah_remove_mark(int file, const char *_Nonnull attribute);

/* The length of the mark, put into `room`, or a negated errno. fgetxattr(2). */
long bah_read_mark(
    int file, const char *_Nonnull attribute, unsigned char *_Nonnull room, size_t size);
