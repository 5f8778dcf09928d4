internal import LinuxSystem

/// What may still be written into a container.
package struct GroupSpace: Hashable, Sendable {
    /// What the file system has: ``ConfinedFolder/freeBytes()``.
    package var diskBytes: UInt64

    /// The group's quota; nil without one.
    package var quota: QuotaSpace?

    package init(diskBytes: UInt64, quota: QuotaSpace? = nil) {
        self.diskBytes = diskBytes
        self.quota = quota
    }
}

/// What a group may keep, and what of that is left.
package struct QuotaSpace: Hashable, Sendable {
    package var quotaBytes: UInt64
    package var leftBytes: UInt64

    package init(quotaBytes: UInt64, leftBytes: UInt64) {
        self.quotaBytes = quotaBytes
        self.leftBytes = leftBytes
    }
}

/// Too little space for a download.
package struct SpaceRefusal: Hashable, Sendable {
    /// What the download still needs.
    package let needBytes: UInt64

    /// What is free once everything in flight is whole, and ``SpaceReservations/floorBytes`` kept.
    package let freeBytes: UInt64

    /// Where, for the sentence.
    package let path: String

    /// The quota that is the bound; nil where the file system is.
    package let quotaBytes: UInt64?

    /// How much more would be enough.
    package var missingBytes: UInt64 { needBytes - min(needBytes, freeBytes) }

    /// `the download needs 1.2 GiB, 300.0 MiB are free on PATH after what is in flight`.
    ///
    /// With a quota: `…, 300.0 MiB are left of the group's quota of 2.0 GiB after what is in flight`.
    /// In bytes where the rounded figures would be the same.
    package var sentence: String {
        let need = ByteCount(bytes: needBytes).description
        let free = ByteCount(bytes: freeBytes).description
        let words = need == free ? ("\(needBytes) B", "\(freeBytes) B") : (need, free)
        let place =
            quotaBytes.map { "left of the group's quota of \(ByteCount(bytes: $0))" }
            ?? "free on \(path)"
        return "the download needs \(words.0), \(words.1) are \(place) after what is in flight"
    }
}

/// The space of one file system that downloads in flight have yet to fill.
///
/// A download of unknown size reserves nothing until its size is known, and is judged then. As many
/// entries as there are downloads in flight.
package struct SpaceReservations: Hashable, Sendable {
    /// What is never given to downloads: the database beside them needs some.
    package static let floorBytes: UInt64 = 1 << 20

    /// By row.
    private var remaining: [Int64: UInt64] = [:]

    /// What downloads without a reservation have received, by row.
    private var open: [Int64: UInt64] = [:]

    /// All that has arrived, and perhaps more: of an ended download, all it was expected to write.
    package private(set) var writtenBytes: UInt64 = 0

    package init() {}

    /// What all of them have yet to write, in bytes; the largest number where the sum is larger.
    package var reservedBytes: UInt64 { SpaceReservations.sum(remaining.values) }

    /// What one of them has yet to write, as far as is known.
    package func remainingBytes(of row: Int64) -> UInt64 { remaining[row] ?? 0 }

    /// Reserves what a download needs, in the place of what it had.
    ///
    /// - Parameters:
    ///   - row: Of the download.
    ///   - needBytes: What has yet to be written: its size without what it has received.
    ///   - space: What there is.
    ///   - path: Where, for the sentence.
    /// - Returns: Why not, and then it has nothing reserved.
    package mutating func reserve(
        _ row: Int64, needBytes: UInt64, in space: GroupSpace, path: String
    ) -> SpaceRefusal? {
        remaining[row] = nil
        let reserved = reservedBytes
        let taken = SpaceReservations.sum([reserved, SpaceReservations.floorBytes])
        var free = space.diskBytes > taken ? space.diskBytes - taken : 0
        var bound: UInt64?
        if let quota = space.quota {
            let left = quota.leftBytes > reserved ? quota.leftBytes - reserved : 0
            if left < free {
                free = left
                bound = quota.quotaBytes
            }
        }
        guard needBytes <= free else {
            return SpaceRefusal(
                needBytes: needBytes, freeBytes: free, path: path, quotaBytes: bound)
        }
        remaining[row] = needBytes
        return nil
    }

    /// Bytes have arrived, or a transfer has begun again with an emptied file.
    ///
    /// - Parameters:
    ///   - row: Of the download; nothing changes for one without a reservation.
    ///   - bytes: What it has yet to write now.
    package mutating func setRemaining(_ row: Int64, bytes: UInt64) {
        guard let old = remaining[row] else { return }
        if bytes < old { writtenBytes &+= old - bytes }
        remaining[row] = bytes
    }

    /// Bytes of a download have arrived whose size nobody knows.
    package mutating func setReceived(_ row: Int64, bytes: UInt64) {
        let old = open[row] ?? 0
        if bytes > old { writtenBytes &+= bytes - old }
        open[row] = bytes
    }

    /// The download is in flight no more.
    package mutating func release(_ row: Int64) {
        writtenBytes &+= remaining.removeValue(forKey: row) ?? 0
        open[row] = nil
    }

    private static func sum(_ parts: some Sequence<UInt64>) -> UInt64 {
        parts.reduce(0) { sum, part in
            let (next, overflow) = sum.addingReportingOverflow(part)
            return overflow ? .max : next
        }
    }
}
