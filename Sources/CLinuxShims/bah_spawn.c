#define _GNU_SOURCE
#include "bah_spawn.h"

#include "bah_capability.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { child_stack_bytes = 64 << 10 };

/* Shared with the child, which runs in this memory until it has become the program: vfork(2). */
struct start {
    const char *path;
    char *const *arguments;
    char *const *environment;
    const int *descriptors;
    size_t descriptor_count;
    int namespaces;
    int cgroup;
    int step;
    int error;
};

int bah_place_descriptors(const int *descriptors, size_t count)
{
    enum { most_descriptors = 32 };
    int moved[most_descriptors];
    if (count > most_descriptors) {
        return -EINVAL;
    }
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) {
        return -errno;
    }
    /* Above the targets, so that none is overwritten before its turn. */
    for (size_t i = 0; i < count; i++) {
        const int source = descriptors[i] >= 0 ? descriptors[i] : nothing;
        moved[i] = fcntl(source, F_DUPFD_CLOEXEC, (int)count);
        if (moved[i] < 0) {
            return -errno;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (dup2(moved[i], (int)i) < 0) {
            return -errno;
        }
    }
    return close_range((unsigned)count, ~0U, 0) == 0 ? 0 : -errno;
}

static int fail(struct start *start, int step, int error)
{
    start->step = step;
    start->error = error;
    return 127;
}

/* Only calls of signal-safety(7): other threads of the parent may hold any lock. */
static int become_program(void *argument)
{
    struct start *start = argument;
    struct sigaction standard = { .sa_handler = SIG_DFL };
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &standard, NULL);
    }
    if (start->namespaces & BAH_NEW_USER_NAMESPACE) {
        const int kept = bah_keep_capabilities();
        if (kept != 0) {
            return fail(start, BAH_SPAWN_CAPABILITIES, -kept);
        }
    }
    /* Before the descriptors are placed, and with the rights of whoever opened it: cgroups(7). */
    if (start->cgroup >= 0 && write(start->cgroup, "0", 1) != 1) {
        return fail(start, BAH_SPAWN_CGROUP, errno);
    }
    setsid();
    const int placed = bah_place_descriptors(start->descriptors, start->descriptor_count);
    if (placed != 0) {
        return fail(start, BAH_SPAWN_DESCRIPTORS, -placed);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->path, start->arguments, start->environment);
    return fail(start, BAH_SPAWN_PROGRAM, errno);
}

static int clone_flags(int namespaces)
{
    int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
    flags |= namespaces & BAH_NEW_USER_NAMESPACE ? CLONE_NEWUSER : 0;
    flags |= namespaces & BAH_NEW_PID_NAMESPACE ? CLONE_NEWPID : 0;
    flags |= namespaces & BAH_NEW_NETWORK_NAMESPACE ? CLONE_NEWNET : 0;
    flags |= namespaces & BAH_NEW_IPC_NAMESPACE ? CLONE_NEWIPC : 0;
    flags |= namespaces & BAH_NEW_MOUNT_NAMESPACE ? CLONE_NEWNS : 0;
    return flags;
}

/* Runs the child on a stack of its own with all signals blocked. */
static int run_child(struct start *start, int *pidfd)
{
    sigset_t all, before;
    char *stack = mmap(
        NULL, child_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK,
        -1, 0);
    if (stack == MAP_FAILED) {
        start->step = BAH_SPAWN_CLONE;
        return -errno;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int pid = clone(
        become_program, stack + child_stack_bytes, clone_flags(start->namespaces), start, pidfd);
    const int cloned = pid < 0 ? -errno : pid;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(stack, child_stack_bytes);
    if (cloned < 0) {
        start->step = BAH_SPAWN_CLONE;
        return cloned;
    }
    if (start->error == 0) {
        return cloned;
    }
    waitpid(pid, NULL, 0);
    close(*pidfd);
    *pidfd = -1;
    return -start->error;
}

int bah_spawn_program(
    const char *path, char *const *arguments, char *const *environment, const int *descriptors,
    size_t descriptor_count, int namespaces, int cgroup, int *pidfd, int *step)
{
    struct start start = {
        .path = path,
        .arguments = arguments,
        .environment = environment,
        .descriptors = descriptors,
        .descriptor_count = descriptor_count,
        .namespaces = namespaces,
        .cgroup = cgroup,
    };
    *pidfd = -1;
    const int result = run_child(&start, pidfd);
    *step = start.step;
    return result;
}
