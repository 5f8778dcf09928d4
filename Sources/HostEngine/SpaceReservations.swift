internal import LinuxSystem

/// Too little space for a download.
package struct SpaceRefusal: Hashable, Sendable {
    /// What the download still needs.
    package let needBytes: UInt64

    /// What is free once everything in flight is whole, and ``SpaceReservations/floorBytes`` kept.
    package let freeBytes: UInt64

    /// Where, for the sentence.
    package let path: String

    /// `the download needs 1.2 GiB, 300.0 MiB are free on PATH after what is in flight`.
    ///
    /// In bytes where the rounded figures would be the same.
    package var sentence: String {
        let need = ByteCount(bytes: needBytes).description
        let free = ByteCount(bytes: freeBytes).description
        let words = need == free ? ("\(needBytes) B", "\(freeBytes) B") : (need, free)
        return "the download needs \(words.0), \(words.1) are free on \(path) "
            + "after what is in flight"
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

    package init() {}

    /// What all of them have yet to write, in bytes; the largest number where the sum is larger.
    package var reservedBytes: UInt64 { SpaceReservations.sum(remaining.values) }

    /// Reserves what a download needs, in the place of what it had.
    ///
    /// - Parameters:
    ///   - row: Of the download.
    ///   - needBytes: What has yet to be written: its size without what it has received.
    ///   - freeBytes: What the file system has: ``ConfinedFolder/freeBytes()``.
    ///   - path: Where, for the sentence.
    /// - Returns: Why not, and then it has nothing reserved.
    package mutating func reserve(
        _ row: Int64, needBytes: UInt64, freeBytes: UInt64, path: String
    ) -> SpaceRefusal? {
        remaining[row] = nil
        let taken = SpaceReservations.sum([reservedBytes, SpaceReservations.floorBytes])
        let free = freeBytes > taken ? freeBytes - taken : 0
        guard needBytes <= free else {
            return SpaceRefusal(needBytes: needBytes, freeBytes: free, path: path)
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
        if remaining[row] != nil { remaining[row] = bytes }
    }

    /// The download is in flight no more.
    package mutating func release(_ row: Int64) {
        remaining[row] = nil
    }

    private static func sum(_ parts: some Sequence<UInt64>) -> UInt64 {
        parts.reduce(0) { sum, part in
            let (next, overflow) = sum.addingReportingOverflow(part)
            return overflow ? .max : next
        }
    }
}
