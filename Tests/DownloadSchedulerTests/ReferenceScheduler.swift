import DownloadScheduler

/// The scheduler's rules in the plainest words: one list, sorted anew for every start.
struct ReferenceScheduler {
    enum Place: Equatable {
        case waiting, starting, running, stoppingForGood, stoppingKept
        case resting(Duration)
    }

    let caps: TransferCaps
    var known: [Int64: (summary: DownloadSummary, place: Place)] = [:]
    var now: Duration?
    var isStopping = false

    var slots: [DownloadSummary] {
        known.values.filter { holdsSlot($0.place) }.map(\.summary)
    }

    mutating func handle(_ event: DownloadScheduler.Event) -> [DownloadScheduler.Action] {
        var actions: [DownloadScheduler.Action] = []
        switch event {
        case .admitted(let summary):
            if known[summary.id] == nil { known[summary.id] = (summary, .waiting) }
        case .began(let id):
            if known[id]?.place == .starting { known[id]?.place = .running }
        case .finished(let id): end(id, nil)
        case .failed(let id, let retryAt): end(id, retryAt.map { .resting($0) })
        case .stopped(let id): end(id, .waiting)
        case .cancelled(let id): actions += cancel(id)
        case .reached(let time): now = max(time, now ?? time)
        case .stopRequested:
            isStopping = true
            for id in known.keys.sorted() {
                guard let place = known[id]?.place, place == .starting || place == .running else {
                    continue
                }
                known[id]?.place = .stoppingKept
                actions.append(.stop(id))
            }
        }
        wake()
        return actions + starts()
    }

    private func holdsSlot(_ place: Place) -> Bool {
        switch place {
        case .waiting, .resting: false
        default: true
        }
    }

    private mutating func end(_ id: Int64, _ next: Place?) {
        guard let place = known[id]?.place, holdsSlot(place) else { return }
        if let next, place != .stoppingForGood {
            known[id]?.place = next
        } else {
            known[id] = nil
        }
    }

    private mutating func cancel(_ id: Int64) -> [DownloadScheduler.Action] {
        guard let place = known[id]?.place else { return [] }
        if !holdsSlot(place) {
            known[id] = nil
            return []
        }
        known[id]?.place = .stoppingForGood
        return place == .starting || place == .running ? [.stop(id)] : []
    }

    private mutating func wake() {
        guard let now else { return }
        for (id, entry) in known {
            if case .resting(let time) = entry.place, time <= now { known[id]?.place = .waiting }
        }
    }

    private mutating func starts() -> [DownloadScheduler.Action] {
        var actions: [DownloadScheduler.Action] = []
        while !isStopping, slots.count < caps.total {
            let taken = Dictionary(grouping: slots, by: \.host).mapValues(\.count)
            let free = known.values.filter { $0.place == .waiting }.map(\.summary)
                .filter { taken[$0.host, default: 0] < caps.perHost }.sorted(by: comesFirst)
            guard let first = free.first else { break }
            known[first.id]?.place = .starting
            actions.append(.start(first.id))
        }
        return actions
    }

    private func comesFirst(_ one: DownloadSummary, _ other: DownloadSummary) -> Bool {
        let left = (one.downloadClass.rawValue, -one.position.priority, one.position.sequence, one.id)
        let right = (other.downloadClass.rawValue, -other.position.priority, other.position.sequence, other.id)
        return left < right
    }
}
