internal import LinuxSystem

/// What a group has used of its quota, looked at as seldom as possible.
///
/// Between two looks everything that downloads may have written is counted, also what has gone again:
/// it guesses too high rather than too low.
struct QuotaBook: Hashable, Sendable {
    let quotaBytes: UInt64

    /// What the last look has found; nil when something else may have written since.
    private var lookBytes: UInt64?

    /// What downloads had written by then.
    private var writtenAtLook: UInt64 = 0

    init(quotaBytes: UInt64) {
        self.quotaBytes = quotaBytes
    }

    /// A worker has run, or files were taken back.
    mutating func forgetLook() { lookBytes = nil }

    /// What is used.
    ///
    /// - Parameters:
    ///   - writtenBytes: What downloads have written since the beginning.
    ///   - isExact: Look again, if anything was written.
    ///   - look: The container; nil for one that cannot be looked through, which has nothing left.
    /// - Returns: Of the quota what is used, or the largest number.
    mutating func space(
        writtenBytes: UInt64, isExact: Bool, look: () -> UInt64?
    ) -> QuotaSpace {
        if lookBytes == nil || isExact && writtenBytes != writtenAtLook {
            lookBytes = look()
            writtenAtLook = writtenBytes
        }
        let used = lookBytes.map { UInt64.sum([$0, writtenBytes &- writtenAtLook]) } ?? .max
        return QuotaSpace(quotaBytes: quotaBytes, usedBytes: used)
    }
}
