internal import LinuxSystem

/// Too little space for a download.
package struct SpaceRefusal: Hashable, Sendable {
    /// What the download still needs.
    package let needBytes: UInt64

    /// What is free once everything in flight is whole, without what is never given away.
    package let freeBytes: UInt64

    /// How much more would be enough; more than what ``freeBytes`` is short of where what is in flight
    /// has no space already.
    package let missingBytes: UInt64

    /// Where, for the sentence.
    package let path: String

    /// What is never given away, where that is more than ``SpaceReservations/floorBytes``.
    package let keptFreeBytes: UInt64?

    /// The quota that is the bound; nil where the file system is.
    package let quota: QuotaSpace?

    /// `the download needs 1.2 GiB, 300.0 MiB are free on PATH after what is in flight`.
    ///
    /// With a quota: `…, 300.0 MiB are left of the group's quota of 2.0 GiB after what is in flight`.
    /// In bytes where the rounded figures would be the same.
    package var sentence: String {
        let need = ByteCount(bytes: needBytes).description
        if let quota, quota.usedBytes == .max {
            return "the download needs \(need), and what the group keeps of its quota of "
                + "\(ByteCount(bytes: quota.quotaBytes)) cannot be measured"
        }
        let free = ByteCount(bytes: freeBytes).description
        let words = need == free ? ("\(needBytes) B", "\(freeBytes) B") : (need, free)
        let place =
            quota.map { "left of the group's quota of \(ByteCount(bytes: $0.quotaBytes))" }
            ?? "free on \(path)"
        let kept =
            keptFreeBytes.map { " and the \(ByteCount(bytes: $0)) that are kept free" } ?? ""
        return "the download needs \(words.0), \(words.1) are \(place) after what is in flight"
            + kept
    }
}

/// The space of one file system that downloads in flight have yet to fill.
///
/// A download of unknown size reserves nothing until its size is known, and is judged then. As many
/// entries as there are downloads in flight.
package struct SpaceReservations: Hashable, Sendable {
    /// What is never given to downloads, at the least: the database beside them needs some.
    package static let floorBytes: UInt64 = 1 << 20

    /// By row.
    private var remaining: [Int64: UInt64] = [:]

    /// What downloads without a reservation have received, by row.
    private var open: [Int64: UInt64] = [:]

    /// All that has arrived, as far as is known.
    package private(set) var writtenBytes: UInt64 = 0

    /// What downloads were given in all and have not given back: what they have written, and what is
    /// reserved for them.
    package private(set) var givenBytes: UInt64 = 0

    package init() {}

    /// What all of them have yet to write, in bytes; the largest number where the sum is larger.
    package var reservedBytes: UInt64 { .sum(remaining.values) }

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
        if let old = remaining.removeValue(forKey: row) {
            // What is not needed any more has arrived.
            writtenBytes &+= old - min(old, needBytes)
            takeFromGiven(min(old, needBytes))
        }
        let reserved = reservedBytes
        let lack = space.lack(needBytes: needBytes, reservedBytes: reserved)
        guard lack.bytes == 0 || needBytes == 0 else {
            let isFloorTold = !lack.isOfQuota && space.floorBytes > SpaceReservations.floorBytes
            return SpaceRefusal(
                needBytes: needBytes,
                freeBytes: space.leftBytes(reservedBytes: reserved, ofQuota: lack.isOfQuota),
                missingBytes: lack.bytes, path: path,
                keptFreeBytes: isFloorTold ? space.floorBytes : nil,
                quota: lack.isOfQuota ? space.quota : nil)
        }
        remaining[row] = needBytes
        givenBytes = .sum([givenBytes, needBytes])
        return nil
    }

    /// How much more would have to be free for a need on top of what is reserved; 0 for nothing.
    package func lackBytes(needBytes: UInt64, in space: GroupSpace) -> UInt64 {
        space.lack(needBytes: needBytes, reservedBytes: reservedBytes).bytes
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

    /// A download whose size nobody knows begins, with what it has.
    package mutating func beginOpen(_ row: Int64, receivedBytes: UInt64) {
        open[row] = receivedBytes
    }

    /// Bytes of a download have arrived whose size nobody knows.
    package mutating func setReceived(_ row: Int64, bytes: UInt64) {
        let old = open[row] ?? 0
        if bytes > old {
            writtenBytes &+= bytes - old
            givenBytes = .sum([givenBytes, bytes - old])
        }
        open[row] = bytes
    }

    /// The download is in flight no more.
    ///
    /// - Parameters:
    ///   - row: Of the download.
    ///   - isWhole: It has written all; otherwise it gives back what is still reserved.
    package mutating func release(_ row: Int64, isWhole: Bool = false) {
        let rest = remaining.removeValue(forKey: row) ?? 0
        if isWhole { writtenBytes &+= rest } else { takeFromGiven(rest) }
        open[row] = nil
    }

    private mutating func takeFromGiven(_ bytes: UInt64) {
        givenBytes -= min(givenBytes, bytes)
    }
}
