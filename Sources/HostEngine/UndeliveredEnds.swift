internal import LinuxSystem

/// Ended downloads that the extension has not been told of, oldest first.
///
/// A worker costs more than a word to it. The first one to tell has a worker at once; after that,
/// while others are under way, some time is left for more to come together.
struct UndeliveredEnds {
    /// How long at least lies between the last word of one worker and the next worker.
    static let gatheringTime = Duration.milliseconds(250)

    private var rows: ArraySlice<Int64> = []

    /// Until when more may come together.
    private var restsUntil = Instant(nanoseconds: 0)

    var isEmpty: Bool { rows.isEmpty }

    mutating func append(_ row: Int64) { rows.append(row) }

    mutating func remove(_ row: Int64) { rows.removeAll { $0 == row } }

    /// The next one to tell; after the last one, others have time to come.
    mutating func popFirst(at now: Instant) -> Int64? {
        guard let row = rows.popFirst() else { return nil }
        if rows.isEmpty { restsUntil = now + UndeliveredEnds.gatheringTime }
        return row
    }

    /// When a worker is due for them at the latest; nil when there is nothing to tell.
    var deadline: Instant? { rows.isEmpty ? nil : restsUntil }

    /// Whether a worker is to be started.
    ///
    /// - Parameters:
    ///   - now: on the clock of ``popFirst(at:)``.
    ///   - mayGrow: Others are under way.
    /// - Returns: True when there is something to tell, and nothing worth waiting for.
    func isDue(at now: Instant, mayGrow: Bool) -> Bool {
        !rows.isEmpty && (!mayGrow || now >= restsUntil)
    }
}
