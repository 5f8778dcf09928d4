// Techniques on what holds the process itself: its filters, identity, signals and settings.
#include "hostile.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Filters and rules ---- */

/* One that allows all, as seccomp(2) and as prctl(2). */
int32_t more_filters(const struct call *call)
{
    struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {1, code};
    const long first = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    int32_t status = unheard(call, first, ENOSYS, "seccomp");
    const int second = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    status |= unheard(call, second, ENOSYS, "prctl(PR_SET_SECCOMP)");
    return status;
}

int32_t landlock_ruleset(const struct call *call)
{
    const struct landlock_ruleset_attr handled = {LANDLOCK_ACCESS_FS_READ_FILE};
    return unheard(
        call, syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0), ENOSYS,
        "landlock_create_ruleset");
}

int32_t personality_once(const struct call *call)
{
    return unheard(call, personality(READ_IMPLIES_EXEC), ENOSYS, "personality(READ_IMPLIES_EXEC)");
}

/* ---- Identity ---- */

int32_t set_ids(const struct call *call)
{
    const gid_t group = 0;
    int32_t status = unheard(call, setuid(0), ENOSYS, "setuid(0)");
    status |= unheard(call, setgid(0), ENOSYS, "setgid(0)");
    status |= unheard(call, setreuid(0, 0), ENOSYS, "setreuid(0, 0)");
    status |= unheard(call, setgroups(1, &group), ENOSYS, "setgroups");
    return status;
}

/* All of them, for itself. */
int32_t capset_once(const struct call *call)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct all[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}};
    return unheard(call, syscall(SYS_capset, &header, all), ENOSYS, "capset");
}

/* ---- What keeps it bound to its host ---- */

/* To outlive the launcher, to be looked into, to take in orphans, to hide its arguments. */
int32_t prctl_once(const struct call *call)
{
    static const struct {
        int option;
        unsigned long argument;
        const char *name;
    } options[] = {
        {PR_SET_PDEATHSIG, 0, "PR_SET_PDEATHSIG"},
        {PR_SET_DUMPABLE, 1, "PR_SET_DUMPABLE"},
        {PR_SET_PTRACER, PR_SET_PTRACER_ANY, "PR_SET_PTRACER"},
        {PR_SET_CHILD_SUBREAPER, 1, "PR_SET_CHILD_SUBREAPER"},
        {PR_SET_THP_DISABLE, 0, "PR_SET_THP_DISABLE"},
        {PR_SET_KEEPCAPS, 1, "PR_SET_KEEPCAPS"},
        {PR_SET_MM, PR_SET_MM_ARG_START, "PR_SET_MM"},
    };
    int32_t status = 0;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        status |= forbidden(call, prctl(options[i].option, options[i].argument, 0, 0, 0),
                            "prctl(%s)", options[i].name);
    return status;
}

/* The signal of the refused system call, whose handler is the worker's. */
int32_t sigsys_handler(const struct call *call)
{
    const struct sigaction ignoring = {.sa_handler = SIG_IGN};
    return forbidden(call, sigaction(SIGSYS, &ignoring, NULL), "sigaction(SIGSYS)");
}

/* Who is signalled when something comes on the socket to the host; taken back if it works. */
int32_t descriptor_owner(const struct call *call)
{
    enum { PROTOCOL = 3 };
    const int status = fcntl(PROTOCOL, F_SETOWN, getppid());
    if (status == 0)
        fcntl(PROTOCOL, F_SETOWN, 0);
    return forbidden(call, status, "fcntl(F_SETOWN)");
}

/* As if typed by the user. */
int32_t terminal_input(const struct call *call)
{
    int32_t status = 0;
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        status |= unheard(
            call, ioctl(descriptor, TIOCSTI, "\n"), ENOSYS, "ioctl(%d, TIOCSTI)", descriptor);
    return status;
}

/* The launcher's priority, to what it is, and a scheduler that lets nobody else run. */
int32_t set_priority(const struct call *call)
{
    const struct sched_param first = {.sched_priority = 1};
    const int now = getpriority(PRIO_PROCESS, 0);
    int32_t status =
        forbidden(call, setpriority(PRIO_PROCESS, (id_t)getppid(), now), "setpriority");
    status |= forbidden(call, sched_setscheduler(0, SCHED_FIFO, &first), "sched_setscheduler");
    return status;
}
