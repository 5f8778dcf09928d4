internal import Glibc

extension SystemCallTable {
    /// Calls that are judged by an argument.
    ///
    /// What no rule names is ENOSYS.
    ///
    /// The whole 64 bits are compared, while the kernel looks at 32 of most of these arguments:
    /// each rule therefore allows exact values, and never "all but".
    ///
    /// - Parameters:
    ///   - process: The only one that may be signalled.
    ///   - keepsMetadata: True where modes and times of files that can only be read could be changed
    ///     through a descriptor, because no mount forbids it: such a change is taken without effect.
    /// - Returns: In no order; no two of them match one call.
    static func rules(process: Int32, keepsMetadata: Bool) -> [ArgumentRule] {
        mapping + signalling(process: process) + threadsByFlags + modes(keepsMetadata) + controls
            + [
                // Only by descriptor: futimens(3).
                ArgumentRule("utimensat", 1, .equal, 0, keepsMetadata ? .ignore : .allow)
            ]
    }

    /// Private maps of any kind, shared maps of files only.
    ///
    /// Never MAP_GROWSDOWN, MAP_HUGETLB, MAP_LOCKED, MAP_DROPPABLE. mmap(2).
    private static var mapping: [ArgumentRule] {
        var plain: UInt64 = 0x10 | 0x10_0000 | 0x800 | 0x4000 | 0x2_0000 | 0x8000 | 0x1_0000
        plain |= 0x1000  // FIXED FIXED_NOREPLACE DENYWRITE NORESERVE STACK POPULATE NONBLOCK EXEC.
        #if arch(x86_64)
            plain |= 0x40  // MAP_32BIT
        #endif
        let anonymous: UInt64 = 0x20
        // WILLNEED DONTNEED FREE: madvise(2). The others change what a map is, and where they split
        // one, the kernel keeps two: the fence could be cut into as many as the system allows.
        let advice: [UInt64] = [3, 4, 8]
        // NORMAL RANDOM SEQUENTIAL NOHUGEPAGE DONTDUMP: taken without effect.
        let advisory: [UInt64] = [0, 1, 2, 15, 16]
        return [
            ArgumentRule("mmap", 3, .masked(~(plain | anonymous)), 2),
            ArgumentRule("mmap", 3, .masked(~plain), 1),
            ArgumentRule("mremap", 3, .atMost, 1),
        ]
            + advice.map { ArgumentRule("madvise", 2, .equal, $0) }
            + advisory.map { ArgumentRule("madvise", 2, .equal, $0, .ignore) }
    }

    /// Every signal's action but that of SIGSYS (31), which is ours; signals to ourselves only.
    ///
    /// SIGKILL and the stopping signals are refused: the first process of a PID namespace does not
    /// get them from itself, and what a plugin comes to must not depend on that. pid_namespaces(7).
    private static func signalling(process: Int32) -> [ArgumentRule] {
        [
            ArgumentRule("rt_sigaction", 0, .below, 31),
            ArgumentRule("rt_sigaction", 0, .masked(~31), 32),
            ArgumentRule("rt_sigaction", 0, .equal, 64),
            ArgumentRule("rt_sigaction", 0, .equal, 31, .refuse),
        ]
            + signalsToItself.map { tgkill(process, .masked(~$0.low), $0.high, .allow) }
            + [9, 19, 20, 21, 22].map { tgkill(process, .equal, $0, .refuse) }
    }

    /// 0 to 8, 10 to 18 and 23 to 64: each pair stands for the numbers of `high` with any bits of
    /// `low`.
    private static var signalsToItself: [(high: UInt64, low: UInt64)] {
        [
            (0, 7), (8, 0), (10, 1), (12, 3), (16, 1), (18, 0), (23, 0), (24, 7), (32, 31), (64, 0),
        ]
    }

    private static func tgkill(
        _ process: Int32, _ comparison: ArgumentTest.Comparison, _ signal: UInt64,
        _ answer: ArgumentRule.Answer
    ) -> ArgumentRule {
        let itself = UInt64(bitPattern: Int64(process))
        return ArgumentRule(
            "tgkill",
            [
                ArgumentTest(argument: 0, comparison: .equal, number: itself),
                ArgumentTest(argument: 2, comparison: comparison, number: signal),
            ], answer)
    }

    /// Exactly the flags of pthread_create(3) in glibc; clone3 is ENOSYS, and glibc then uses clone.
    private static var threadsByFlags: [ArgumentRule] {
        [
            ArgumentRule("clone", 0, .equal, 0x3d_0f00),
            ArgumentRule("clone", 0, .different, 0x3d_0f00, .trap),
        ]
    }

    /// No file with a set-user-ID, set-group-ID or sticky bit.
    ///
    /// The mode of an open counts only with O_CREAT or O_TMPFILE; any value may stand there
    /// otherwise. `mkdir` needs no rule: the kernel drops the two ID bits itself. open(2), mkdir(2).
    private static func modes(_ keepsMetadata: Bool) -> [ArgumentRule] {
        let special: UInt64 = 0o7000
        let making = UInt64(O_CREAT) | 0o20_000_000  // The latter is O_TMPFILE's own bit.
        return [
            ArgumentRule("fchmod", 1, .masked(special), 0, keepsMetadata ? .ignore : .allow),
            ArgumentRule("creat", 1, .masked(special), 0),
            ArgumentRule("open", 1, .masked(making), 0),
            ArgumentRule("open", 2, .masked(special), 0),
            ArgumentRule("openat", 2, .masked(making), 0),
            ArgumentRule("openat", 3, .masked(special), 0),
        ]
            + [0o1000, 0o2000, 0o4000].map {
                ArgumentRule("fchmod", 1, .masked($0), $0, .refuse)
            }
    }

    private static var controls: [ArgumentRule] {
        let prctl: [UInt64] = [15, 16, 3]  // SET_NAME GET_NAME GET_DUMPABLE
        let fcntl: [UInt64] = [0, 1030, 1, 2, 3, 4]  // DUPFD DUPFD_CLOEXEC GETFD SETFD GETFL SETFL
        // TCGETS TIOCGWINSZ FIONREAD FIONBIO FIOCLEX: ioctl_tty(2), ioctl(2).
        let ioctl: [UInt64] = [0x5401, 0x5413, 0x541b, 0x5421, 0x5451]
        return prctl.map { ArgumentRule("prctl", 0, .equal, $0) }
            + fcntl.map { ArgumentRule("fcntl", 1, .equal, $0) }
            + ioctl.map { ArgumentRule("ioctl", 1, .equal, $0) }
            + [
                ArgumentRule("prlimit64", 0, .equal, 0),
                // Never CLOSE_RANGE_UNSHARE, which gives a thread descriptors of its own, past the
                // limit on open files. close_range(2).
                ArgumentRule("close_range", 2, .equal, 0),
                ArgumentRule("close_range", 2, .equal, 4),
                // Plain, NOREPLACE, EXCHANGE; WHITEOUT leaves a device. rename(2).
                ArgumentRule("renameat2", 4, .atMost, 2),
            ]
    }
}
