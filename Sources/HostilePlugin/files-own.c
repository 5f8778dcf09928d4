// Techniques on what the container and the plugin's own folder hold.
#include "hostile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *own_file(const struct call *call, int *file)
{
    const char *path = in_container(call, "tmp/hostile-own");
    *file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    attempt(call, *file, "create");
    return path;
}

/* By its descriptor it may, but for the bits that give rights to whoever runs it. */
int32_t own_chmod(const struct call *call)
{
    int file;
    const char *path = own_file(call, &file);
    attempt(call, fchmod(file, 0700), "fchmod 0700");
    int32_t status = forbidden(call, fchmod(file, 04755), "fchmod 04755");
    status |= forbidden(call, fchmod(file, 02755), "fchmod 02755");
    status |= forbidden(call, chmod(path, 0700), "chmod 0700");
    status |= forbidden(call, chmod(path, 04755), "chmod 04755");
    const char *other = in_container(call, "tmp/hostile-set-id");
    file = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 04755);
    status |= forbidden(call, file, "create with mode 04755");
    return status;
}

int32_t own_xattr(const struct call *call)
{
    int file;
    const char *path = own_file(call, &file);
    int32_t status = forbidden(call, setxattr(path, "user.hostile", "x", 1, 0), "setxattr");
    status |= forbidden(call, fsetxattr(file, "user.hostile", "x", 1, 0), "fsetxattr");
    status |= forbidden(call, listxattr(path, NULL, 0), "listxattr");
    return status;
}

int32_t own_utime(const struct call *call)
{
    int file;
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    const struct timeval old_times[2] = {{1, 0}, {1, 0}};
    const char *path = own_file(call, &file);
    attempt(call, futimens(file, times), "futimens");
    return forbidden(call, utimes(path, old_times), "utimes");
}

/* /dev/null by its number, and a pipe with a name. */
int32_t mknod_once(const struct call *call)
{
    const dev_t null_device = 1 << 8 | 3;
    const char *path = in_container(call, "tmp/hostile-node");
    int32_t status = forbidden(call, mknod(path, S_IFCHR | 0600, null_device), "mknod of a device");
    status |= forbidden(call, mknod(path, S_IFREG | 0600, 0), "mknod of a file");
    status |= forbidden(call, mknod(path, S_IFSOCK | 0600, 0), "mknod of a socket");
    return status;
}

int32_t mkfifo_once(const struct call *call)
{
    return forbidden(call, mkfifo(in_container(call, "tmp/hostile-fifo"), 0600), "mkfifo");
}

/* ---- What is the host's ---- */

static int32_t change(const struct call *call, const char *path, const char *what)
{
    int32_t status = forbidden(call, open(path, O_WRONLY | O_CLOEXEC), "write to %s", what);
    status |= forbidden(call, truncate(path, 0), "truncate of %s", what);
    status |= forbidden(call, rename(path, in_container(call, "tmp/hostile-taken")), "rename of %s",
                        what);
    status |= forbidden(call, unlink(path), "unlink of %s", what);
    return status;
}

int32_t manifest_write(const struct call *call)
{
    if (call->request == NULL || call->request->manifest_path == NULL)
        return attempt(call, -1, "a manifest, which is not there");
    return change(call, call->request->manifest_path, "the manifest");
}

int32_t plugin_write(const struct call *call)
{
    Dl_info library;
    if (dladdr((void *)(uintptr_t)&plugin_write, &library) == 0)
        return attempt(call, -1, "dladdr");
    return change(call, library.dli_fname, "the plugin");
}

/* Where partial files lie, before they are published. */
int32_t partial_folder(const struct call *call)
{
    const char *folder = in_container(call, ".bahost");
    int32_t status =
        forbidden(call, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "list of .bahost");
    const char *file = in_container(call, ".bahost/hostile");
    status |= forbidden(call, open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600),
                        "create in .bahost");
    const char *taken = in_container(call, "tmp/hostile-taken");
    status |= forbidden(call, rename(folder, taken), "rename of .bahost");
    return status;
}

/* Beside Downloads/, and Downloads/ itself. */
int32_t container_root(const struct call *call)
{
    const char *file = in_container(call, "hostile");
    int32_t status =
        forbidden(call, open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), "create in the root");
    status |= forbidden(call, mkdir(file, 0700), "mkdir in the root");
    status |= forbidden(call, symlink("/", file), "symlink in the root");
    status |= forbidden(call, open(container(call), O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                        "list of the root");
    status |= forbidden(call, rename(in_container(call, "Downloads"), file), "rename of Downloads");
    return status;
}
