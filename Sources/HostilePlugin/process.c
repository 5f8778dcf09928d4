// Techniques that start something, or reach for another process or the network.
#include "hostile.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A child that would outlive the run. */
static int32_t after_fork(const struct call *call, const char *name, pid_t child)
{
    while (child == 0)
        pause();
    say(call, "%s: %s", name, child < 0 ? strerror(errno) : "there is a child");
    return child < 0 ? -errno : 0;
}

int32_t fork_once(const struct call *call)
{
    return after_fork(call, "fork", fork());
}

/* Past any wrapper of fork. */
int32_t raw_fork(const struct call *call)
{
    return after_fork(call, "raw fork", (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

int32_t vfork_once(const struct call *call)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    return after_fork(call, "vfork", child);
}

int32_t popen_once(const struct call *call)
{
    FILE *stream = popen("sleep 300 & echo started", "r");
    say(call, "popen: %s", stream == NULL ? strerror(errno) : "started");
    if (stream == NULL)
        return -errno;
    pclose(stream);
    return 0;
}

int32_t system_once(const struct call *call)
{
    int status = system("sleep 300 &");
    say(call, "system: %d", status);
    return status == 0 ? 0 : -1;
}

int32_t spawn_once(const struct call *call)
{
    char *const arguments[] = {"sleep", "300", NULL}, *const environment[] = {NULL};
    pid_t child = 0;
    int status = posix_spawn(&child, "/bin/sleep", NULL, NULL, arguments, environment);
    say(call, "posix_spawn: %s", strerror(status));
    return -status;
}

int32_t exec_once(const struct call *call)
{
    execl("/bin/true", "true", (char *)NULL);
    say(call, "exec: %m");
    return -errno;
}

int32_t ptrace_once(const struct call *call)
{
    long status = ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    say(call, "ptrace: %s", status == 0 ? "done" : strerror(errno));
    return status == 0 ? 0 : -errno;
}

int32_t mount_once(const struct call *call)
{
    int status = mount("none", container(call), "tmpfs", 0, NULL);
    say(call, "mount: %s", status == 0 ? "done" : strerror(errno));
    return status == 0 ? 0 : -errno;
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
    int status = 0, threads = 0;
    for (; status == 0 && threads < 100000; threads++) {
        pthread_t thread;
        status = pthread_create(&thread, NULL, wait_for_ever, NULL);
    }
    say(call, "thread %d: %s", threads, strerror(status));
    return -status;
}

int32_t kill_parent(const struct call *call)
{
    pid_t parent = getppid(); // 0 in a PID namespace: not to be seen, and kill(0) is its own group
    int status = parent > 1 ? kill(parent, SIGKILL) : -1;
    say(call, "kill of parent %d: %s", parent, status == 0 ? "done" : "not possible");
    return status == 0 ? -1 : 0;
}

int32_t socket_once(const struct call *call)
{
    static const int families[] = {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        int descriptor = socket(families[i], SOCK_STREAM | SOCK_CLOEXEC, 0);
        say(call, "socket of family %d: %s", families[i],
            descriptor < 0 ? strerror(errno) : "opened");
        if (descriptor >= 0)
            close(descriptor);
    }
    return 0;
}
