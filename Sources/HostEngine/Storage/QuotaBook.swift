internal import LinuxSystem

/// What a group has used of its quota, looked at as seldom as possible.
///
/// Between two looks everything that downloads may have written is counted, also what has gone again:
/// it guesses too high rather than too low.
struct QuotaBook: Hashable, Sendable {
    let quotaBytes: UInt64

    /// What a look has found: nil for what could not be looked through.
    private struct Look: Hashable {
        let bytes: UInt64?
    }

    /// Nil when something else may have written since.
    private var look: Look?

    /// What downloads had written by then.
    private var writtenAtLook: UInt64 = 0

    init(quotaBytes: UInt64) {
        self.quotaBytes = quotaBytes
    }

    /// Something is gone since the last look, which guesses too high.
    private var isStale = false

    /// A worker has run, or files were taken back.
    mutating func forgetLook() { look = nil }

    /// A file is gone: the next exact look is one.
    mutating func noteRemoved() { isStale = true }

    /// What is used.
    ///
    /// - Parameters:
    ///   - writtenBytes: What downloads have written since the beginning.
    ///   - isExact: Look again, if anything was written.
    ///   - found: Looks at the container; nil for one that cannot be looked through, which has nothing left.
    /// - Returns: Of the quota what is used, or the largest number.
    mutating func space(
        writtenBytes: UInt64, isExact: Bool, found: () -> UInt64?
    ) -> QuotaSpace {
        let isOld = isStale || writtenBytes != writtenAtLook
        if look == nil || isExact && look?.bytes != nil && isOld {
            look = Look(bytes: found())
            isStale = false
            writtenAtLook = writtenBytes
        }
        let used = (look?.bytes).map { UInt64.sum([$0, writtenBytes &- writtenAtLook]) } ?? .max
        return QuotaSpace(quotaBytes: quotaBytes, usedBytes: used)
    }
}
