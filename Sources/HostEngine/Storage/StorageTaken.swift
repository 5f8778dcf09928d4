internal import Containers
internal import DownloadStore
internal import LinuxSystem

/// What was taken back.
package struct StorageTaken: Hashable, Sendable {
    /// Paths in the container, in the order they went.
    package var files: [String] = []
    package var bytes: UInt64 = 0

    /// How many stayed because somebody reads them.
    package var inUse = 0
    package var faults: [String] = []

    /// The most faults that are told.
    private static let mostFaults = 10

    package init() {}

    /// `1 file` or `2 files`.
    package static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }

    mutating func add(_ more: StorageTaken) {
        files += more.files
        bytes = .sum([bytes, more.bytes])
        inUse = max(inUse, more.inUse)
        for fault in more.faults { note(fault: fault) }
    }

    mutating func add(_ candidate: PurgeCandidate) {
        files.append(candidate.path)
        bytes = .sum([bytes, candidate.stamp.sizeBytes])
    }

    mutating func note(fault: String) {
        if faults.count < StorageTaken.mostFaults { faults.append(fault) }
    }

    /// Notes what came of a file whose row says that it is being taken; what the row says next.
    mutating func note(
        _ candidate: PurgeCandidate, _ outcome: PurgeOutcome
    ) -> [PublishedChange] {
        switch outcome {
        case .purged:
            add(candidate)
            return [.forgotten(candidate.rowID)]
        case .gone, .changed, .linked: return [.back(candidate.rowID)]
        case .inUse:
            inUse += 1
            return [.back(candidate.rowID)]
        case .failed(let error):
            note(fault: "\(error)")
            return []
        }
    }
}

extension PurgeOutcome {
    var isFailure: Bool {
        if case .failed = self { return true }
        return false
    }
}

/// Which files may be taken back.
enum StoragePlan {
    /// Of rows whose files were found: not the pinned ones, and none with a second name.
    ///
    /// - Parameters:
    ///   - rows: All of the container.
    ///   - sights: Where their files are.
    ///   - now: Seconds since 1970.
    ///   - isFree: Asked for unique identifiers.
    /// - Returns: What may go, in no order.
    static func candidates(
        _ rows: [PublishedFile], _ sights: PublishedSights, now: Int64, isFree: (String) -> Bool
    ) -> [PurgeCandidate] {
        rows.compactMap { row in
            guard !row.isPinned, !row.isPurging, let sight = sights.found[row.rowID],
                sight.links == 1, isFree(row.uniqueIdentifier)
            else { return nil }
            return candidate(
                row, path: sight.path, accessedSeconds: sight.accessedSeconds, now: now)
        }
    }

    static func candidate(
        _ row: PublishedFile, path: String, accessedSeconds: Int64, now: Int64
    ) -> PurgeCandidate {
        PurgeCandidate(
            rowID: row.rowID, uniqueIdentifier: row.uniqueIdentifier, path: path,
            stamp: row.stamp, lastUsed: row.lastUse(accessed: accessedSeconds, now: now))
    }

    /// The file of a row as the row has it.
    static func candidate(_ row: PublishedFile) -> PurgeCandidate {
        PurgeCandidate(
            rowID: row.rowID, uniqueIdentifier: row.uniqueIdentifier, path: row.path,
            stamp: row.stamp, lastUsed: row.lastUsed)
    }
}
