/// Decides which download starts when.
///
/// Pure: events in, actions out, no clock and no waiting inside.
///
/// The order is essential, then priority, then age. A host at its cap holds up nobody but its own
/// downloads. An entry stays until it has finished, failed for good or been cancelled, and it holds
/// a slot from its `start` until the event that ends the transfer.
package struct DownloadScheduler: Sendable {
    /// What happened.
    ///
    /// Events about an entry that is not known, or that do not fit its phase,
    /// change nothing.
    package enum Event: Hashable, Sendable {
        /// A download may start from now on. A second one of the same id is ignored.
        case admitted(DownloadSummary)
        /// The transfer that `start` asked for is under way.
        case began(Int64)
        /// The file is complete; the slot is free.
        case finished(Int64)
        /// The transfer failed; the slot is free. With a time the download rests until then
        /// (``RetryPolicy`` says how long), without one it has failed for good.
        case failed(Int64, retryAt: Duration?)
        /// The download is not wanted any more. One with a transfer is stopped first.
        case cancelled(Int64)
        /// The transfer ended neither finished nor failed, as `stop` asks; the slot is free.
        case stopped(Int64)
        /// The caller's clock, counted from any fixed moment, has come this far.
        case reached(Duration)
        /// Nothing starts any more, and every transfer is to stop. There is no way back.
        case stopRequested
    }

    /// What the caller is to do.
    package enum Action: Hashable, Sendable {
        case start(Int64)
        case stop(Int64)
    }

    /// Where an entry stands.
    package enum Phase: Hashable, Sendable {
        case waiting
        case resting(until: Duration)
        case starting
        case running
        /// Told to stop; kept for another start, or dropped.
        case stopping(isKept: Bool)

        var holdsSlot: Bool {
            switch self {
            case .waiting, .resting: false
            case .starting, .running, .stopping: true
            }
        }
    }

    private struct Entry {
        let summary: DownloadSummary
        var phase: Phase
    }

    private struct Wake: Comparable {
        let time: Duration
        let id: Int64

        static func < (left: Self, right: Self) -> Bool {
            (left.time, left.id) < (right.time, right.id)
        }
    }

    package let caps: TransferCaps
    /// How many slots are taken.
    package private(set) var slotsInUse = 0
    private var entries: [Int64: Entry] = [:]
    private var hosts: [String: HostQueue] = [:]
    private var wakes = PriorityQueue<Wake>()
    private var now: Duration?
    private var isStopping = false

    package init(caps: TransferCaps = TransferCaps()) {
        self.caps = caps
    }

    /// How many downloads are known: waiting, resting or with a slot.
    package var count: Int { entries.count }

    /// The earliest moment at which a resting download may start again.
    ///
    /// The caller sets its timer by it and then reports `reached`.
    package var nextWake: Duration? { wakes.first?.time }

    /// Where the download stands, or nil when it is not known.
    package func phase(of id: Int64) -> Phase? { entries[id]?.phase }

    /// Takes in one event and says what to do, in this order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .admitted(let summary): admit(summary)
        case .began(let id):
            if entries[id]?.phase == .starting { entries[id]?.phase = .running }
        case .finished(let id): end(id, retryAt: nil)
        case .failed(let id, let retryAt): end(id, retryAt: retryAt)
        case .cancelled(let id): actions += cancel(id)
        case .stopped(let id): stopped(id)
        case .reached(let time): reach(time)
        case .stopRequested: actions += stopAll()
        }
        return actions + startWhatFits()
    }

    // MARK: - Coming and going

    private mutating func admit(_ summary: DownloadSummary) {
        guard entries[summary.id] == nil else { return }
        entries[summary.id] = Entry(summary: summary, phase: .waiting)
        hosts[summary.host, default: HostQueue()].waiting.insert(summary)
    }

    private mutating func end(_ id: Int64, retryAt: Duration?) {
        guard let entry = entries[id], entry.phase.holdsSlot else { return }
        freeSlot(of: entry.summary.host)
        guard let retryAt, entry.phase != .stopping(isKept: false) else {
            entries[id] = nil
            return tidy(entry.summary.host)
        }
        if let now, retryAt <= now { return makeWait(entry.summary) }
        entries[id]?.phase = .resting(until: retryAt)
        wakes.insert(Wake(time: retryAt, id: id))
        tidy(entry.summary.host)
    }

    private mutating func cancel(_ id: Int64) -> [Action] {
        guard let entry = entries[id] else { return [] }
        switch entry.phase {
        case .starting, .running:
            entries[id]?.phase = .stopping(isKept: false)
            return [.stop(id)]
        case .stopping:
            entries[id]?.phase = .stopping(isKept: false)
        case .waiting:
            entries[id] = nil
            hosts[entry.summary.host]?.staleCount += 1
            tidy(entry.summary.host)
        case .resting:
            entries[id] = nil
            dropStaleWakes()
        }
        return []
    }

    private mutating func stopped(_ id: Int64) {
        guard let entry = entries[id], entry.phase.holdsSlot else { return }
        freeSlot(of: entry.summary.host)
        guard entry.phase != .stopping(isKept: false) else {
            entries[id] = nil
            return tidy(entry.summary.host)
        }
        makeWait(entry.summary)
    }

    private mutating func reach(_ time: Duration) {
        now = max(time, now ?? time)
        while let wake = wakes.first, wake.time <= time {
            _ = wakes.removeFirst()
            guard let entry = entries[wake.id], entry.phase == .resting(until: wake.time) else {
                continue
            }
            makeWait(entry.summary)
        }
        dropStaleWakes()
    }

    private mutating func stopAll() -> [Action] {
        isStopping = true
        let ids = entries.filter { $0.value.phase == .starting || $0.value.phase == .running }.keys
        for id in ids { entries[id]?.phase = .stopping(isKept: true) }
        return ids.sorted().map { .stop($0) }
    }

    private mutating func makeWait(_ summary: DownloadSummary) {
        entries[summary.id]?.phase = .waiting
        hosts[summary.host, default: HostQueue()].waiting.insert(summary)
    }

    // MARK: - Starting

    private mutating func startWhatFits() -> [Action] {
        var actions: [Action] = []
        while !isStopping, slotsInUse < caps.total, let next = firstInOrder() {
            take(next)
            actions.append(.start(next.id))
        }
        return actions
    }

    /// The first in order among the hosts that are below their cap.
    ///
    /// Costs one look per host.
    private func firstInOrder() -> DownloadSummary? {
        hosts.values
            .lazy.filter { $0.slotsInUse < caps.perHost }
            .compactMap { $0.waiting.first }.min()
    }

    private mutating func take(_ summary: DownloadSummary) {
        entries[summary.id]?.phase = .starting
        _ = hosts[summary.host]?.waiting.removeFirst()
        hosts[summary.host]?.slotsInUse += 1
        slotsInUse += 1
        tidy(summary.host)
    }

    private mutating func freeSlot(of host: String) {
        hosts[host]?.slotsInUse -= 1
        slotsInUse -= 1
    }

    // MARK: - Lazy removal

    /// Keeps what is cancelled from being first in line, and drops a host with nothing left.
    private mutating func tidy(_ host: String) {
        guard var queue = hosts.removeValue(forKey: host) else { return }
        queue.dropStale { isWaiting($0) }
        guard queue.slotsInUse > 0 || queue.waiting.first != nil else { return }
        hosts[host] = queue
    }

    private func isWaiting(_ summary: DownloadSummary) -> Bool {
        guard let entry = entries[summary.id] else { return false }
        return entry.phase == .waiting && entry.summary == summary
    }

    private mutating func dropStaleWakes() {
        while let wake = wakes.first, entries[wake.id]?.phase != .resting(until: wake.time) {
            _ = wakes.removeFirst()
        }
    }
}
