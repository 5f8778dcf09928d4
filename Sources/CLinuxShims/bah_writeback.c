#define _GNU_SOURCE
#include "bah_writeback.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

int bah_start_write_back(int file, uint64_t offset, uint64_t count)
{
    int status =
        sync_file_range(file, (off64_t)offset, (off64_t)count, SYNC_FILE_RANGE_WRITE);
    return status == 0 ? 0 : -errno;
}

int bah_finish_write_back(int file)
{
    return sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE) == 0 ? 0 : -errno;
}

int bah_frees_late(int file)
{
    struct statfs facts;
    if (fstatfs(file, &facts) != 0) {
        return -errno;
    }
    return facts.f_type == BTRFS_SUPER_MAGIC;
}

int bah_sync_filesystem(int file)
{
    return syncfs(file) == 0 ? 0 : -errno;
}
