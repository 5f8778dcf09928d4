internal import Glibc
internal import LinuxSystem
internal import Sandbox
internal import WireProtocol

/// What a launcher says of one worker.
enum ProcessReport: Hashable, Sendable {
    case notStarted(SetupFailure)

    /// With the limit of the memory cgroup, if the kernel has ended it for that.
    case ended(ChildEnd, cgroupKill: UInt64?)

    /// The launcher has ended, and the kernel has ended its workers.
    case launcherEnded(ChildEnd, cgroupKill: UInt64?)
}

/// The host's end of one launcher: asks it for workers and passes on what it says of them.
final class Launcher {
    let plan: LauncherPlan
    let cgroup: LauncherCgroup
    private var child: ChildProcess
    private var connection: OwnedDescriptor?
    private var sessions: [UInt32: Listener] = [:]
    private var nextRun: UInt32 = 1
    private var isKilled = false
    private var room = [UInt8](repeating: 0, count: 65_536)

    /// When its last worker ended; nil while there is one.
    private(set) var idleSince: Instant?

    private struct Listener {
        weak var session: WorkerSession?
    }

    /// Starts the program.
    ///
    /// The kernel ends it when the calling thread ends.
    init(plan: LauncherPlan, cgroup: LauncherCgroup, now: Instant) throws(SystemError) {
        let pair = try DescriptorMessage.pair()
        let canBecomeOther = plan.identity.map { UserMap.has($0) } ?? false
        let isRoot = ProcessConfinement.user == 0 && canBecomeOther
        var (namespaces, refusal) = plan.namespaces(isRoot: isRoot)
        child = try Launcher.start(plan, pair.second.raw, &namespaces, &refusal, cgroup)
        connection = pair.take { ours, _ in ours }
        self.plan = plan
        self.cgroup = cgroup
        idleSince = now
        try Descriptor.setNonblocking(raw)
        do { try send(.prepare(plan.setup(namespaces, refusal))) } catch {
            // One that has ended already is noticed when it is asked for a worker.
            guard error.isPeerGone else { throw error }
        }
    }

    deinit {
        // Ended before its cgroup is removed.
        child.kill()
        _ = try? child.waitForEnd()
        cgroup.retire()
    }

    /// Goes without what the kernel refuses.
    private static func start(
        _ plan: LauncherPlan, _ connection: Int32, _ namespaces: inout NamespaceSet,
        _ refusal: inout String, _ cgroup: LauncherCgroup
    ) throws(SystemError) -> ChildProcess {
        while true {
            do throws(SystemError) {
                return try ChildProcess(
                    path: plan.workerPath, arguments: ["launcher"],
                    environment: plan.environment, descriptors: [nil, nil, nil, connection],
                    namespaces: namespaces, cgroup: cgroup.group)
            } catch let error where !namespaces.isEmpty && Launcher.isRefusal(error) {
                refusal = error.description
                namespaces = []
            } catch let error where cgroup.group != nil && error.call == "write" {
                cgroup.giveUp("its cgroup.procs: \(SystemError.message(for: error.code))")
            }
        }
    }

    /// True where the kernel does not give namespaces, false where it only lacks something now.
    ///
    /// `clone(2)`.
    private static func isRefusal(_ error: SystemError) -> Bool {
        ["clone", "capset"].contains(error.call)
            && [EPERM, EACCES, EINVAL, ENOSPC, EUSERS, ENOSYS].contains(error.code)
    }

    /// False once it has ended, or is about to.
    var isUsable: Bool { connection != nil && !isKilled }

    /// True when no session looks at it: it has none, or one was dropped.
    var isUnattended: Bool { sessions.isEmpty || sessions.values.contains { $0.session == nil } }

    /// Ends it without waiting for that.
    func kill() {
        isKilled = true
        child.kill()
    }

    /// The connection, for ``PollSet``; -1 once it is closed.
    var raw: Int32 {
        switch connection {
        case .some(let open): open.raw
        case .none: -1
        }
    }

