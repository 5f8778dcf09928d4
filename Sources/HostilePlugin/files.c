// Techniques against the files of others and against the file limits.
#include "hostile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, BLOCK = 64 * 1024 };

/* Must be refused; cleans up if it was not. */
static int32_t try_to_open(const struct call *call, const char *path, int flags)
{
    const int file = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
    const int32_t status = forbidden(call, file, "open %s", path);
    if (file >= 0 && flags & O_CREAT)
        unlink(path);
    return status;
}

int32_t write_outside(const struct call *call)
{
    static const char *const fixed[] = {
        "/tmp/bahost-hostile-was-here", "/etc/bahost-hostile-was-here",
        "/dev/shm/bahost-hostile-was-here", "/var/tmp/bahost-hostile-was-here"};
    static const char *const near[] = {"../x", "x", ".bahost/x"};
    const int making = O_WRONLY | O_CREAT | O_EXCL;
    int32_t status = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        status |= try_to_open(call, fixed[i], making);
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
        status |= try_to_open(call, in_container(call, near[i]), making);
    return status;
}

int32_t read_outside(const struct call *call)
{
    static const char *const paths[] = {"/etc/shadow", "/etc/passwd", "/etc/hostname", "/root",
                                        "/home",       "/tmp",        "/",             "/proc",
                                        "/sys",        "/run",        "/var/log"};
    int32_t status = 0;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        status |= try_to_open(call, paths[i], O_RDONLY);
    return status;
}

int32_t open_many_files(const struct call *call)
{
    enum { MOST = 100000 };
    int opened = 0;
    while (opened < MOST && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
        opened++;
    return forbidden(call, opened < MOST ? -1 : 0, "open after %d files", opened);
}

int create_file(const struct call *call, long number)
{
    char name[64];
    snprintf(name, sizeof name, "tmp/hostile-%ld", number);
    return open(in_container(call, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

int write_bytes(int file, long bytes)
{
    static const char block[BLOCK];
    for (ssize_t count; bytes > 0; bytes -= count) {
        count = write(file, block, bytes < BLOCK ? (size_t)bytes : BLOCK);
        if (count < 0)
            return -1;
    }
    return 0;
}

/* Past RLIMIT_FSIZE: SIGXFSZ. */
int32_t big_file(const struct call *call)
{
    int written = 0, descriptor = create_file(call, 0);
    if (descriptor < 0)
        return -errno;
    while (written < 2048 && write_bytes(descriptor, MEBIBYTE) == 0)
        written++;
    say(call, "wrote %d MiB: %m", written);
    close(descriptor);
    return -1;
}

int32_t many_files(const struct call *call)
{
    int created = 0, descriptor;
    for (; created < 20000 && (descriptor = create_file(call, created)) >= 0; created++)
        close(descriptor);
    say(call, "created %d files: %m", created);
    return created < 20000 ? -errno : 0;
}

/* Each file is within the limit, all together are not. */
int32_t many_bytes(const struct call *call)
{
    int created = 0, status = 0;
    for (; created < 256 && status == 0; created++) {
        int descriptor = create_file(call, created);
        if (descriptor < 0)
            return -errno;
        status = write_bytes(descriptor, 8 * MEBIBYTE);
        close(descriptor);
    }
    say(call, "wrote %d files of 8 MiB: %m", created);
    return created < 256 ? -1 : 0;
}
