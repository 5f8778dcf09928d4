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

/* Opens to write, and renames to the name that it has: nothing is changed if that works. */
static int32_t change(const struct call *call, const char *path, const char *what)
{
    int32_t status = forbidden(call, open(path, O_WRONLY | O_CLOEXEC), "write to %s", what);
    status |= forbidden(call, rename(path, path), "rename of %s", what);
    return status;
}

/* Cleans up if it works. */
static int32_t make_in(const struct call *call, const char *folder, const char *what)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/hostile-was-here", folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        unlink(path);
    int32_t status = forbidden(call, file, "create in %s", what);
    const int made = mkdir(path, 0700);
    if (made == 0)
        rmdir(path);
    status |= forbidden(call, made, "mkdir in %s", what);
    const int linked = symlink("/", path);
    if (linked == 0)
        unlink(path);
    status |= forbidden(call, linked, "symlink in %s", what);
    return status;
}

static int32_t list(const struct call *call, const char *folder, const char *what)
{
    const int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return forbidden(call, opened, "list of %s", what);
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
    char folder[2048];
    if (dladdr((void *)(uintptr_t)&plugin_write, &library) == 0)
        return attempt(call, -1, "dladdr");
    const char *end = strrchr(library.dli_fname, '/');
    snprintf(folder, sizeof folder, "%.*s", end != NULL ? (int)(end - library.dli_fname) : 0,
             library.dli_fname);
    int32_t status = change(call, library.dli_fname, "the plugin");
    status |= make_in(call, folder, "the plugin's folder");
    return status;
}

/* Where partial files lie, before they are published. */
int32_t partial_folder(const struct call *call)
{
    const char *folder = in_container(call, ".bahost");
    int32_t status = list(call, folder, ".bahost");
    status |= make_in(call, folder, ".bahost");
    status |= forbidden(call, rename(folder, folder), "rename of .bahost");
    return status;
}

/* Beside Downloads/, and Downloads/ itself. */
int32_t container_root(const struct call *call)
{
    const char *folder = in_container(call, "Downloads");
    int32_t status = list(call, container(call), "the container");
    status |= make_in(call, container(call), "the container");
    status |= forbidden(call, rename(folder, folder), "rename of Downloads");
    return status;
}
