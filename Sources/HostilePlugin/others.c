// Techniques that reach for another process. Signals are signal 0, which only asks.
#include "hostile.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open -1
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal -1
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd -1
#endif

/* The launcher. In a PID namespace, where it has no number here, the first process, which is this
   one: nobody asks for itself in these ways either. */
static pid_t another(void)
{
    const pid_t parent = getppid();
    return parent > 0 ? parent : 1;
}

/* ---- Signals ---- */

/* In a PID namespace this is 0, its own group, where the launcher may be. */
int32_t kill_parent(const struct call *call)
{
    return unheard(call, kill(getppid(), 0), ENOSYS, "kill of the parent");
}

int32_t kill_all(const struct call *call)
{
    return unheard(call, kill(-1, 0), ENOSYS, "kill of all");
}

/* Itself it may: there, a process that is not this one. */
int32_t tgkill_other(const struct call *call)
{
    const pid_t parent = getppid(), process = parent > 0 ? parent : getpid() + 1;
    int32_t status =
        unheard(call, syscall(SYS_tgkill, process, process, 0), ENOSYS, "tgkill");
    status |= unheard(call, syscall(SYS_tkill, another(), 0), ENOSYS, "tkill");
    return status;
}

int32_t sigqueue_other(const struct call *call)
{
    return unheard(call, sigqueue(another(), 0, (union sigval){0}), ENOSYS, "sigqueue");
}

/* Where none can be opened, standard input, which is none. */
static int open_process(const struct call *call, int32_t *status)
{
    const long process = syscall(SYS_pidfd_open, another(), 0);
    *status = unheard(call, process, ENOSYS, "pidfd_open");
    return process >= 0 ? (int)process : STDIN_FILENO;
}

int32_t pidfd_signal(const struct call *call)
{
    int32_t status;
    const int process = open_process(call, &status);
    const long sent = syscall(SYS_pidfd_send_signal, process, 0, NULL, 0);
    return status | unheard(call, sent, ENOSYS, "pidfd_send_signal");
}

/* ---- What others have ---- */

int32_t pidfd_take_descriptor(const struct call *call)
{
    int32_t status;
    const int process = open_process(call, &status);
    const long taken = syscall(SYS_pidfd_getfd, process, STDIN_FILENO, 0);
    return status | unheard(call, taken, ENOSYS, "pidfd_getfd");
}

int32_t prlimit_other(const struct call *call)
{
    struct rlimit limit;
    const int asked = prlimit(another(), RLIMIT_NOFILE, NULL, &limit);
    return unheard(call, asked, ENOSYS, "prlimit");
}

int32_t process_vm_read(const struct call *call)
{
    char byte;
    const struct iovec here = {&byte, 1}, there = {(void *)&environ, 1};
    return forbidden(
        call, process_vm_readv(another(), &here, 1, &there, 1, 0), "process_vm_readv");
}

/* Nothing is written even if it could be. */
int32_t process_vm_write(const struct call *call)
{
    char byte = 0;
    const struct iovec here = {&byte, 0}, there = {(void *)&environ, 0};
    return forbidden(
        call, process_vm_writev(another(), &here, 1, &there, 1, 0), "process_vm_writev");
}

/* ---- /proc ---- */

static long open_of(pid_t process, const char *name, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    const int file = open(path, flags | O_CLOEXEC);
    if (file >= 0)
        close(file);
    return file;
}

int32_t parent_memory(const struct call *call)
{
    int32_t status = forbidden(call, open_of(getppid(), "mem", O_RDONLY), "parent's mem");
    status |= forbidden(call, open_of(getppid(), "environ", O_RDONLY), "parent's environ");
    status |= forbidden(call, open_of(getppid(), "maps", O_RDONLY), "parent's maps");
    status |= forbidden(call, open_of(getppid(), "fd", O_RDONLY), "parent's descriptors");
    return status;
}

/* To read its own is no gain; to write it would undo what is read-only. */
int32_t self_memory(const struct call *call)
{
    attempt(call, open_of(getpid(), "mem", O_RDONLY), "own mem, to read");
    return forbidden(call, open_of(getpid(), "mem", O_RDWR), "own mem, to write");
}

static int is_own_thread(pid_t number)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    return access(path, F_OK) == 0;
}

/* The first process that can be looked at. */
int32_t other_processes(const struct call *call)
{
    enum { MOST = 1 << 16 };
    DIR *folder = opendir("/proc");
    int32_t status = forbidden(call, folder != NULL ? 0 : -1, "list of /proc");
    for (pid_t process = 1; process < MOST; process++)
        if (open_of(process, "cmdline", O_RDONLY) >= 0 && !is_own_thread(process))
            return forbidden(call, 0, "cmdline of another process");
    errno = ENOENT;
    status |= forbidden(call, -1, "cmdline of another process");
    return status;
}
