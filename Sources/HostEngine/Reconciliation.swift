package import DownloadScheduler
internal import Glibc

/// What a start does about each stored download, from its row and what lies on the disk.
///
/// A decision alone: nothing is read, changed or removed here. Design §6. The rows are those of an
/// unclean stop, before or after their requeueing, and those that ended without the extension having
/// been told.
package enum Reconciliation {
    /// How the names of partial files end.
    package static let partialEnding = ".partial"

    /// What lies under a published file's name.
    package enum Published: Hashable, Sendable {
        /// A regular file: its length, and the unique identifier of the download it says it is of.
        case file(bytes: UInt64, mark: String?)

        /// A folder, a link, a FIFO: not the host's work.
        case other
    }

    /// What lies on the disk for one row.
    package struct Found: Hashable, Sendable {
        /// The length of the partial file; nil without one.
        package var partialBytes: UInt64?

        /// Nil when there is nothing of the name.
        package var published: Published?

        package init(partialBytes: UInt64? = nil, published: Published? = nil) {
            self.partialBytes = partialBytes
            self.published = published
        }
    }

    package enum Action: Hashable, Sendable {
        /// Row and disk agree.
        case nothing

        /// The row's resume point becomes this, which both row and file vouch for.
        case resume(from: UInt64)

        /// The row's resume point becomes 0 and its validator goes; a partial file is removed.
        case startOver

        /// The file was published and the row not yet told: read it, hash it, and finish the row; with
        /// another hash or length than agreed, as ``startOver``, and the file stays.
        case verifyPublished

        /// The row fails, and the extension is told of that.
        case fail(DownloadFailure)

        /// The partial file of a download that has ended is removed.
        case removePartial
    }

    /// Decides for one row.
    ///
    /// A download that is finished and delivered is the plugin's to move or delete: nothing is done.
    /// One that is finished and not delivered, and whose file is gone, fails with ENOENT: the
    /// extension is not sent to a path where nothing is, and may ask again. It is not fetched again
    /// unasked, since a plugin that deletes it on every run would have it fetched for ever.
    package static func action(for record: DownloadRecord, found: Found) -> Action {
        switch record.state {
        case .created, .waiting, .downloading, .paused: unfinished(record, found)
        case .finished: finished(record, found)
        case .failed, .cancelled: found.partialBytes == nil ? .nothing : .removePartial
        }
    }

    private static func unfinished(_ record: DownloadRecord, _ found: Found) -> Action {
        let size = record.sizeBytes ?? record.totalBytes
        guard let partialBytes = found.partialBytes else {
            if isOurs(found.published, record, size) { return .verifyPublished }
            return record.receivedBytes == 0 ? .nothing : .startOver
        }
        let start = min(record.receivedBytes, partialBytes)
        // A row that claims more than the whole is wrong about something.
        guard start > 0, record.receivedBytes <= size ?? .max else { return .startOver }
        return .resume(from: start)
    }

    /// Whether the host published this file for this row, and stopped before the row said so.
    ///
    /// An earlier file of the same name and length may lie there. Its mark tells; where the file
    /// system keeps none, the agreed hash will.
    private static func isOurs(
        _ published: Published?, _ record: DownloadRecord, _ size: UInt64?
    ) -> Bool {
        guard case .file(let bytes, let mark) = published, bytes == size ?? bytes
        else { return false }
        guard let mark else { return record.sha256 != nil && size != nil }
        return mark == record.uniqueIdentifier
    }

    private static func finished(_ record: DownloadRecord, _ found: Found) -> Action {
        if !record.isDelivered {
            guard case .file = found.published else { return .fail(lost(record)) }
        }
        return found.partialBytes == nil ? .nothing : .removePartial
    }

    private static func lost(_ record: DownloadRecord) -> DownloadFailure {
        DownloadFailure(
            domain: .errno, code: ENOENT,
            message: "the file of \(record.identifier) was gone "
                + "before the extension was told of it")
    }

    /// Finds what in `.bahost/` belongs to no download and goes.
    ///
    /// - Parameters:
    ///   - names: Partial files, and what an interrupted start left; others are left alone.
    ///   - isUnfinished: Asked for each partial file's unique identifier. A folder that several
    ///     databases use has to ask them all.
    /// - Returns: Those of the names.
    package static func orphans(
        among names: [String], isUnfinished: (String) -> Bool
    ) -> [String] {
        names.filter { name in
            guard name.hasSuffix(partialEnding) else { return name == "manifest" }
            return !isUnfinished(String(name.dropLast(partialEnding.utf8.count)))
        }
    }
}
