/* A word about a file that moves with it: an extended attribute, user.bahost.download. xattr(7). */
#pragma once

#include <stddef.h>

/*
 * Marks the regular file `name` in `folder`, never through a link. Returns 0 or a negated errno:
 * -ENOTSUP where the file system keeps no such thing. fsetxattr(2).
 */
int bah_mark_file(int folder, const char *_Nonnull name, const char *_Nonnull mark);

/* The length of the mark of an open file, put into `room`, or a negated errno. fgetxattr(2). */
long bah_read_mark(int file, unsigned char *_Nonnull room, size_t size);
