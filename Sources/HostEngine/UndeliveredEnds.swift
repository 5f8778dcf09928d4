internal import LinuxSystem

/// Ended downloads that the extension has not been told of, oldest first.
///
/// A worker costs more than a word to it: while others are under way, one waits a moment for more to
/// tell.
struct UndeliveredEnds {
    /// How long the oldest waits for others.
    static let gatheringTime = Duration.milliseconds(250)

    private var rows: ArraySlice<Int64> = []

    /// Since when there has been something to tell.
    private var since: Instant?

    var isEmpty: Bool { rows.isEmpty }

    mutating func append(_ row: Int64, at now: Instant) {
        rows.append(row)
        since = since ?? now
    }

    mutating func remove(_ row: Int64) {
        rows.removeAll { $0 == row }
        if rows.isEmpty { since = nil }
    }

    /// The next one to tell; after the last one, gathering begins anew.
    mutating func popFirst() -> Int64? {
        defer { if rows.isEmpty { since = nil } }
        return rows.popFirst()
    }

    /// When a worker is due for them at the latest; nil when there is nothing to tell.
    var deadline: Instant? { since.map { $0 + UndeliveredEnds.gatheringTime } }

    /// Whether a worker is to be started.
    ///
    /// - Parameters:
    ///   - now: on the clock of ``append(_:at:)``.
    ///   - mayGrow: Others are under way.
    /// - Returns: True when the oldest has waited long enough, or nothing is worth waiting for.
    func isDue(at now: Instant, mayGrow: Bool) -> Bool {
        guard let deadline else { return false }
        return !mayGrow || now >= deadline
    }
}
