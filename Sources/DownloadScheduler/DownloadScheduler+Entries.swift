extension DownloadScheduler {
    /// Where a download stands.
    package enum Phase: Hashable, Sendable {
        case waiting
        case resting(until: Duration)
        case starting
        case running
        /// Told to stop.
        case stopping(then: Sequel)

        var holdsSlot: Bool {
            switch self {
            case .waiting, .resting: false
            case .starting, .running, .stopping: true
            }
        }

        /// Whether the download goes on to exist when its transfer ends before it is complete.
        var isKept: Bool {
            switch self {
            case .stopping(then: let sequel): sequel == .kept
            case .waiting, .resting, .starting, .running: true
            }
        }

        var isUnderWay: Bool { self == .starting || self == .running }
    }

    /// What comes after a stop.
    package enum Sequel: Hashable, Sendable {
        /// It waits for another start.
        case kept
        /// It is forgotten, unless it has been admitted again by then.
        case paused
        /// It is forgotten.
        case cancelled
    }

    /// A download that is known.
    struct Entry: Sendable {
        var summary: DownloadSummary
        var phase: Phase

        /// On which shelf of its window it counts.
        var isOther = false
        var slot: Slot?

        var key: WindowKey { WindowKey(summary) }
    }

    /// What a transfer takes; the pool stays the same when the class changes, so that the caps hold.
    struct Slot: Sendable {
        let isForeground: Bool
        let host: String
        let app: String
    }

    /// A download that rests, and until when.
    struct Rest: Comparable, Sendable {
        let time: Duration
        let id: Int64

        static func < (left: Self, right: Self) -> Bool {
            (left.time, left.id) < (right.time, right.id)
        }
    }

    // MARK: - Keeping the books

    /// Takes in a download that is not known.
    mutating func insert(_ entry: Entry) {
        entries[entry.summary.id] = entry
        changeShelf(of: entry) { $0.load += 1 }
        list(entry)
    }

    /// Takes a download out of everything.
    ///
    /// The window is to be settled afterwards.
    mutating func remove(_ id: Int64) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        unlist(entry)
        changeShelf(of: entry) { $0.load -= 1 }
        if let slot = entry.slot { free(slot) }
    }

    /// Brings a known download into another phase; it gives its slot back when that has none.
    mutating func change(_ id: Int64, to phase: Phase) {
        guard var entry = entries[id] else { return }
        unlist(entry)
        entry.phase = phase
        if !phase.holdsSlot, let slot = entry.slot {
            free(slot)
            entry.slot = nil
        }
        entries[id] = entry
        list(entry)
    }

    private mutating func list(_ entry: Entry) {
        switch entry.phase {
        case .waiting: changeShelf(of: entry) { $0.waiting.insert(entry.summary) }
        case .resting(let time):
            changeShelf(of: entry) { $0.rests(entry.summary.host) }
            rests.insert(Rest(time: time, id: entry.summary.id))
        case .starting, .running, .stopping: break
        }
    }

    private mutating func unlist(_ entry: Entry) {
        switch entry.phase {
        case .waiting: changeShelf(of: entry) { $0.waiting.remove(entry.summary) }
        case .resting(let time):
            changeShelf(of: entry) { $0.wakes(entry.summary.host) }
            rests.remove(Rest(time: time, id: entry.summary.id))
        case .starting, .running, .stopping: break
        }
    }

    private mutating func changeShelf(of entry: Entry, _ change: (inout Shelf) -> Void) {
        let summary = entry.summary
        windows[summary.downloadClass.index][summary.app, default: Window()]
            .change(isOther: entry.isOther, change)
    }

    private mutating func free(_ slot: Slot) {
        if slot.isForeground {
            foregroundPool.free(host: slot.host, app: slot.app)
        } else {
            sharedPool.free(host: slot.host, app: slot.app)
        }
    }
}
