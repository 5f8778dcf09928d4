package import LinuxSystem
package import WireProtocol

/// The supervisor of one worker as a pure state machine: events in, actions out, time handed in.
package struct WorkerState: Sendable {
    /// docs/extension-author.md.
    package static let hostCallBound = 100_000

    /// Calls without a reply yet; a worker has fewer threads than that.
    package static let awaitingBound = 256

    /// Budgets and bounds of one worker.
    package struct Terms: Hashable, Sendable {
        /// For each call; loading counts in the first.
        package var wallBudget = Duration.seconds(30)

        /// For each pack that `bahost_should_download` is asked about; never more than the wall
        /// budget.
        package var packBudget = Duration.seconds(1)
        package var setupTime = Duration.seconds(10)

        /// Between `bahost_will_terminate` and the kill.
        package var grace = Duration.milliseconds(500)

        /// For leaving after all replies are complete.
        package var shutdownTime = Duration.seconds(2)

        /// For reading what is left after the child's end.
        package var drainTime = Duration.seconds(1)

        /// For ending after the connection was closed.
        package var hangUpTime = Duration.seconds(1)
        package var limits = WorkerLimits()

        /// The worker reads the file and tells what it is; nothing is loaded or called.
        package var isInspection = false

        package init() {}
    }

    package enum Event: Sendable {
        case message(WorkerMessage, sequence: UInt32)
        case evidence(EvidenceRecord)
        case malformed(WireError)
        case streamEnded
        case sampled(ProcessMemory)

        /// Its first thread has ended and others live, so that its memory cannot be seen any more.
        case leaderless
        case childEnded(ChildEnd)
        case processNotStarted(SetupFailure)

        /// The kernel has ended the worker because its memory cgroup was full.
        case cgroupKill(limitBytes: UInt64)

        /// And the kernel has ended the worker with it.
        case launcherEnded(ChildEnd)

        /// Nothing more can come from any pipe or the socket.
        case outputEnded
        case tick

        /// Only when ``isIdle``; ignored otherwise.
        case call(EntryCall)
        case reply(HostReply, sequence: UInt32)
        case shutDown
        case terminate(TerminationReason)
    }

    package enum Action: Hashable, Sendable {
        case send(HostMessage, sequence: UInt32)

        /// The byte for the control pipe.
        case warn(UInt8)
        case kill

        /// The launcher does not tell of the worker's end: end it as well.
        case killLauncher

        /// Begin anew in a launcher with the Swift runtime.
        case restartWithRuntime
        case deliver(WorkerEvent)
    }

    enum Phase: Hashable, Sendable {
        case setup
        case loading
        case idle
        case calling(EntryPoint)

        /// Warned; the plugin has its grace.
        case terminating
        case shuttingDown
        case killed

        /// The child is gone, output may be left.
        case draining
        case done
    }

    let terms: Terms
    let judge: VerdictJudge
    let startedAt: Instant
    var phase = Phase.setup
    var place = RunPlace.setup
    var evidence = Evidence()
    var deadline: Instant?
    var hangUpDeadline: Instant?

    /// When plugin code came on the stack.
    var runningSince: Instant?
    var isFirstCall = true

    /// False once the worker has the Swift runtime.
    var mayNeedRuntime = true
    var loadTime = Duration.zero
    var pluginTime = Duration.zero
    var awaiting: Set<UInt32> = []
    var hostCalls = 0
    var log = LogTail()
    var peak = MemoryPeak()
    var ready: WorkerReady?
    var loaded: LoadedPlugin?
    var facts: PluginFacts?
    var lastStatus: Int32?

    /// What is asked, while packs are asked about.
    var asking: PackProgress?
    var endedAt: Instant?

    package init(terms: Terms, judge: VerdictJudge, now: Instant) {
        self.terms = terms
        self.judge = judge
        startedAt = now
        mayNeedRuntime = !terms.isInspection
        deadline = now + terms.setupTime
        evidence.wallBudget = terms.wallBudget
        evidence.packBudget = min(terms.packBudget, terms.wallBudget)
        evidence.limits = terms.limits
    }

    /// Loaded and nothing on the stack.
    package var isIdle: Bool { phase == .idle }
    package var isDone: Bool { phase == .done }

    /// Nothing of the plugin has run.
    package var isSettingUp: Bool { phase == .setup && place == .setup }

    /// The worker is to be ended as soon as there is one.
    package var wantsKill: Bool { phase == .killed || phase == .draining || phase == .done }

    /// A worker that cannot load the plugin is replaced by one of another launcher.
    package mutating func startAnew(needsRuntime: Bool, now: Instant) {
        deadline = now + terms.setupTime
        // The old worker's stream has ended, as it should.
        hangUpDeadline = nil
        mayNeedRuntime = needsRuntime
    }

    /// True while its memory is to be looked at: also between calls, for threads left behind.
    package var isSampled: Bool { ready != nil && evidence.end == nil && phase != .killed }

    /// When to send `.tick` at the latest.
    package var nextDeadline: Instant? {
        guard phase != .done else { return nil }
        switch (deadline, hangUpDeadline) {
        case (let first?, let second?): return min(first, second)
        case (let first, let second): return first ?? second
        }
    }

    package mutating func handle(_ event: Event, now: Instant) -> [Action] {
        guard phase != .done else { return [] }
        switch event {
        case .message(let message, let sequence): return take(message, sequence, now)
        case .evidence(let record):
            if record.kind == .processRefused {
                evidence.namedCall = record.text
            } else {
                note(.record(record))
                noteRefusal(record)
            }
        case .malformed(let error): return fail("sent a malformed frame: \(error)", now)
        case .streamEnded:
            guard phase != .draining, phase != .killed, hangUpDeadline == nil else { return [] }
            hangUpDeadline = now + terms.hangUpTime
        case .sampled(let memory): return take(memory, now)
        case .leaderless:
            guard phase != .killed, phase != .draining, !evidence.lostFirstThread else { return [] }
            evidence.lostFirstThread = true
            return [.kill]
        case .cgroupKill(let limit): note(.cgroupKill(limitBytes: limit))
        case .childEnded(let end): finishChild(end, now)
        case .processNotStarted(let failure):
            note(.setupFailed(failure))
            finishChild(ChildEnd(exitCode: nil, signal: nil, cpuTime: .zero), now)
        case .launcherEnded(let end):
            note(.launcherEnded(end))
            finishChild(ChildEnd(exitCode: nil, signal: nil, cpuTime: .zero), now)
        case .outputEnded: return phase == .draining ? finish() : []
        case .tick: return tick(now)
        case .call(let call): return begin(call, now)
        case .reply(let reply, let sequence):
            guard awaiting.remove(sequence) != nil, evidence.end == nil else { return [] }
            return [.send(.reply(reply), sequence: sequence)]
        case .shutDown: return shutDown(now)
        case .terminate(let reason): return terminate(reason, now)
        }
        return []
    }

    private mutating func take(_ memory: ProcessMemory, _ now: Instant) -> [Action] {
        peak.sample(memory)
        // Second line behind the kernel's limits: what gets past them ends here.
        if peak.sampledBytes > heldBound { return end(.memoryBudget, now) }
        // Threads made without the C library, where the kernel does not count them either.
        return memory.threads > max(2, terms.limits.threads) ? end(.threadBudget, now) : []
    }

    /// The most that may be held: the promise, and the printed reserve.
    private var heldBound: UInt64 {
        let promise = MemoryPromise.bytes(limit: terms.limits.memoryBytes) ?? .max
        let (sum, overflow) = promise.addingReportingOverflow(ready?.reserveBytes ?? 0)
        return overflow ? .max : sum
    }

    /// At a refused allocation the kernel's own count is the best that is left of the peak.
    private mutating func noteRefusal(_ record: EvidenceRecord) {
        let limit = evidence.limits.memoryBytes
        guard record.kind == .memoryRefused, record.leftBytes <= limit else { return }
        peak.count(limit - record.leftBytes)
    }

    /// Requests thrown away because of a negative reply; only words depend on it.
    package mutating func noteDiscarded(_ count: Int) {
        evidence.discardedRequests += count
    }

    mutating func note(_ cause: Cause) {
        guard evidence.causes.count < 16 else { return }
        evidence.causes.append(SeenCause(cause, at: place))
    }
}
