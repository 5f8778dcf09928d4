package import LinuxSystem

/// What one worker may add to its container: bytes in all, and new files.
///
/// `RLIMIT_FSIZE` bounds each file; this bounds them together. It is sampled, so a plugin can pass
/// it for one sampling interval.
package struct WrittenBudget: Hashable, Sendable {
    /// Most new files of a worker.
    package static let newFiles: UInt64 = 1024

    /// Most entries that a container is looked through for, past what was there at the start.
    private static let mostFound: UInt64 = 4 * newFiles

    /// Its own bound.
    private let bytes: UInt64

    /// What the quota left at its start, and files that have made way since; nil without a quota.
    private var quotaLeftBytes: UInt64?

    /// What of that was given to downloads since.
    private var givenBytes: UInt64 = 0
    private var start: FolderUse?

    /// What the last measurement has found: more bytes than it may have.
    private var isPastBytes = false

    /// What the host itself has published since the start, which is not the plugin's doing.
    private var published = FolderUse()

    /// - Parameters:
    ///   - bytes: What the worker may write.
    ///   - quotaLeftBytes: What the quota of its group leaves; nil without one.
    package init(bytes: UInt64, quotaLeftBytes: UInt64? = nil) {
        self.bytes = bytes
        self.quotaLeftBytes = quotaLeftBytes
    }

    private var allowedBytes: UInt64 {
        guard let quotaLeftBytes else { return bytes }
        return min(bytes, quotaLeftBytes - min(quotaLeftBytes, givenBytes))
    }

    /// It was spent in bytes, and would not have been but for the quota.
    package var isEndedByQuota: Bool { isPastBytes && allowedBytes < bytes }

    /// How much is made free at a time for a worker that the quota keeps from writing.
    package var nextStepBytes: UInt64 { min(bytes - allowedBytes, 1 << 20) }

    /// Downloads have been given space since it began, which the quota leaves it no more.
    ///
    /// - Parameter bytes: All together; what they have given back may be in it.
    package mutating func noteGiven(bytes: UInt64) { givenBytes = bytes }

    /// Where to stop looking.
    package var mostFiles: UInt64 {
        guard let start else { return .max }
        let most = start.files.addingReportingOverflow(published.files + WrittenBudget.mostFound)
        return most.overflow ? .max : most.partialValue
    }

    /// The host has put a file into the container.
    package mutating func notePublished(bytes: UInt64) {
        published.bytes &+= bytes
        published.files += 1
    }

    /// The host has taken files back: what was there is less, and the quota leaves more.
    ///
    /// - Parameters:
    ///   - bytes: Of all of them.
    ///   - files: How many.
    package mutating func noteTaken(bytes: UInt64, files: UInt64) {
        quotaLeftBytes = quotaLeftBytes.map { .sum([$0, bytes]) }
        noteRemoved(bytes: bytes, files: files)
    }

    /// The host has removed files that were published before or since the start.
    ///
    /// - Parameters:
    ///   - bytes: Of all of them.
    ///   - files: How many.
    package mutating func noteRemoved(bytes: UInt64, files: UInt64) {
        guard let start else { return }
        let here = (bytes: min(start.bytes, bytes), files: min(start.files, files))
        self.start = FolderUse(bytes: start.bytes - here.bytes, files: start.files - here.files)
        published.bytes -= min(published.bytes, bytes - here.bytes)
        published.files -= min(published.files, files - here.files)
    }

    /// Takes in a measurement; the first one says what was there before.
    ///
    /// - Parameters:
    ///   - use: Nil for one that found too much.
    ///   - arriving: What the host may be publishing at this moment; nil when nobody knows how
    ///     large it is.
    /// - Returns: True when the budget is spent.
    package mutating func isSpent(by use: FolderUse?, arriving: FolderUse? = FolderUse()) -> Bool {
        isPastBytes = false
        guard let use else { return true }
        guard let start else {
            self.start = use
            return false
        }
        guard let arriving else { return false }
        let sums = UInt64.sum([start.bytes, published.bytes, arriving.bytes, allowedBytes])
        let files = start.files + published.files + arriving.files + WrittenBudget.newFiles
        isPastBytes = use.bytes > sums
        return isPastBytes || use.files > files
    }
}
