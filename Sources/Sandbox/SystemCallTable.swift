/// The system calls a worker may make.
///
/// Left out on purpose, besides what docs/threat-model.md names: `setpriority`, which reaches every process of the user, the host's as well, and `openat2`, whose
/// mode lies in memory where no filter sees it.
///
/// Names that an architecture does not have are skipped. Everything not named here is ENOSYS, so
/// that libraries fall back.
enum SystemCallTable {
    static let allowed: [String] =
        memory + threads + signals + time + files + waiting + identity

    static let memory = ["brk", "munmap", "mprotect", "mincore", "msync", "membarrier"]

    static let threads = [
        "futex", "set_robust_list", "rseq", "set_tid_address", "gettid", "getpid", "exit",
        "exit_group", "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
        "sched_get_priority_max", "sched_get_priority_min", "getpriority", "restart_syscall",
        "sigaltstack", "getcpu",
    ]

    static let signals = [
        "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigpending",
        "pause",
    ]

    static let time = [
        "clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep",
        "times", "getrusage",
    ]

    static let files = [
        "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "preadv2", "pwritev",
        "pwritev2", "lseek", "close", "stat", "fstat", "lstat", "newfstatat",
        "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "chdir",
        "fchdir", "getdents64", "dup", "dup2", "dup3", "fsync", "fdatasync", "ftruncate",
        "fadvise64", "readahead", "rename", "renameat", "unlink", "unlinkat", "mkdir",
        "mkdirat", "rmdir", "symlink", "umask", "statfs", "fstatfs", "flock",
    ]

    static let waiting = [
        "poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait",
        "epoll_pwait", "eventfd2", "timerfd_create", "timerfd_settime", "timerfd_gettime",
    ]

    static let identity = [
        "uname", "sysinfo", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid",
        "getgroups", "getppid", "getpgrp", "getpgid", "getsid", "getrlimit", "setrlimit",
        "getrandom",
    ]

    /// Calls that end the run as a violation of policy.
    static let trapped = [
        "fork", "vfork", "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev",
        "mount", "bpf", "perf_event_open", "io_uring_setup", "io_uring_enter",
        "io_uring_register", "userfaultfd", "keyctl",
    ]

    /// Calls that fail with EPERM while the plugin goes on.
    static let refused = [
        "socket", "socketpair", "connect", "pipe", "pipe2", "memfd_create", "memfd_secret",
        "setxattr", "lsetxattr", "fsetxattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr",
        "llistxattr", "flistxattr", "removexattr", "lremovexattr", "fremovexattr", "chown",
        "fchown", "lchown", "fchownat", "chmod", "fchmodat", "fchmodat2",
    ]
}

/// One comparison of a system call's argument with a number, as 64 bits.
struct ArgumentTest: Hashable {
    enum Comparison: Hashable {
        case equal
        case different
        case below
        case atMost

        /// The argument's bits in this mask equal the number.
        case masked(UInt64)
    }

    let argument: UInt32
    let comparison: Comparison
    let number: UInt64
}

/// What a system call is answered with when its arguments pass all tests.
struct ArgumentRule: Hashable {
    enum Answer: Hashable {
        case allow
        case trap
        case refuse

        /// As if it had been done.
        case ignore
    }

    let name: String
    let answer: Answer
    let tests: [ArgumentTest]

    init(
        _ name: String, _ argument: UInt32, _ comparison: ArgumentTest.Comparison,
        _ number: UInt64, _ answer: Answer = .allow
    ) {
        self.name = name
        self.answer = answer
        tests = [ArgumentTest(argument: argument, comparison: comparison, number: number)]
    }

    init(_ name: String, _ tests: [ArgumentTest], _ answer: Answer) {
        self.name = name
        self.answer = answer
        self.tests = tests
    }
}
