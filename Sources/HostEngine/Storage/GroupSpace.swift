internal import LinuxSystem

/// What bounds the bytes of a container: the file system, and perhaps a quota.
package struct GroupSpace: Hashable, Sendable {
    /// What the file system has: ``ConfinedFolder/freeBytes()``.
    package var diskBytes: UInt64

    /// What of that is never given away.
    package var floorBytes: UInt64

    /// The group's quota; nil without one.
    package var quota: QuotaSpace?

    /// - Parameters:
    ///   - diskBytes: What the file system has.
    ///   - floorBytes: What of that is never given away.
    ///   - quota: Of the group; nil without one.
    package init(
        diskBytes: UInt64, floorBytes: UInt64 = SpaceReservations.floorBytes,
        quota: QuotaSpace? = nil
    ) {
        self.diskBytes = diskBytes
        self.floorBytes = floorBytes
        self.quota = quota
    }

    /// What there is for a need on top of what is reserved.
    ///
    /// - Parameters:
    ///   - needBytes: In bytes.
    ///   - reservedBytes: What is in flight has yet to write.
    /// - Returns: How much more would have to be free, however far space is overdrawn already, and of
    ///   which bound; of both the one that wants more.
    func lack(needBytes: UInt64, reservedBytes: UInt64) -> (bytes: UInt64, isOfQuota: Bool) {
        let onDisk = GroupSpace.excess(
            of: needBytes, and: [reservedBytes, floorBytes], over: diskBytes)
        guard let quota else { return (onDisk, false) }
        let ofQuota = GroupSpace.excess(
            of: needBytes, and: [reservedBytes, quota.usedBytes], over: quota.quotaBytes)
        return ofQuota > onDisk ? (ofQuota, true) : (onDisk, false)
    }

    /// What is left of one bound once everything in flight is whole.
    func leftBytes(reservedBytes: UInt64, ofQuota: Bool) -> UInt64 {
        guard ofQuota, let quota else {
            return GroupSpace.rest(of: diskBytes, without: [reservedBytes, floorBytes])
        }
        return GroupSpace.rest(of: quota.quotaBytes, without: [reservedBytes, quota.usedBytes])
    }

    private static func excess(
        of need: UInt64, and parts: [UInt64], over bound: UInt64
    ) -> UInt64 {
        guard need > rest(of: bound, without: parts) else { return 0 }
        // One at the least, where the sum is larger than any number.
        return max(1, rest(of: .sum([need] + parts), without: [bound]))
    }

    private static func rest(of bytes: UInt64, without parts: [UInt64]) -> UInt64 {
        let sum = UInt64.sum(parts)
        return bytes > sum ? bytes - sum : 0
    }
}

/// What a group may keep, and what it keeps.
package struct QuotaSpace: Hashable, Sendable {
    package var quotaBytes: UInt64

    /// Without what is reserved; the largest number where it could not be measured.
    package var usedBytes: UInt64

    package init(quotaBytes: UInt64, usedBytes: UInt64) {
        self.quotaBytes = quotaBytes
        self.usedBytes = usedBytes
    }
}

extension UInt64 {
    /// The sum, or the largest number where that is larger.
    static func sum(_ parts: some Sequence<UInt64>) -> UInt64 {
        parts.reduce(0) { sum, part in
            let (next, overflow) = sum.addingReportingOverflow(part)
            return overflow ? .max : next
        }
    }
}
