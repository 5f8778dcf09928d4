// Techniques against a folder outside the container. The argument names it; it holds a file
// `victim`, and whoever made it looks afterwards whether anything changed.
#include "hostile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A path in that folder, valid until the next call. */
static const char *outside(const struct call *call, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", call->argument, name);
    return path;
}

static int32_t open_victim(const struct call *call, const char *path, int flags, const char *what)
{
    const int file = open(path, flags | O_CLOEXEC);
    const int32_t status = forbidden(call, file, "%s", what);
    if (file >= 0 && (flags & O_ACCMODE) != O_RDONLY && write(file, "x", 1) == 1)
        say(call, "a byte was written");
    return status;
}

int32_t outside_read(const struct call *call)
{
    int32_t status = open_victim(call, outside(call, "victim"), O_RDONLY, "open to read");
    status |= open_victim(call, outside(call, ""), O_RDONLY | O_DIRECTORY, "list of the folder");
    return status;
}

int32_t outside_write(const struct call *call)
{
    int32_t status = open_victim(call, outside(call, "victim"), O_WRONLY, "open to write");
    status |= open_victim(call, outside(call, "victim"), O_RDWR, "open to read and write");
    return status;
}

int32_t outside_create(const struct call *call)
{
    const char *path = outside(call, "hostile-was-here");
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int32_t status = forbidden(call, file, "create");
    status |= forbidden(call, mkdir(path, 0700), "mkdir");
    return status;
}

/* A name in the container for what is not there. */
int32_t outside_link(const struct call *call)
{
    const char *name = in_container(call, "tmp/hostile-link");
    int32_t status = forbidden(call, link(outside(call, "victim"), name), "link");
    status |= open_victim(call, name, O_WRONLY, "open of the link");
    return status;
}

static int32_t made_file(const struct call *call, const char *name)
{
    const int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    attempt(call, file, "create in the container");
    return file;
}

/* Out of the folder, and over what is in it. */
int32_t outside_rename(const struct call *call)
{
    const char *own = in_container(call, "tmp/hostile-own");
    const char *taken = in_container(call, "tmp/hostile-taken");
    made_file(call, own);
    int32_t status = forbidden(call, rename(outside(call, "victim"), taken), "rename from outside");
    status |= forbidden(call, rename(own, outside(call, "victim")), "rename to outside");
    return status;
}

int32_t outside_symlink(const struct call *call)
{
    const char *name = in_container(call, "tmp/hostile-symlink");
    attempt(call, symlink(outside(call, "victim"), name), "symlink");
    int32_t status = open_victim(call, name, O_RDONLY, "open of the symbolic link to read");
    status |= open_victim(call, name, O_WRONLY, "open of the symbolic link to write");
    return status;
}

int32_t outside_dotdot(const struct call *call)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tmp/../../../../../../../../../..%s", container(call),
             outside(call, "victim"));
    int32_t status = open_victim(call, path, O_RDONLY, "open past .. to read");
    status |= open_victim(call, path, O_WRONLY, "open past .. to write");
    status |= open_victim(call, in_container(call, ".."), O_RDONLY | O_DIRECTORY, "list of ..");
    return status;
}

int32_t outside_truncate(const struct call *call)
{
    int32_t status = forbidden(call, truncate(outside(call, "victim"), 0), "truncate");
    status |= open_victim(call, outside(call, "victim"), O_WRONLY | O_TRUNC, "open with O_TRUNC");
    status |= open_victim(call, outside(call, "victim"), O_RDONLY | O_TRUNC, "open with O_TRUNC");
    return status;
}

int32_t outside_unlink(const struct call *call)
{
    int32_t status = forbidden(call, unlink(outside(call, "victim")), "unlink");
    status |= forbidden(call, rmdir(call->argument), "rmdir");
    return status;
}

/* ---- What belongs to a file ---- */

int32_t outside_utime(const struct call *call)
{
    const struct timeval times[2] = {{1, 0}, {1, 0}};
    int32_t status = forbidden(call, utimes(outside(call, "victim"), times), "utimes");
    status |= forbidden(call, utimensat(AT_FDCWD, outside(call, "victim"), NULL, 0), "utimensat");
    return status;
}

int32_t outside_chmod(const struct call *call)
{
    int32_t status = forbidden(call, chmod(outside(call, "victim"), 0777), "chmod");
    status |= forbidden(call, fchmodat(AT_FDCWD, outside(call, "victim"), 0777, 0), "fchmodat");
    return status;
}

int32_t outside_chown(const struct call *call)
{
    int32_t status = forbidden(call, chown(outside(call, "victim"), getuid(), getgid()), "chown");
    status |= forbidden(call, lchown(outside(call, "victim"), getuid(), getgid()), "lchown");
    return status;
}

int32_t outside_xattr(const struct call *call)
{
    const char *victim = outside(call, "victim");
    char value[16];
    int32_t status = forbidden(call, setxattr(victim, "user.hostile", "x", 1, 0), "setxattr");
    status |= forbidden(call, getxattr(victim, "user.hostile", value, sizeof value), "getxattr");
    status |= forbidden(call, removexattr(victim, "user.hostile"), "removexattr");
    return status;
}
