#define _GNU_SOURCE
#include "bah_signal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fill_stop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

int bah_open_stop_signals(void)
{
    sigset_t set;
    fill_stop_signals(&set);
    const int status = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (status != 0) {
        return -status;
    }
    const int descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return descriptor >= 0 ? descriptor : -errno;
}

int bah_read_stop_signal(int descriptor)
{
    struct signalfd_siginfo info;
    const ssize_t count = read(descriptor, &info, sizeof info);
    if (count == (ssize_t)sizeof info) {
        return (int)info.ssi_signo;
    }
    return count < 0 && errno != EAGAIN ? -errno : 0;
}

int bah_ignore_broken_pipes(void)
{
    return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -errno : 0;
}

int bah_reset_stop_signals(void)
{
    sigset_t set;
    fill_stop_signals(&set);
    return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int bah_open_process(int pid)
{
    const int descriptor = pidfd_open(pid, 0);
    return descriptor >= 0 ? descriptor : -errno;
}

int bah_signal_process(int pidfd, int number)
{
    return pidfd_send_signal(pidfd, number, NULL, 0) == 0 ? 0 : -errno;
}

int bah_reap_child(int pidfd, int waits, struct bah_child_end *end)
{
    siginfo_t info;
    struct rusage usage;
    memset(&info, 0, sizeof info);
    memset(&usage, 0, sizeof usage);
    memset(end, 0, sizeof *end);
    end->exit_code = -1;
    /* The system call, unlike the library's function, also tells the child's CPU time. */
    long status;
    do {
        status = syscall(
            SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | (waits ? 0 : WNOHANG), &usage);
    } while (status != 0 && errno == EINTR);
    if (status != 0) {
        return -errno;
    }
    if (info.si_pid == 0) {
        return 0;
    }
    end->has_ended = 1;
    if (info.si_code == CLD_EXITED) {
        end->exit_code = info.si_status;
    } else {
        end->signal = info.si_status;
    }
    end->cpu_time_us = (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
                       + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    return 0;
}
