internal import Glibc
package import LinuxSystem
internal import Sandbox
package import WireProtocol

/// One worker, from its start to its end, driven by one thread's poll loop.
///
/// The loop: `register(in:)`, wait until ``nextDeadline`` at the latest, `service(_:now:)`; after
/// the event `ended` nothing is left open. Dropping a session kills and reaps its child.
package final class WorkerSession {
    var channels: WorkerChannels?
    var state: WorkerState
    var reader = FrameReader()
    var collector = EvidenceCollector()
    var outputLines = OutputLines()
    var errorLines = OutputLines()

    var lastWords = LastWords()
    var room = [UInt8](repeating: 0, count: 65_536)
    private let plan: WorkerPlan
    private let pool: LauncherPool
    private var launcher: Launcher?
    private var run: UInt32 = 0

    /// Nil before the launcher has told of it, and after its end.
    private var process: ProcessHandle?

    /// What the launcher has said and ``service(_:now:)`` has not taken in yet.
    private var reports: [ProcessReport] = []

    /// Set while the old channels are still being read.
    private var needsRestart = false

    /// Starts left, should the launcher end before it has forked.
    private var retries = 1
    private let setupFrame: [UInt8]
    private var outgoing: [UInt8] = []
    private var outgoingStart = 0
    private var nextSample: Instant?

    init(plan: WorkerPlan, pool: LauncherPool, now: Instant) throws(ExtensionHostError) {
        StopSignals.ignoreBrokenPipes()
        guard let frame = try? HostMessage.setup(plan.setup).frame() else {
            throw ExtensionHostError(.messageTooLong, subject: "the worker's set-up")
        }
        self.plan = plan
        self.pool = pool
        setupFrame = frame.bytes
        state = WorkerState(terms: plan.terms, judge: WorkerSession.judge, now: now)
        do throws(SystemError) {
            let hasSwiftRuntime =
                plan.setup.task == .run && pool.needsSwiftRuntime(plan.setup.pluginPath)
            try startProcess(hasSwiftRuntime: hasSwiftRuntime, now: now)
        } catch let error where error.isPeerGone {
            reports = [
                .notStarted(
                    SetupFailure(step: "launcher", sentence: "it ended before it had a worker"))
            ]
        } catch {
            throw ExtensionHostError(
                .cannotStart, subject: "\(error.call) \(error.subject)", systemCode: error.code)
        }
    }

    private static let judge = VerdictJudge(systemCallName: { Sandbox.systemCallName($0) })

    deinit {
        launcher?.forget(run)
    }

    private func startProcess(hasSwiftRuntime: Bool, now: Instant) throws(SystemError) {
        do throws(SystemError) {
            try askForProcess(hasSwiftRuntime: hasSwiftRuntime, now: now)
        } catch let error where error.isPeerGone && retries > 0 {
            // The launcher has ended and nobody was looking: another does as well.
            retries -= 1
            try askForProcess(hasSwiftRuntime: hasSwiftRuntime, now: now)
        }
    }

    private func askForProcess(hasSwiftRuntime: Bool, now: Instant) throws(SystemError) {
        let launcher = try pool.launcher(
            for: plan, hasSwiftRuntime: hasSwiftRuntime, now: now)
        channels = try WorkerChannels { ends throws(SystemError) in
            run = try launcher.start(self, ends, plan.cgroupShare)
        }
        self.launcher = launcher
        outgoing = setupFrame
        outgoingStart = 0
        flush()
    }

    /// Begins anew, with a worker of another launcher, before anything of the plugin has run.
    private func restart(hasSwiftRuntime: Bool, _ now: Instant, _ events: inout [WorkerEvent]) {
        launcher?.forget(run)
        process = nil
        reader = FrameReader()
        state.startAnew(needsRuntime: !hasSwiftRuntime, now: now)
        do throws(SystemError) {
            try startProcess(hasSwiftRuntime: hasSwiftRuntime, now: now)
        } catch {
            let failure = SetupFailure(step: "launcher", sentence: error.description)
            apply(.processNotStarted(failure), now, &events)
        }
    }

    /// The child's number, while it runs.
    package var pid: Int32? {
        switch process {
        case .some(let process): process.pid
        case .none: nil
        }
    }

    /// What this session holds open besides the process's own descriptors.
    package var openDescriptors: [Int32] {
        [
            channels?.socket?.raw, channels?.control?.raw, channels?.evidence?.raw,
            channels?.output?.raw, channels?.error?.raw,
        ].compactMap { $0 }
    }

    /// The launcher has forked.
    func started(_ newProcess: consuming ProcessHandle) {
        if state.wantsKill { newProcess.kill() }
        process = consume newProcess
    }

    /// The launcher has something to tell.
    func take(_ report: ProcessReport) {
        reports.append(report)
    }

    /// Loaded and nothing on the stack.
    package var isIdle: Bool { state.isIdle }
    package var isDone: Bool { state.isDone }

    /// When to call ``service(_:now:)`` at the latest; nil once ended.
    package var nextDeadline: Instant? {
        if !reports.isEmpty { return Instant(nanoseconds: 0) }
        guard let sample = nextSample else { return state.nextDeadline }
        return state.nextDeadline.map { min($0, sample) } ?? sample
    }

    /// Adds all that can wake this session.
    package func register(in set: inout PollSet) {
        guard !state.isDone else { return }
        if let socket = channels?.socket?.raw {
            set.add(socket, reading: acceptsFrames, writing: hasOutgoing)
        }
        for raw in [channels?.evidence?.raw, channels?.output?.raw, channels?.error?.raw] {
            if let raw { set.add(raw) }
        }
        if state.evidence.end == nil, let launcher, launcher.raw >= 0 { set.add(launcher.raw) }
    }

    /// Reads, writes and decides; never waits.
    ///
    /// The set only served to wake up: every descriptor is tried, so an empty one is a pure tick.
    package func service(_ set: PollSet, now: Instant) -> [WorkerEvent] {
        guard !state.isDone else { return [] }
        var events: [WorkerEvent] = []
        flush()
        launcher?.service(now: now)
        let reports = self.reports
        self.reports = []
        readAll(rounds: reports.isEmpty ? 4 : 64, now: now, &events)
        if needsRestart {
            needsRestart = false
            pool.noteSwiftRuntime(plan.setup.pluginPath)
            restart(hasSwiftRuntime: true, now, &events)
        } else {
            for report in reports { take(report, now, &events) }
        }
        sample(now, &events)
        apply(.tick, now, &events)
        if channels?.isAllEnded ?? true { apply(.outputEnded, now, &events) }
        flush()
        return events
    }

    private func take(_ report: ProcessReport, _ now: Instant, _ events: inout [WorkerEvent]) {
        switch report {
        case .notStarted(let failure): apply(.processNotStarted(failure), now, &events)
        case .ended(let end, let kill):
            if let kill { apply(.cgroupKill(limitBytes: kill), now, &events) }
            apply(.childEnded(end), now, &events)
            process = nil
        case .launcherEnded(let end, let kill):
            // Nothing of the plugin has run: another launcher does as well.
            if process == nil, retries > 0, state.isSettingUp {
                retries -= 1
                return restart(
                    hasSwiftRuntime: launcher?.plan.runtimeFolders.isEmpty == false, now, &events)
            }
            if let kill { apply(.cgroupKill(limitBytes: kill), now, &events) }
            if process == nil, state.isSettingUp {
                let how = end.exitCode.map { "status \($0)" } ?? "signal \(end.signal ?? 0)"
                let failure = SetupFailure(
                    step: "launcher", sentence: "it ended with \(how) before it had a worker")
                return apply(.processNotStarted(failure), now, &events)
            }
            apply(.launcherEnded(end), now, &events)
            process = nil
        }
    }

    /// A message with what the host knows besides the worker.
    func completed(_ message: WorkerMessage) -> WorkerMessage {
        launcher?.cgroup.describe(message) ?? message
    }

    /// Answers a host call; ignored when the worker is gone or that call was answered.
    package func reply(_ reply: HostReply, sequence: UInt32) {
        var events: [WorkerEvent] = []
        apply(.reply(reply, sequence: sequence), Instant(nanoseconds: 0), &events)
        flush()
    }

    /// Calls an entry point.
    ///
    /// - Throws: ``ExtensionHostError`` with `notIdle` unless ``isIdle``, or `messageTooLong`.
    package func call(_ call: EntryCall, now: Instant) throws(ExtensionHostError) {
        guard state.isIdle else {
            throw ExtensionHostError(.notIdle, subject: call.entryPoint.symbol)
        }
        guard (try? HostMessage.call(call).frame()) != nil else {
            throw ExtensionHostError(.messageTooLong, subject: call.entryPoint.symbol)
        }
        var events: [WorkerEvent] = []
        apply(.call(call), now, &events)
        nextSample = now + plan.samplingInterval
        flush()
    }

    /// How long a call may take; for packs, each of them.
    package func budget(of call: EntryCall) -> Duration {
        if case .packs = call { return state.evidence.packBudget }
        return state.terms.wallBudget
    }

    /// Asks the worker to leave; ends a run that is not finished as `interrupted`.
    package func shutDown(now: Instant) {
        var events: [WorkerEvent] = []
        apply(.shutDown, now, &events)
        flush()
    }

    /// Ends the run for a reason of the host: a warning, the grace, then a kill.
    package func terminate(_ reason: TerminationReason, now: Instant) {
        var events: [WorkerEvent] = []
        apply(.terminate(reason), now, &events)
        flush()
    }

    /// The user's wish to stop.
    package func interrupt(now: Instant) {
        terminate(.userInterrupt, now: now)
    }

    /// Requests thrown away because of a negative reply; the verdict's sentence says how many.
    package func noteDiscarded(_ count: Int) {
        state.noteDiscarded(count)
    }

    func apply(_ event: WorkerState.Event, _ now: Instant, _ events: inout [WorkerEvent]) {
        for action in state.handle(event, now: now) {
            switch action {
            case .send(let message, let sequence): send(message, sequence)
            case .warn(let byte):
                if let raw = channels?.control?.raw { _ = DescriptorIO.write(raw, [byte]) }
            case .kill: kill(now, &events)
            case .killLauncher: launcher?.kill()
            case .restartWithRuntime: needsRestart = true
            case .deliver(.ended(let outcome)):
                close(&events)
                events.append(.ended(withLastWords(outcome)))
            case .deliver(let event): events.append(event)
            }
        }
    }

    /// Ends the process, or the wait for it.
    private func kill(_ now: Instant, _ events: inout [WorkerEvent]) {
        switch process {
        case .some(let running): running.kill()
        case .none:
            launcher?.forget(run)
            apply(.childEnded(.killed), now, &events)
        }
    }

    /// What a runtime said on stderr before it ended the plugin is the best there is to tell: a
    /// Swift trap, an uncaught C++ exception, a Rust panic.
    private func withLastWords(_ outcome: WorkerOutcome) -> WorkerOutcome {
        guard outcome.verdict == .crash, let text = lastWords.text else { return outcome }
        var outcome = outcome
        outcome.detail += ": " + text
        return outcome
    }

    private func close(_ events: inout [WorkerEvent]) {
        let rest = errorLines.flush()
        for line in rest { lastWords.hear(line) }
        events += outputLines.flush().map { .printed(.output, $0) }
        events += rest.map { .printed(.error, $0) }
        channels = nil
        process = nil
        outgoing = []
        outgoingStart = 0
        nextSample = nil
    }

    private var memory: ProcessMemory.Look {
        switch process {
        case .some(let process): process.memory()
        case .none: .gone
        }
    }

    private var outlivesFirstThread: Bool {
        switch process {
        case .some(let process): process.outlivesFirstThread()
        case .none: false
        }
    }

    private func sample(_ now: Instant, _ events: inout [WorkerEvent]) {
        guard state.isSampled else {
            nextSample = nil
            return
        }
        if let due = nextSample, now < due { return }
        nextSample = now + plan.samplingInterval
        switch memory {
        case .held(let memory): apply(.sampled(memory), now, &events)
        // On its way out a process looks the same.
        case .leaderless: if outlivesFirstThread { apply(.leaderless, now, &events) }
        case .gone: break
        }
    }
}

