internal import CLinuxShims
internal import Glibc

/// How a child ended.
///
/// `waitid(2)`.
package struct ChildEnd: Hashable, Sendable {
    /// The exit status, or nil when a signal ended it.
    package let exitCode: Int32?

    /// The signal, or nil when it exited.
    package let signal: Int32?

    /// User and system time of the child and of what it waited for.
    package let cpuTime: Duration

    package init(exitCode: Int32?, signal: Int32?, cpuTime: Duration) {
        self.exitCode = exitCode
        self.signal = signal
        self.cpuTime = cpuTime
    }

    /// Of one that was killed, as far as it is known before anybody has waited for it.
    package static let killed = ChildEnd(exitCode: nil, signal: SIGKILL, cpuTime: .zero)
}

/// A started program, held by its pidfd, killed and reaped when its owner is done with it.
package struct ChildProcess: ~Copyable {
    package let pid: Int32
    private let pidfd: OwnedDescriptor
    private var end: ChildEnd?

    /// Starts a program in a session of its own, and in new namespaces if wanted.
    ///
    /// `clone(2)`, `namespaces(7)`. In a user namespace the program has to write its maps, by
    /// ``ProcessNamespaces/mapUser(inside:outside:)``.
    ///
    /// - Parameters:
    ///   - path: Absolute path of the program.
    ///   - arguments: Without the program's name, which becomes the first argument.
    ///   - environment: Exactly this, `NAME=value` each.
    ///   - descriptors: Element i becomes descriptor i; nil is /dev/null. Everything else is closed.
    ///   - namespaces: New ones.
    ///   - cgroup: What it joins before it runs.
    /// - Throws: ``SystemError`` when the program cannot be started; the call `clone` or `capset` says that the namespaces are refused,
    ///   `write` that the cgroup is.
    package init(
        path: String, arguments: [String], environment: [String], descriptors: [Int32?],
        namespaces: NamespaceSet = [], cgroup: MemoryCgroup? = nil
    ) throws(SystemError) {
        let numbers = descriptors.map { $0 ?? -1 }
        var descriptor: Int32 = -1
        var step: Int32 = 0
        let started = unsafe CStringArray.with([path] + arguments) { argv in
            unsafe CStringArray.with(environment) { envp in
                unsafe bah_spawn_program(
                    path, argv, envp, numbers, numbers.count, namespaces.rawValue,
                    cgroup?.membership ?? -1, &descriptor, &step)
            }
        }
        let call =
            switch UInt32(bitPattern: step) {
            case BAH_SPAWN_CAPABILITIES.rawValue: "capset"
            case BAH_SPAWN_CGROUP.rawValue: "write"
            case BAH_SPAWN_DESCRIPTORS.rawValue: "dup2"
            case BAH_SPAWN_PROGRAM.rawValue: "execve"
            default: "clone"
            }
        pid = try SystemError.check(started, call, path)
        pidfd = OwnedDescriptor(adopting: descriptor)
    }

    /// Takes over a child of this process that runs already.
    package init(adopting number: Int32) throws(SystemError) {
        let descriptor = bah_open_process(number)
        guard descriptor >= 0 else {
            // Not reachable by a descriptor: end it by number while it is still unreaped.
            _ = Glibc.kill(number, SIGKILL)
            _ = waitpid(number, nil, 0)
            throw SystemError(call: "pidfd_open", subject: "process \(number)", code: -descriptor)
        }
        pid = number
        pidfd = OwnedDescriptor(adopting: descriptor)
    }

    deinit {
        guard end == nil else { return }
        var ended = bah_child_end()
        _ = bah_signal_process(pidfd.raw, SIGKILL)
        unsafe _ = bah_reap_child(pidfd.raw, 1, &ended)
    }

    /// Readable once the child has ended; for ``PollSet``.
    package var descriptor: Int32 { pidfd.raw }

    /// Sends a signal; false when the child is gone.
    ///
    /// `pidfd_send_signal(2)`.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        end == nil && bah_signal_process(pidfd.raw, number) == 0
    }

    package func kill() {
        signal(SIGKILL)
    }

    /// Reaps the child if it has ended; nil while it runs.
    ///
    /// Never waits.
    package mutating func reap() throws(SystemError) -> ChildEnd? {
        if let end { return end }
        var ended = bah_child_end()
        try SystemError.check(
            unsafe bah_reap_child(pidfd.raw, 0, &ended), "waitid", "process \(pid)")
        guard ended.has_ended != 0 else { return nil }
        return take(ended)
    }

    /// Waits for the child's end; only for one that was killed.
    package mutating func waitForEnd() throws(SystemError) -> ChildEnd {
        if let end { return end }
        var ended = bah_child_end()
        try SystemError.check(
            unsafe bah_reap_child(pidfd.raw, 1, &ended), "waitid", "process \(pid)")
        return take(ended)
    }

    private mutating func take(_ ended: bah_child_end) -> ChildEnd {
        let result = ChildEnd(
            exitCode: ended.signal == 0 ? ended.exit_code : nil,
            signal: ended.signal == 0 ? nil : ended.signal,
            cpuTime: .microseconds(ended.cpu_time_us))
        end = result
        return result
    }
}

/// A NULL-ended array of C strings for the length of one call.
enum CStringArray {
    static func with<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let room = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
            capacity: strings.count + 1)
        // SAFETY: count + 1 places are initialised here, freed once below, and lent to the body only.
        for (place, text) in strings.enumerated() {
            unsafe (room + place).initialize(to: strdup(text))
        }
        unsafe (room + strings.count).initialize(to: nil)
        defer {
            for place in strings.indices { unsafe free(room[place]) }
            unsafe room.deallocate()
        }
        return unsafe body(UnsafePointer(room))
    }
}
