/* The worker's system call filter, built as Sources/Sandbox/SystemCallFilter.swift builds it. */
#define _GNU_SOURCE
#include "floor.h"

#include "bah_seccomp.h"
#if __has_include("bah_seal.h")
#include "bah_seal.h"
#endif

#include <errno.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const allowed[] = {
    "brk", "munmap", "mprotect", "mincore", "msync", "membarrier", "futex", "set_robust_list",
    "rseq", "set_tid_address", "gettid", "getpid", "exit", "exit_group", "sched_yield",
    "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
    "sched_get_priority_min", "getpriority", "restart_syscall", "sigaltstack", "getcpu",
    "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigpending", "pause",
    "clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep",
    "times", "getrusage", "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv",
    "preadv2", "pwritev", "pwritev2", "lseek", "close", "close_range", "stat", "fstat", "lstat",
    "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd",
    "chdir", "fchdir", "getdents64", "dup", "dup2", "dup3", "fsync", "fdatasync", "ftruncate",
    "fadvise64", "readahead", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir",
    "mkdirat", "rmdir", "symlink", "umask", "statfs", "fstatfs", "flock", "poll", "ppoll",
    "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2",
    "timerfd_create", "timerfd_settime", "timerfd_gettime", "uname", "sysinfo", "getuid",
    "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "getppid", "getpgrp",
    "getpgid", "getsid", "getrlimit", "setrlimit", "getrandom",
};

static const char *const trapped[] = {
    "fork", "vfork", "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev",
    "mount", "bpf", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "userfaultfd", "keyctl",
};

static const char *const refused[] = {
    "socket", "socketpair", "connect", "pipe", "pipe2", "memfd_create", "memfd_secret",
    "setxattr", "lsetxattr", "fsetxattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr",
    "llistxattr", "flistxattr", "removexattr", "lremovexattr", "fremovexattr", "chown", "fchown",
    "lchown", "fchownat", "chmod", "fchmodat", "fchmodat2",
};

/* Calls judged by one argument: the same number of comparisons as the real table, about 60. */
static const struct rule {
    const char *name;
    struct scmp_arg_cmp test;
} rules[] = {
    { "mmap", { 3, SCMP_CMP_MASKED_EQ, ~UINT64_C(0x13f872), 2 } },
    { "mmap", { 3, SCMP_CMP_MASKED_EQ, ~UINT64_C(0x13f850), 1 } },
    { "mremap", { 3, SCMP_CMP_LE, 1, 0 } },
    { "rt_sigaction", { 0, SCMP_CMP_LT, 31, 0 } },
    { "rt_sigaction", { 0, SCMP_CMP_MASKED_EQ, ~UINT64_C(31), 32 } },
    { "rt_sigaction", { 0, SCMP_CMP_EQ, 64, 0 } },
    { "clone", { 0, SCMP_CMP_EQ, 0x3d0f00, 0 } },
    { "fchmod", { 1, SCMP_CMP_MASKED_EQ, 07000, 0 } },
    { "open", { 1, SCMP_CMP_MASKED_EQ, 020000100, 0 } },
    { "open", { 2, SCMP_CMP_MASKED_EQ, 07000, 0 } },
    { "openat", { 2, SCMP_CMP_MASKED_EQ, 020000100, 0 } },
    { "openat", { 3, SCMP_CMP_MASKED_EQ, 07000, 0 } },
    { "prlimit64", { 0, SCMP_CMP_EQ, 0, 0 } },
    { "utimensat", { 1, SCMP_CMP_EQ, 0, 0 } },
};

static const struct values {
    const char *name;
    unsigned argument;
    uint64_t numbers[12];
    size_t count;
} values[] = {
    { "madvise", 2, { 0, 1, 2, 3, 4, 8, 15, 16 }, 8 },
    { "tgkill", 2, { 6, 10, 11, 12, 15, 23, 25, 30, 32, 33, 34, 64 }, 12 },
    { "prctl", 0, { 15, 16, 3 }, 3 },
    { "fcntl", 1, { 0, 1030, 1, 2, 3, 4 }, 6 },
    { "ioctl", 1, { 0x5401, 0x5413, 0x541b, 0x5421, 0x5451 }, 5 },
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int add_names(
    scmp_filter_ctx filter, uint32_t action, const char *const *names, size_t count)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        const int number = seccomp_syscall_resolve_name(names[i]);
        /* Not every architecture has every name. */
        status = number >= 0 ? seccomp_rule_add_array(filter, action, number, 0, NULL) : 0;
    }
    return status;
}

static int add_test(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp test)
{
    const int number = seccomp_syscall_resolve_name(name);
    return number >= 0 ? seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1, &test) : 0;
}

static int add_tests(scmp_filter_ctx filter)
{
    int status = 0;
    for (size_t i = 0; i < COUNT(rules) && status == 0; i++) {
        status = add_test(filter, rules[i].name, rules[i].test);
    }
    for (size_t i = 0; i < COUNT(values); i++) {
        for (size_t j = 0; j < values[i].count && status == 0; j++) {
            const struct scmp_arg_cmp test = {
                values[i].argument, SCMP_CMP_EQ, values[i].numbers[j], 0,
            };
            status = add_test(filter, values[i].name, test);
        }
    }
    return status;
}

static void *export_filter(scmp_filter_ctx filter, size_t *bytes)
{
    enum { room_bytes = 32 << 10 };
    const int file = bah_open_memory_file("filter");
    void *room = malloc(room_bytes);
    if (file < 0 || room == NULL || seccomp_export_bpf(filter, file) != 0) {
        free(room);
        return NULL;
    }
    const ssize_t count = pread(file, room, room_bytes, 0);
    close(file);
    *bytes = count > 0 ? (size_t)count : 0;
    return room;
}

void *floor_build_filter(size_t *bytes)
{
    void *program = NULL;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (filter == NULL) {
        return NULL;
    }
    int status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    status = status != 0 ? status : add_names(filter, SCMP_ACT_ALLOW, allowed, COUNT(allowed));
    status = status != 0 ? status : add_names(filter, SCMP_ACT_TRAP, trapped, COUNT(trapped));
    status =
        status != 0 ? status : add_names(filter, SCMP_ACT_ERRNO(EPERM), refused, COUNT(refused));
    status = status != 0 ? status : add_tests(filter);
#if __has_include("bah_seal.h")
    /* By number: Debian 12's libseccomp does not know the name. */
    const int seal = bah_seal_call_number();
    status = status != 0 ? status : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, seal, 0, NULL);
#endif
    if (status == 0) {
        program = export_filter(filter, bytes);
    }
    seccomp_release(filter);
    return program;
}
