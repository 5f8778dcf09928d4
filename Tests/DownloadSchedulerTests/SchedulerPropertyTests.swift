import DownloadScheduler
import TestSupport
import Testing

/// Random events against ``ReferenceScheduler``; a failure names its seed, which goes in `seeds` to
/// see it again.
struct SchedulerPropertyTests {
    private static let seeds: [UInt64] = Array(1...24) + [UInt64.random(in: 1000 ... .max)]

    @Test(arguments: seeds)
    func doesWhatTheReferenceDoes(seed: UInt64) {
        if seed >= 1000 { print("random seed of this run: \(seed)") }
        var run = RandomRun(seed: seed)
        for step in 0..<250 {
            let event = run.nextEvent()
            let fault = run.apply(event)
            #expect(fault == nil, "seed \(seed), step \(step), \(event)")
            if fault != nil { return }
        }
        let fault = run.drain()
        #expect(fault == nil, "seed \(seed), while draining")
    }

    @Test(arguments: seeds.prefix(20))
    func stoppingEmptiesEverySlotAndKeepsTheRest(seed: UInt64) {
        var run = RandomRun(seed: seed)
        for _ in 0..<100 { #expect(run.apply(run.nextEvent()) == nil, "seed \(seed)") }
        #expect(run.apply(.stopRequested) == nil, "seed \(seed)")
        for id in run.busy.sorted() { #expect(run.apply(.stopped(id)) == nil, "seed \(seed)") }
        #expect(run.scheduler.slotsInUse == 0, "seed \(seed)")
        #expect(run.scheduler.count == run.reference.known.count, "seed \(seed)")
    }
}

/// A scheduler, its reference, and the checks that hold whatever the reference thinks.
private struct RandomRun {
    private(set) var scheduler: DownloadScheduler
    private(set) var reference: ReferenceScheduler
    private var random: SeededGenerator
    private var clock = Duration.zero
    private var lastID: Int64 = 0
    /// Started and not ended, by our own account.
    private(set) var busy: Set<Int64> = []
    private var admitted: Set<Int64> = []
    private var ended: Set<Int64> = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let caps = TransferCaps(
            perHost: .random(in: 1...4, using: &random), total: .random(in: 1...8, using: &random))
        scheduler = DownloadScheduler(caps: caps)
        reference = ReferenceScheduler(caps: caps)
    }

    mutating func nextEvent() -> DownloadScheduler.Event {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: return .admitted(newSummary())
        case 7..<9: return .began(anyID())
        case 9..<12: return .finished(anyID())
        case 12..<14: return .failed(anyID(), retryAt: retryTime())
        case 14: return .failed(anyID(), retryAt: nil)
        case 15..<17: return .cancelled(anyID())
        case 17: return .stopped(anyID())
        default:
            clock += .milliseconds(Int.random(in: 0..<2000, using: &random))
            return .reached(clock)
        }
    }

    /// Applies `event` to both; says what is wrong, if anything.
    mutating func apply(_ event: DownloadScheduler.Event) -> String? {
        account(for: event)
        let actions = scheduler.handle(event)
        let expected = reference.handle(event)
        guard actions == expected else { return "did \(actions), not \(expected)" }
        for case .start(let id) in actions {
            guard admitted.contains(id), !ended.contains(id) else {
                return "started stranger \(id)"
            }
            guard busy.insert(id).inserted else { return "started \(id) twice" }
        }
        return faultInCounts()
    }

    /// Lets everything end; says what is wrong or left over.
    mutating func drain() -> String? {
        for _ in 0..<10_000 where scheduler.count > 0 {
            if let id = busy.min() {
                if let fault = apply(.finished(id)) { return fault }
            } else if let wake = scheduler.nextWake {
                if let fault = apply(.reached(wake)) { return fault }
            } else {
                return "nothing runs, nothing rests, \(scheduler.count) are left"
            }
        }
        return admitted == ended ? nil : "lost \(admitted.subtracting(ended).sorted())"
    }

    private mutating func account(for event: DownloadScheduler.Event) {
        switch event {
        case .admitted(let summary): admitted.insert(summary.id)
        case .finished(let id), .failed(let id, retryAt: nil):
            if busy.remove(id) != nil { ended.insert(id) }
        case .failed(let id, _), .stopped(let id):
            guard busy.remove(id) != nil else { return }
            if scheduler.phase(of: id) == .stopping(isKept: false) { ended.insert(id) }
        case .cancelled(let id):
            if admitted.contains(id), !busy.contains(id) { ended.insert(id) }
        case .began, .reached, .stopRequested: break
        }
    }

    private func faultInCounts() -> String? {
        guard scheduler.slotsInUse == busy.count else { return "miscounted slots" }
        guard busy.count <= scheduler.caps.total else { return "past the total cap" }
        let hosts = Dictionary(grouping: reference.slots, by: \.host)
        guard hosts.values.allSatisfy({ $0.count <= scheduler.caps.perHost }) else {
            return "past the cap of a host"
        }
        let resting = reference.known.values.compactMap { entry -> Duration? in
            if case .resting(let time) = entry.place { time } else { nil }
        }
        return scheduler.nextWake == resting.min() ? nil : "wakes at the wrong time"
    }

    private mutating func newSummary() -> DownloadSummary {
        // Now and then an id that was seen before.
        let isOld = lastID > 0 && Int.random(in: 0..<10, using: &random) == 0
        if !isOld { lastID += 1 }
        let id = isOld ? Int64.random(in: 1...lastID, using: &random) : lastID
        if isOld, ended.contains(id) { return newSummary() }
        return DownloadSummary(
            id: id, app: "a", host: "host\(Int.random(in: 0..<4, using: &random))",
            downloadClass: Bool.random(using: &random) ? .essential : .background,
            position: DownloadPosition(
                priority: Int64.random(in: -1...1, using: &random), sequence: id))
    }

    private mutating func anyID() -> Int64 {
        if Bool.random(using: &random), let id = busy.sorted().randomElement(using: &random) {
            return id
        }
        return Int64.random(in: 0...lastID + 1, using: &random)
    }

    private mutating func retryTime() -> Duration {
        clock + .milliseconds(Int.random(in: -500..<4000, using: &random))
    }
}