extension WorkerSession {
    private var hasOutgoing: Bool { outgoingStart < outgoing.count }

    /// The most bytes that may wait for the worker to read them while its own are still read.
    private static let outgoingBound = 1 << 20

    /// False while the worker asks without reading the answers: it has to read them first.
    var acceptsFrames: Bool { outgoing.count - outgoingStart <= WorkerSession.outgoingBound }

    private func send(_ message: HostMessage, _ sequence: UInt32) {
        let frame = (try? message.frame(sequence: sequence)) ?? tooLong(sequence)
        outgoing.append(contentsOf: frame?.bytes ?? [])
    }

    /// What a worker hears in place of a reply that no frame can carry.
    private func tooLong(_ sequence: UInt32) -> Frame? {
        try? HostMessage.reply(.status(1000)).frame(sequence: sequence)
    }

    private func flush() {
        guard let raw = channels?.socket?.raw else { return }
        while hasOutgoing {
            switch DescriptorIO.write(raw, outgoing[outgoingStart...], isSocket: true) {
            case .moved(let count): outgoingStart += count
            case .wouldBlock: return
            // Nobody will read it; what the worker sent before it left still counts.
            case .ended, .failed: outgoingStart = outgoing.count
            }
        }
        outgoing.removeAll(keepingCapacity: outgoing.count < 65_536)
        outgoingStart = 0
    }
}
