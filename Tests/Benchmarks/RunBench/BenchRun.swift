internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// Points of one run, in the order they come.
enum RunPoint: Int, CaseIterable {
    /// The launcher has been asked.
    case asked
    /// It has forked.
    case started
    /// Closed in.
    case ready
    case loaded
    case returned
    case ended

    /// What happened since the point before.
    var stage: String {
        switch self {
        case .asked: "ask"
        case .started: "fork"
        case .ready: "close-in"
        case .loaded: "load"
        case .returned: "call"
        case .ended: "end"
        }
    }
}

/// One run and its times.
struct BenchRun {
    private let session: WorkerSession
    private let start: Instant
    private var times: [Instant?] = RunPoint.allCases.map { _ in nil }
    private var outcome: WorkerOutcome?

    /// Those that have not been asked about yet.
    private var packs: ArraySlice<AssetPackDescription>
    private var owesContentRequest: Bool

    /// Without packs it is a content request.
    init(
        _ pool: LauncherPool, _ plan: WorkerPlan, _ packs: [AssetPackDescription]
    ) throws(BenchFailure) {
        self.packs = packs[...]
        owesContentRequest = packs.isEmpty
        start = BootClock.now()
        do { session = try pool.start(plan, now: start) } catch {
            throw BenchFailure("\(error)")
        }
        times[RunPoint.asked.rawValue] = BootClock.now()
    }

    /// Drives it to its end.
    mutating func finish() throws(BenchFailure) -> WorkerReady {
        while outcome == nil {
            var set = PollSet()
            session.register(in: &set)
            do throws(SystemError) {
                let left = session.nextDeadline.map { max(.zero, $0 - BootClock.now()) }
                try set.wait(timeout: left)
            } catch { throw BenchFailure(error.description) }
            let events = session.service(set, now: BootClock.now())
            if session.pid != nil { note(.started) }
            for event in events { try take(event) }
        }
        guard let outcome, outcome.verdict == .ok, let ready = outcome.ready else {
            throw BenchFailure(
                "the run ended as \(outcome?.verdict.rawValue ?? "nothing"): "
                    + (outcome?.detail ?? ""))
        }
        return ready
    }

    private mutating func take(_ event: WorkerEvent) throws(BenchFailure) {
        switch event {
        case .ready: note(.ready)
        case .loaded:
            note(.loaded)
            try callNext()
        case .returned: try callNext()
        case .ended(let outcome):
            note(.ended)
            self.outcome = outcome
        case .answered, .hostCall, .printed: break
        }
    }

    /// The content request once, or the next batch of packs; then asks the worker to leave.
    private mutating func callNext() throws(BenchFailure) {
        let batch = PackBatch(prefixOf: packs)
        packs = packs.dropFirst(batch?.packs.count ?? 0)
        let call =
            owesContentRequest
            ? EntryCall.content(.install, AppDescription(), manifestBytes: 0)
            : batch.map { .packs($0) }
        owesContentRequest = false
        guard let call else {
            note(.returned)
            return session.shutDown(now: BootClock.now())
        }
        do throws(ExtensionHostError) {
            try session.call(call, now: BootClock.now())
        } catch { throw BenchFailure("\(error)") }
    }

    private mutating func note(_ point: RunPoint) {
        if times[point.rawValue] == nil { times[point.rawValue] = BootClock.now() }
    }

    /// The whole and the stages, in nanoseconds.
    var line: String {
        var before = start
        var stages: [Int64] = []
        for time in times {
            let time = time ?? before
            stages.append((time - before).wholeNanoseconds)
            before = time
        }
        return ([(before - start).wholeNanoseconds] + stages).map(String.init)
            .joined(separator: " ")
    }
}
