/* Descriptors: open(2), openat(2), fcntl(2). */
#pragma once

#include <stdint.h>

/* Opens `path` relative to `folder` (AT_FDCWD allowed) with O_CLOEXEC added. open(2). */
int bah_open_file(int folder, const char *_Nonnull path, int flags, unsigned mode);

/* The flag of a descriptor that names a place and needs no right to read it. open(2), O_PATH. */
int bah_place_flag(void);

/* Sets or clears O_NONBLOCK. fcntl(2). */
int bah_set_nonblocking(int descriptor, int is_nonblocking);

/* Reading leaves the access time; for the file's owner and root. fcntl(2), O_NOATIME. */
int bah_keep_access_time(int descriptor);

/* Takes an exclusive flock(2) without waiting; -EWOULDBLOCK when another process holds it. */
int bah_lock_file(int descriptor);

/* AT_FDCWD, which Swift does not import as an integer everywhere. */
int bah_current_folder(void);
