/// The downloads of one host that wait, and how many of its slots are taken.
struct HostQueue: Sendable {
    var waiting = PriorityQueue<DownloadSummary>()
    var slotsInUse = 0
    /// About how many entries of ``waiting`` were cancelled and still lie there.
    var staleCount = 0

    /// Removes cancelled entries from the front, and all of them once they are the greater part.
    mutating func dropStale(unless isWaiting: (DownloadSummary) -> Bool) {
        if staleCount > 64, staleCount > waiting.count / 2 {
            waiting.removeAll(unless: isWaiting)
            staleCount = 0
        }
        while let first = waiting.first, !isWaiting(first) {
            _ = waiting.removeFirst()
            staleCount = max(0, staleCount - 1)
        }
    }
}
