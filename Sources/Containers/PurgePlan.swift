package import LinuxSystem

/// A file that may be taken back.
package struct PurgeCandidate: Hashable, Sendable {
    /// Of its row in the store; an older row has a lower one.
    package let rowID: Int64

    /// The UUID of the download it is of.
    package let uniqueIdentifier: String

    /// Relative to the container.
    package let path: String
    package let stamp: FileStamp

    /// Since 1970.
    package let lastUsed: Int64

    package init(
        rowID: Int64, uniqueIdentifier: String, path: String, stamp: FileStamp, lastUsed: Int64
    ) {
        self.rowID = rowID
        self.uniqueIdentifier = uniqueIdentifier
        self.path = path
        self.stamp = stamp
        self.lastUsed = lastUsed
    }
}

/// Which files go when space is needed.
package enum PurgePlan {
    /// The longest unused first, and never more than needed.
    ///
    /// Files are taken, the longest unused first and of those alike the older row first, until the
    /// need is met. What the last one brings too much then spares others, the most recently used
    /// first: none that is chosen could be left out.
    ///
    /// - Parameters:
    ///   - candidates: In any order; none that is pinned.
    ///   - needBytes: How much is needed; `UInt64.max` for everything.
    ///   - isFree: Asked, in the order of taking, for as few as are needed: a file that nobody uses at
    ///     this moment. The others stay.
    /// - Returns: What goes, in the order of taking; all when all together is too little.
    package static func choose(
        _ candidates: [PurgeCandidate], needBytes: UInt64,
        isFree: (PurgeCandidate) -> Bool = { _ in true }
    ) -> [PurgeCandidate] {
        var taken: [PurgeCandidate] = []
        var missing = needBytes
        var surplus: UInt64 = 0
        for candidate in candidates.sorted(by: goesBefore)
        where missing > 0 && isFree(candidate) {
            let size = candidate.stamp.sizeBytes
            taken.append(candidate)
            surplus = size - min(size, missing)
            missing -= min(size, missing)
        }
        guard missing == 0 else { return taken }
        var kept: [PurgeCandidate] = []
        for candidate in taken.reversed() {
            guard candidate.stamp.sizeBytes <= surplus else {
                kept.append(candidate)
                continue
            }
            surplus -= candidate.stamp.sizeBytes
        }
        return kept.reversed()
    }

    private static func goesBefore(_ one: PurgeCandidate, _ other: PurgeCandidate) -> Bool {
        (one.lastUsed, one.rowID) < (other.lastUsed, other.rowID)
    }
}
