internal import ExtensionHost
internal import Sandbox
internal import WireProtocol

/// What a plugin may not do at all: processes, network, files, other processes, the kernel.
extension Catalogue {
    private static let refused = Expectation(.ok, attempts: .refused())

    /// Calls that the filter does not know.
    ///
    /// The kernel would do them, or refuse them otherwise.
    private static let unknown = Expectation(.ok, attempts: .refused("ENOSYS"))

    /// Calls that the filter refuses by name.
    private static let denied = Expectation(.ok, attempts: .refused("EPERM"))

    /// Techniques that a call ends, by what the sentence names: the calls that are trapped.
    private static func addTrapped(
        _ group: ConformanceGroup, _ calls: KeyValuePairs<String, String>,
        in places: [CasePlace] = [.entry], to list: inout CaseList
    ) {
        for (word, call) in calls {
            let ended = Expectation(.policyViolation, says: "called \(call)")
            list.add(group, word, ended, by: [[.seccomp]], in: places)
        }
    }

    static func addProcesses(to list: inout CaseList) {
        addTrapped(
            .processes,
            [
                "fork": "fork", "raw-fork": "clone", "vfork": "vfork", "system": "system",
                "posix-spawn": "posix_spawn", "exec": "execl",
            ], to: &list)
        // Its pipe is refused before it comes to a process.
        list.add(.processes, "popen", denied, by: [[.seccomp]])
        list.add(.processes, "clone3", unknown, by: [[.seccomp]])
        addTrapped(
            .processes, ["double-fork": "fork", "execveat": "execveat"], to: &list)
        list.add(.processes, "setsid", unknown, by: [[.seccomp]])
        addTrapped(.processes, ["catch-signals-and-fork": "fork"], to: &list)
        addTrapped(
            .processes, ["fork": "fork", "system": "system", "vfork": "vfork"],
            in: [.constructor], to: &list)
        addTrapped(.processes, ["fork": "fork"], in: [.finished, .failed, .pack], to: &list)
    }

    static func addNetwork(to list: inout CaseList) {
        list.add(.network, "socket", denied, by: [[.seccomp]], in: [.entry, .constructor])
        // A raw socket is EPERM by the kernel too, for want of a capability.
        list.add(
            .network,
            [
                "tcp", "udp", "unix-path", "unix-abstract", "netlink", "raw-socket", "socketpair",
            ], denied, by: [[.seccomp]])
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
            .fileSystem, "outside-utime", .outsideFolder, unknown, by: [[.seccomp]])
        list.add(
            .fileSystem, ["outside-chmod", "outside-chown", "outside-xattr"], denied,
            by: [[.seccomp]], argument: .outsideFolder)
        list.add(
            .fileSystem, ["own-chmod", "own-xattr"], denied, by: [[.seccomp]])
        list.add(.fileSystem, ["own-utime", "mknod", "mkfifo"], unknown, by: [[.seccomp]])
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
        for number in [6, 11, 15] {
            list.add(
                .signals, "full-queue-raise", .number(UInt64(number)), Expectation(.crash))
        }
        // Its handler returns, and the same happens again.
        list.add(
            .signals, "catch-signals-and-crash", Expectation(.crash, .wallTimeout),
            limits: list.limitsInHaste)
    }

    static func addOtherProcesses(to list: inout CaseList) {
        addTrapped(
            .otherProcesses,
            [
                "process-vm-readv": "process_vm_readv", "process-vm-writev": "process_vm_writev",
                "ptrace": "ptrace",
            ], to: &list)
        list.add(.otherProcesses, ["pidfd-getfd", "prlimit-other"], unknown, by: [[.seccomp]])
        list.add(
            .otherProcesses, "other-processes", refused, by: [[.landlock], [.pidNamespace]])
        list.add(.otherProcesses, ["parent-memory", "self-memory"], refused, by: [[.landlock]])
    }

    static func addKernel(to list: inout CaseList) {
        addTrapped(
            .kernel,
            [
                "mount": "mount", "bpf": "bpf", "perf": "perf_event_open",
                "userfaultfd": "userfaultfd", "io-uring": "io_uring_setup", "keyctl": "keyctl",
            ], to: &list)
        list.add(
            .kernel,
            [
                "add-key", "request-key", "umount", "pivot-root", "chroot", "unshare", "setns",
                "init-module", "reboot", "swapon", "set-time", "set-hostname",
            ], unknown, by: [[.seccomp]])
        list.add(.kernel, ["memfd", "memfd-secret"], denied, by: [[.seccomp]])
        // The kernel too knows no system call 100000.
        list.add(
            .kernel,
            [
                "open-by-handle", "fanotify", "inotify", "quotactl", "syslog", "acct",
                "more-filters", "landlock-ruleset", "unknown-call",
            ], unknown, by: [[.seccomp]])
        list.add(
            .kernel, ["ia32-call", "x32-call"], otherKinds, by: [[.seccomp]])
        list.add(.kernel, "personality", unknown, by: [[.seccomp]])
        list.add(.kernel, "prlimit-raise", refused, by: [[.rlimits]])
        list.add(.kernel, ["set-ids", "capset", "prctl"], unknown, by: [[.seccomp]])
        list.add(.kernel, "sigsys-handler", denied, by: [[.seccomp]])
        list.add(
            .kernel, ["descriptor-owner", "terminal-input", "set-priority"], unknown,
            by: [[.seccomp]])
        list.add(.kernel, "shm-open", refused, by: [[.landlock]])
        list.add(.kernel, "mprotect-text", denied, by: [[.sealing]])
    }

    /// Calls of another kind of program end the run; there are none on aarch64.
    private static var otherKinds: Expectation {
        #if arch(x86_64)
            Expectation(.policyViolation, says: "refused system call")
        #else
            unknown
        #endif
    }
}
