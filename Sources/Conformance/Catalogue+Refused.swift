internal import ExtensionHost
internal import Sandbox
internal import WireProtocol

/// What a plugin may not do at all: processes, network, files, other processes, the kernel.
extension Catalogue {
    private static let refused = Expectation(.ok, attempts: .refused())

    static func addProcesses(to list: inout CaseList) {
        let trapped = Expectation(.policyViolation)
        list.add(
            .processes,
            ["fork", "raw-fork", "vfork", "system", "posix-spawn", "exec"], trapped,
            by: [[.seccomp]])
        list.add(
            .processes, ["popen", "clone3", "double-fork", "execveat"],
            Expectation(.policyViolation, .ok), by: [[.seccomp]])
        list.add(.processes, "setsid", Expectation(.ok), by: [[.seccomp]])
        list.add(.processes, "catch-signals-and-fork", trapped, by: [[.seccomp]])
        list.add(
            .processes, ["fork", "system", "vfork"], trapped, by: [[.seccomp]],
            in: [.constructor])
        list.add(.processes, "fork", trapped, by: [[.seccomp]], in: [.finished, .failed, .pack])
    }

    static func addNetwork(to list: inout CaseList) {
        list.add(.network, "socket", refused, by: [[.seccomp]], in: [.entry, .constructor])
        list.add(
            .network,
            [
                "tcp", "udp", "unix-path", "unix-abstract", "netlink", "raw-socket", "socketpair",
            ], refused, by: [[.seccomp]])
    }

    static func addFileSystem(to list: inout CaseList) {
        let walls: [[SandboxLayer]] = [[.landlock, .mountNamespace]]
        // A mount namespace hides other folders than these.
        let confined: [[SandboxLayer]] = [[.landlock]]
        list.add(.fileSystem, "write-outside", refused, by: confined, in: [.entry, .constructor])
        list.add(.fileSystem, "read-outside", refused, by: confined)
        list.add(
            .fileSystem,
            [
                "outside-write", "outside-read", "outside-create", "outside-link",
                "outside-rename", "outside-symlink", "outside-truncate", "outside-unlink",
            ], refused, by: walls, argument: .outsideFolder)
        list.add(
            .fileSystem, "outside-dotdot", .outsideFolder, refused, by: confined)
        list.add(
            .fileSystem,
            ["outside-utime", "outside-chmod", "outside-chown", "outside-xattr"], refused,
            by: [[.seccomp]], argument: .outsideFolder)
        list.add(
            .fileSystem, ["own-chmod", "own-xattr", "own-utime"], Expectation(.ok),
            by: [[.seccomp]])
        list.add(.fileSystem, ["mknod", "mkfifo"], refused, by: [[.seccomp]])
        list.add(.fileSystem, ["manifest-write", "plugin-write"], refused, by: walls)
        list.add(
            .fileSystem, ["partial-folder", "container-root", "device-nodes"], refused,
            by: confined)
    }

    static func addSignals(to list: inout CaseList) {
        list.add(
            .signals,
            ["kill-parent", "kill-all", "tgkill-other", "sigqueue-other", "pidfd-signal"],
            refused, by: [[.seccomp]])
        for number in [1, 2, 5, 10, 11, 14, 15, 0] {
            list.add(.signals, "raise", .number(UInt64(number)), Expectation(.crash))
        }
        var short = list.limits
        short.wall = .milliseconds(600)
        // Its handler returns, and the same happens again.
        list.add(
            .signals, "catch-signals-and-crash", Expectation(.crash, .wallTimeout), limits: short)
    }

    static func addOtherProcesses(to list: inout CaseList) {
        list.add(
            .otherProcesses, ["process-vm-readv", "process-vm-writev", "ptrace"],
            Expectation(.policyViolation), by: [[.seccomp]])
        list.add(.otherProcesses, ["pidfd-getfd", "prlimit-other"], refused, by: [[.seccomp]])
        list.add(
            .otherProcesses, "other-processes", Expectation(.ok),
            by: [[.landlock], [.pidNamespace]])
        list.add(.otherProcesses, ["parent-memory", "self-memory"], refused, by: [[.landlock]])
    }

    static func addKernel(to list: inout CaseList) {
        list.add(
            .kernel,
            [
                "mount", "bpf", "perf", "userfaultfd", "io-uring", "keyctl", "add-key",
                "request-key",
            ],
            Expectation(.policyViolation, .ok), by: [[.seccomp]])
        list.add(
            .kernel,
            [
                "umount", "pivot-root", "chroot", "unshare", "setns", "init-module", "reboot",
                "swapon", "set-time", "set-hostname", "memfd", "memfd-secret", "open-by-handle",
                "fanotify", "inotify", "quotactl", "syslog", "acct", "more-filters",
                "landlock-ruleset", "unknown-call",
                "ia32-call", "x32-call",
            ], Expectation(.ok, .policyViolation), by: [[.seccomp]])
        list.add(.kernel, "personality", refused, by: [[.seccomp]])
        list.add(.kernel, "prlimit-raise", refused, by: [[.rlimits]])
        list.add(.kernel, ["set-ids", "capset"], refused, by: [[.seccomp]])
        list.add(
            .kernel,
            ["prctl", "sigsys-handler", "descriptor-owner", "terminal-input", "set-priority"],
            refused, by: [[.seccomp]])
        list.add(.kernel, "shm-open", refused, by: [[.landlock]])
        list.add(.kernel, "mprotect-text", refused, by: [[.sealing]])
    }
}
