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

    private let bytes: UInt64
    private var start: FolderUse?

    /// What the host itself has published since the start, which is not the plugin's doing.
    private var published = FolderUse()

    package init(bytes: UInt64) {
        self.bytes = bytes
    }

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

    /// Takes in a measurement; the first one says what was there before.
    ///
    /// - Parameters:
    ///   - use: Nil for one that found too much.
    ///   - arriving: What the host may be publishing at this moment; nil when nobody knows how
    ///     large it is.
    /// - Returns: True when the budget is spent.
    package mutating func isSpent(by use: FolderUse?, arriving: FolderUse? = FolderUse()) -> Bool {
        guard let use else { return true }
        guard let start else {
            self.start = use
            return false
        }
        guard let arriving else { return false }
        let sums = [published.bytes, arriving.bytes, bytes].reduce(start.bytes) { sum, more in
            let (next, overflow) = sum.addingReportingOverflow(more)
            return overflow ? .max : next
        }
        let files = start.files + published.files + arriving.files + WrittenBudget.newFiles
        return use.bytes > sums || use.files > files
    }
}
