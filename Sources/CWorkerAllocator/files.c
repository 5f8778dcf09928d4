/*
 * Functions whose system call a worker may not make, done with calls that it may. Libraries use
 * them without a second way: Foundation copies files with sendfile, libstdc++ resizes with
 * truncate.
 */
#define _GNU_SOURCE
#include "CWorkerAllocator.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

enum { copy_room_bytes = 8 << 10 };

/* Writes what is at *place, `count` bytes at most, and moves *place. Returns the bytes, or -1. */
static ssize_t copy_from(int target, int source, off_t *place, size_t count)
{
    char room[copy_room_bytes];
    size_t copied = 0;
    while (copied < count) {
        const size_t left = count - copied;
        const ssize_t there = pread(source, room, left < sizeof room ? left : sizeof room, *place);
        const ssize_t written = there > 0 ? write(target, room, (size_t)there) : there;
        if (written < 0 && copied == 0) {
            return -1;
        }
        if (written <= 0) {
            break;
        }
        *place += written;
        copied += (size_t)written;
        if (written < there) {
            break;
        }
    }
    return (ssize_t)copied;
}

/* sendfile(2) pins pages of files in pipes. Its source must be a file here, as it is there. */
ssize_t sendfile(int target, int source, off_t *offset, size_t count)
{
    off_t place = offset != NULL ? *offset : lseek(source, 0, SEEK_CUR);
    if (place < 0) {
        errno = offset != NULL || errno == ESPIPE ? EINVAL : errno;
        return -1;
    }
    const ssize_t copied = copy_from(target, source, &place, count);
    if (copied > 0 && offset != NULL) {
        *offset = place;
    } else if (copied > 0) {
        lseek(source, place, SEEK_SET);
    }
    return copied;
}

ssize_t sendfile64(int target, int source, off64_t *offset, size_t count)
{
    return sendfile(target, source, offset, count);
}

/* Before Linux 6.2, Landlock does not see truncate(2); it sees this open. */
int truncate(const char *path, off_t length)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    const int status = ftruncate(file, length);
    const int why = errno;
    close(file);
    errno = why;
    return status;
}

int truncate64(const char *path, off64_t length)
{
    return truncate(path, length);
}
