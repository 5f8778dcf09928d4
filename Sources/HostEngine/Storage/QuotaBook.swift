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

    /// What is left.
    ///
    /// - Parameters:
    ///   - writtenBytes: What downloads have written since the beginning.
    ///   - isExact: Look again, if anything was written.
    ///   - look: The container; nil for one that cannot be looked through, which has nothing left.
    /// - Returns: 0 when the quota is used up.
    mutating func left(
        writtenBytes: UInt64, isExact: Bool, look: () -> UInt64?
    ) -> QuotaSpace {
        if lookBytes == nil || isExact && writtenBytes != writtenAtLook {
            lookBytes = look()
            writtenAtLook = writtenBytes
        }
        let since = writtenBytes &- writtenAtLook
        guard let lookBytes,
            case let (used, overflow) = lookBytes.addingReportingOverflow(since), !overflow
        else { return QuotaSpace(quotaBytes: quotaBytes, leftBytes: 0) }
        return QuotaSpace(
            quotaBytes: quotaBytes, leftBytes: quotaBytes > used ? quotaBytes - used : 0)
    }
}
