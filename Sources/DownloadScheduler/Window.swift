/// What is known of the downloads of one app and one class.
struct Window: Sendable {
    /// How much of the store is known.
    enum Reach: Hashable, Sendable {
        case everything

        /// Every waiting download up to this position, itself included; nil: none at all.
        case upTo(DownloadPosition?)
    }

    /// What the store was asked for and has not answered yet.
    enum Question: Hashable, Sendable {
        case more(after: DownloadPosition?)
        case otherHosts(HostFilter, limit: Int)
    }

    var reach = Reach.everything
    var main = Shelf()

    /// Downloads fetched past the order, because the hosts of ``main`` held it up.
    var others = Shelf()
    var question: Question?

    /// The store has nothing that is not known and passes this.
    var exhausted: HostFilter?

    var isForgettable: Bool {
        reach == .everything && main.load == 0 && others.load == 0 && question == nil
    }

    func covers(_ position: DownloadPosition) -> Bool {
        switch reach {
        case .everything: true
        case .upTo(let end): end.map { position <= $0 } ?? false
        }
    }

    /// A waiting download lies in the store and is not known here.
    mutating func leave(_ summary: DownloadSummary) {
        if covers(summary.position) { reach = .upTo(summary.position.predecessor) }
        if exhausted?.passes(summary) == true { exhausted = nil }
    }

    func shelf(isOther: Bool) -> Shelf { isOther ? others : main }

    mutating func change(isOther: Bool, _ change: (inout Shelf) -> Void) {
        if isOther { change(&others) } else { change(&main) }
    }

    /// The first in order that `canStart` lets through.
    func first(where canStart: (DownloadSummary) -> Bool) -> DownloadSummary? {
        let main = main.waiting.elements.first(where: canStart)
        let other = others.waiting.elements.first(where: canStart)
        guard let main, let other else { return main ?? other }
        return min(main, other)
    }
}

/// A bounded part of a window.
struct Shelf: Sendable {
    var waiting = SortedList<DownloadSummary>()

    /// How many rest, by host.
    var resting: [String: Int] = [:]

    /// How many there are in all: waiting, resting and with a slot.
    var load = 0

    mutating func rests(_ host: String) {
        resting[host, default: 0] += 1
    }

    mutating func wakes(_ host: String) {
        let count = resting[host, default: 0] - 1
        resting[host] = count > 0 ? count : nil
    }
}

/// Which downloads are of use while some hosts hold up their own.
struct HostFilter: Hashable, Sendable {
    var excluded: [String]
    var mustAllowMetered: Bool

    func passes(_ summary: DownloadSummary) -> Bool {
        !excluded.contains(summary.host) && (summary.allowsMetered || !mustAllowMetered)
    }

    /// Whether everything that passes `other` passes this one.
    func covers(_ other: HostFilter) -> Bool {
        (other.mustAllowMetered || !mustAllowMetered)
            && excluded.allSatisfy { other.excluded.contains($0) }
    }
}