    /// Asks for a worker, whose reports go to `session`; returns the run's number.
    ///
    /// - Throws: ``SystemError`` when the launcher has ended.
    func start(
        _ session: WorkerSession, _ descriptors: [Int32], _ share: CgroupBudget.Share
    ) throws(SystemError) -> UInt32 {
        let run = nextRun
        try cgroup.workerStarts(run, share)
        do throws(SystemError) {
            try send(.start(run: run), passing: descriptors)
        } catch {
            cgroup.workerEnded(run)
            if error.isPeerGone { finish() }
            throw error
        }
        nextRun &+= 1
        sessions[run] = Listener(session: session)
        idleSince = nil
        return run
    }

    /// No more reports of this run are wanted; its worker, should it come, is ended.
    func forget(_ run: UInt32) {
        sessions[run]?.session = nil
    }

    /// Reads what there is; never waits.
    func service(now: Instant) {
        while connection != nil {
            switch DescriptorMessage.receive(from: raw, into: &room) {
            case .message(let bytes, let descriptors):
                take(room[..<bytes], descriptors, now)
            case .wouldBlock: return
            case .ended, .failed: return finish()
            }
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>, _ descriptors: [Int32], _ now: Instant) {
        let passed = descriptors.map { PassedDescriptor($0) }
        guard let report = try? LauncherReport(Frame(message: bytes)) else { return finish() }
        switch report {
        case .started(let run):
            cgroup.workerStarted()
            guard let pidfd = passed.first?.take(),
                let process = try? ProcessHandle(adopting: pidfd)
            else { return }
            // Dropped, and so ended, when nobody waits for it any more.
            sessions[run]?.session?.started(process)
        case .notStarted(let run, let failure): end(run, .notStarted(failure), now)
        case .ended(let run, let end):
            let end = ChildEnd(
                exitCode: end.exitCode, signal: end.signal,
                cpuTime: .nanoseconds(end.cpuNanoseconds))
            let kill = end.signal == SIGKILL ? cgroup.takeKill() : nil
            self.end(run, .ended(end, cgroupKill: kill), now)
        case .failed(let failure):
            for run in sessions.keys { end(run, .notStarted(failure), now) }
            finish()
        }
    }

    private func end(_ run: UInt32, _ report: ProcessReport, _ now: Instant) {
        sessions.removeValue(forKey: run)?.session?.take(report)
        cgroup.workerEnded(run)
        if sessions.isEmpty { idleSince = now }
    }

    /// The connection is closed, or cannot be understood: no worker outlives its launcher.
    private func finish() {
        child.kill()
        connection = nil
        var end = ChildEnd(exitCode: nil, signal: nil, cpuTime: .zero)
        if let seen = try? child.waitForEnd() { end = seen }
        // Of several workers nobody knows whose doing it was.
        let kill = sessions.count == 1 ? cgroup.takeKill() : nil
        for listener in sessions.values {
            listener.session?.take(.launcherEnded(end, cgroupKill: kill))
        }
        sessions = [:]
        cgroup.retire()
    }

    private func send(
        _ request: LauncherRequest, passing descriptors: [Int32] = []
    ) throws(SystemError) {
        guard let bytes = try? request.frame().bytes else {
            throw SystemError(call: "sendmsg", subject: "launcher", code: EMSGSIZE)
        }
        try DescriptorMessage.send(bytes, passing: descriptors, over: raw)
    }
}

/// A descriptor that came with a message: closed unless somebody takes it.
private final class PassedDescriptor {
    private var descriptor: OwnedDescriptor?

    init(_ raw: Int32) {
        descriptor = OwnedDescriptor(adopting: raw)
    }

    func take() -> OwnedDescriptor? {
        descriptor.take()
    }
}

extension LauncherPlan {
    fileprivate func setup(_ namespaces: NamespaceSet, _ refusal: String) -> LauncherSetup {
        var setup = LauncherSetup()
        setup.isolation = isolation
        setup.absentLayers = absentLayers
        setup.runtimeFolders = runtimeFolders
        setup.identity = identity
        setup.namespaces = namespaces.rawValue
        setup.namespaceRefusal = refusal
        if namespaces.contains(.user) {
            let host = ProcessConfinement.userAndGroup
            setup.outsideUser = host.user
            setup.outsideGroup = host.group
        }
        return setup
    }
}
