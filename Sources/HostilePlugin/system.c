// Techniques that change the machine or what a process sees of it. Each is in a form that does no
// harm where it is not refused.
#include "hostile.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/quota.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- Mounts and roots ---- */

int32_t mount_once(const struct call *call)
{
    return unheard(call, mount("none", container(call), "tmpfs", 0, NULL), ENOSYS, "mount");
}

/* MNT_EXPIRE only marks, the first time. */
int32_t umount_once(const struct call *call)
{
    return unheard(call, umount2(container(call), MNT_EXPIRE), ENOSYS, "umount");
}

int32_t pivot_root_once(const struct call *call)
{
    return unheard(call, syscall(SYS_pivot_root, ".", "."), ENOSYS, "pivot_root");
}

int32_t chroot_once(const struct call *call)
{
    return unheard(call, chroot("."), ENOSYS, "chroot");
}

/* ---- Namespaces ---- */

static const struct {
    int flag;
    const char *name, *file;
} namespaces[] = {
    {CLONE_NEWUSER, "CLONE_NEWUSER", "user"}, {CLONE_NEWNS, "CLONE_NEWNS", "mnt"},
    {CLONE_NEWNET, "CLONE_NEWNET", "net"},    {CLONE_NEWPID, "CLONE_NEWPID", "pid"},
    {CLONE_NEWIPC, "CLONE_NEWIPC", "ipc"},    {CLONE_NEWUTS, "CLONE_NEWUTS", "uts"},
};
enum { NAMESPACES = sizeof namespaces / sizeof namespaces[0] };

int32_t unshare_once(const struct call *call)
{
    int32_t status = unheard(call, unshare(CLONE_FILES), ENOSYS, "unshare(CLONE_FILES)");
    for (int i = 0; i < NAMESPACES; i++)
        status |= unheard(
            call, unshare(namespaces[i].flag), ENOSYS, "unshare(%s)", namespaces[i].name);
    return status;
}

/* Those of the first process that it sees, and its own. */
int32_t setns_once(const struct call *call)
{
    int32_t status = 0;
    for (int i = 0; i < 2 * NAMESPACES; i++) {
        char path[64];
        const char *file = namespaces[i / 2].file;
        snprintf(path, sizeof path, "/proc/%s/ns/%s", i % 2 == 0 ? "1" : "self", file);
        const int result = setns(open(path, O_RDONLY | O_CLOEXEC), namespaces[i / 2].flag);
        status |= unheard(call, result, ENOSYS, "setns(%s)", path);
    }
    return status;
}

/* ---- Administration ---- */

int32_t init_module_once(const struct call *call)
{
    int32_t status = unheard(call, syscall(SYS_init_module, "", 0, ""), ENOSYS, "init_module");
    status |= unheard(call, syscall(SYS_finit_module, -1, "", 0), ENOSYS, "finit_module");
    const long removed = syscall(SYS_delete_module, "bahost_absent", O_NONBLOCK);
    status |= unheard(call, removed, ENOSYS, "delete_module");
    return status;
}

/* Without the magic numbers. */
int32_t reboot_once(const struct call *call)
{
    return unheard(call, syscall(SYS_reboot, 0, 0, 0, NULL), ENOSYS, "reboot");
}

int32_t swapon_once(const struct call *call)
{
    int32_t status = unheard(call, swapon("/bahost-absent", 0), ENOSYS, "swapon");
    status |= unheard(call, swapoff("/bahost-absent"), ENOSYS, "swapoff");
    return status;
}

/* Asks for the right and changes nothing. */
int32_t set_time(const struct call *call)
{
    return unheard(call, syscall(SYS_settimeofday, NULL, NULL), ENOSYS, "settimeofday");
}

/* To what they are. */
int32_t set_hostname(const struct call *call)
{
    struct utsname names;
    if (uname(&names) != 0)
        return attempt(call, -1, "uname");
    const int host = sethostname(names.nodename, strlen(names.nodename));
    int32_t status = unheard(call, host, ENOSYS, "sethostname");
    const int domain = setdomainname(names.domainname, strlen(names.domainname));
    status |= unheard(call, domain, ENOSYS, "setdomainname");
    return status;
}

/* Q_SYNC of nothing: all quotas are written, which anyone may ask for. */
int32_t quotactl_once(const struct call *call)
{
    return unheard(call, quotactl(QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL), ENOSYS, "quotactl");
}

int32_t acct_once(const struct call *call)
{
    return unheard(call, acct("/bahost-absent/file"), ENOSYS, "acct");
}

/* The size of the kernel's log, and its lines. */
int32_t syslog_once(const struct call *call)
{
    enum { READ_ALL = 3, SIZE_BUFFER = 10 };
    char text[256];
    const long size = syscall(SYS_syslog, SIZE_BUFFER, NULL, 0);
    int32_t status = unheard(call, size, ENOSYS, "syslog(SIZE_BUFFER)");
    const long count = syscall(SYS_syslog, READ_ALL, text, sizeof text);
    status |= unheard(call, count, ENOSYS, "syslog(READ_ALL)");
    return status;
}

/* ---- Files by other ways ---- */

/* A file by its number, past all folders. */
int32_t open_by_handle(const struct call *call)
{
    struct {
        struct file_handle head;
        unsigned char room[MAX_HANDLE_SZ];
    } handle = {.head.handle_bytes = MAX_HANDLE_SZ};
    int mount = 0;
    const int named = name_to_handle_at(AT_FDCWD, ".", &handle.head, &mount, 0);
    attempt(call, named, "name_to_handle_at");
    const int opened = open_by_handle_at(AT_FDCWD, &handle.head, O_RDONLY | O_CLOEXEC);
    return unheard(call, opened, ENOSYS, "open_by_handle_at");
}

int32_t device_nodes(const struct call *call)
{
    static const char *const paths[] = {
        "/dev/mem",  "/dev/kmsg", "/dev/port", "/dev/fuse", "/dev/kvm",  "/dev/ptmx", "/dev/tty",
        "/dev/zero", "/dev/full", "/dev/loop-control",      "/dev/net/tun", "/dev/vda", "/dev/sda",
    };
    int32_t status = 0;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        status |= forbidden(
            call, open(paths[i], O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), "open %s", paths[i]);
    attempt(call, open("/dev/null", O_RDWR | O_CLOEXEC), "open /dev/null");
    attempt(call, open("/dev/urandom", O_RDONLY | O_CLOEXEC), "open /dev/urandom");
    return status;
}
