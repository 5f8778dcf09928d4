// Techniques that start something.
#include "hostile.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_clone3
#define SYS_clone3 -1
#endif

/* A child would outlive the run. */
static int32_t after_fork(const struct call *call, const char *name, long child)
{
    while (child == 0)
        pause();
    return forbidden(call, child, "%s", name);
}

int32_t fork_once(const struct call *call)
{
    return after_fork(call, "fork", fork());
}

/* Past any wrapper of fork. */
int32_t raw_fork(const struct call *call)
{
    return after_fork(call, "clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

/* Its flags lie in memory, where no filter sees them. */
int32_t clone3_once(const struct call *call)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    return after_fork(call, "clone3", syscall(SYS_clone3, &arguments, sizeof arguments));
}

int32_t vfork_once(const struct call *call)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    return after_fork(call, "vfork", child);
}

/* The grandchild has nobody that waits for it. */
int32_t double_fork(const struct call *call)
{
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        while (fork() == 0)
            pause();
        _exit(0);
    }
    return forbidden(call, child, "fork of a fork");
}

int32_t popen_once(const struct call *call)
{
    FILE *stream = popen("sleep 300 & echo started", "r");
    const int32_t status = unheard(call, stream != NULL ? 0 : -1, EPERM, "popen");
    if (stream != NULL)
        pclose(stream);
    return status;
}

int32_t system_once(const struct call *call)
{
    return forbidden(call, system("sleep 300 &") == 0 ? 0 : -1, "system");
}

int32_t spawn_once(const struct call *call)
{
    char *const arguments[] = {"sleep", "300", NULL}, *const environment[] = {NULL};
    pid_t child = 0;
    errno = posix_spawn(&child, "/bin/sleep", NULL, NULL, arguments, environment);
    return forbidden(call, errno == 0 ? 0 : -1, "posix_spawn");
}

int32_t exec_once(const struct call *call)
{
    return forbidden(call, execl("/bin/true", "true", (char *)NULL), "execve");
}

int32_t execveat_once(const struct call *call)
{
    char *const none[] = {NULL};
    const int program = open("/bin/true", O_PATH | O_CLOEXEC);
    return unheard(
        call, syscall(SYS_execveat, program, "", none, none, AT_EMPTY_PATH), ENOSYS, "execveat");
}

/* Out of the session, and so out of reach of who signals it. */
int32_t setsid_once(const struct call *call)
{
    return unheard(call, setsid(), ENOSYS, "setsid");
}

int32_t ptrace_once(const struct call *call)
{
    return forbidden(call, ptrace(PTRACE_TRACEME, 0, NULL, NULL), "ptrace");
}

/* Its own handlers first, so that the evidence of what follows is its own to hide. */
int32_t catch_signals_and_fork(const struct call *call)
{
    catch_all_signals();
    return fork_once(call);
}

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int32_t thread_flood(const struct call *call)
{
    enum { MOST = 100000 };
    int threads = 0;
    for (errno = 0; errno == 0 && threads < MOST; threads++) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, wait_for_ever, NULL);
    }
    return forbidden(call, errno == 0 ? 0 : -1, "pthread_create of thread %d", threads);
}
