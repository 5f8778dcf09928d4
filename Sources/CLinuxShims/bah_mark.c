#define _GNU_SOURCE
#include "bah_mark.h"

#include <errno.h>
#include <sys/xattr.h>

int bah_write_mark(int file, const char *attribute, const void *mark, size_t size)
{
    return fsetxattr(file, attribute, mark, size, 0) == 0 ? 0 : -errno;
}

int bah_remove_mark(int file, const char *attribute)
{
    return fremovexattr(file, attribute) == 0 ? 0 : -errno;
}

long bah_read_mark(int file, const char *attribute, unsigned char *room, size_t size)
{
    const ssize_t length = fgetxattr(file, attribute, room, size);
    return length >= 0 ? length : -errno;
}
