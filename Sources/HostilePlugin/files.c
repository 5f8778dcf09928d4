// Techniques against the files of others and against the file limits.
#include "hostile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20 };

/* Tries to open; says how it went. Returns 0 if it was refused, else -1, and cleans up. */
static int32_t try_to_open(const struct call *call, const char *path, int flags)
{
    int descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0600);
    say(call, "open %s: %s", path, descriptor < 0 ? strerror(errno) : "OPENED");
    if (descriptor < 0)
        return 0;
    close(descriptor);
    if (flags & O_CREAT)
        unlink(path);
    return -1;
}

int32_t write_outside(const struct call *call)
{
    static const char *const in_container[] = {"../x", "x", ".bahost/x"};
    int32_t status = try_to_open(call, "/tmp/bahost-hostile-was-here", O_WRONLY | O_CREAT | O_EXCL);
    status |= try_to_open(call, "/etc/bahost-hostile-was-here", O_WRONLY | O_CREAT | O_EXCL);
    status |= try_to_open(call, "/dev/shm/bahost-hostile", O_WRONLY | O_CREAT | O_EXCL);
    for (size_t i = 0; i < sizeof in_container / sizeof in_container[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", container(call), in_container[i]);
        status |= try_to_open(call, path, O_WRONLY | O_CREAT | O_EXCL);
    }
    if (call->request != NULL && call->request->manifest_path != NULL)
        status |= try_to_open(call, call->request->manifest_path, O_WRONLY);
    return status;
}

int32_t read_outside(const struct call *call)
{
    static const char *const paths[] = {"/etc/shadow", "/etc/hostname", "/root", "/home", "/tmp"};
    int32_t status = 0;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        status |= try_to_open(call, paths[i], O_RDONLY);
    return status;
}

int32_t open_many_files(const struct call *call)
{
    int opened = 0;
    while (opened < 100000 && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
        opened++;
    say(call, "opened %d files: %m", opened);
    return opened < 100000 ? 0 : -1;
}

/* A new file in the container's tmp, numbered. */
static int create_file(const struct call *call, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tmp/hostile-%d", container(call), number);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* Writes so many MiB. Returns those written. */
static int fill(int descriptor, int mebibytes)
{
    static char block[64 * 1024];
    for (int written = 0; written < mebibytes; written++)
        for (size_t i = 0; i < MEBIBYTE / sizeof block; i++)
            if (write(descriptor, block, sizeof block) != (ssize_t)sizeof block)
                return written;
    return mebibytes;
}

/* Past RLIMIT_FSIZE: SIGXFSZ. */
int32_t big_file(const struct call *call)
{
    int descriptor = create_file(call, 0);
    if (descriptor < 0)
        return -errno;
    int written = fill(descriptor, 2048);
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
    int created = 0, written = 8;
    for (; created < 256 && written == 8; created++) {
        int descriptor = create_file(call, created);
        if (descriptor < 0)
            return -errno;
        written = fill(descriptor, 8);
        close(descriptor);
    }
    say(call, "wrote %d files of 8 MiB: %m", created);
    return created < 256 ? -1 : 0;
}
