internal import Containers
internal import DownloadScheduler
package import DownloadStore
package import LinuxSystem

/// Keeps the rows of published files true, and takes files back where space is wanting.
///
/// The row decides what is the system's to take back: docs/purgeable.md. Of one container, which this
/// host has taken, and of one store. Not thread-safe.
package final class StorageKeeper {
    let store: DownloadStore
    let place: StoragePlace
    let purge: FilePurge
    let now: () -> Instant

    /// Most entries of `.bahost/` that are looked through.
    private static let mostNames = 1_000_000

    /// The most rows that are made again.
    private static let mostRebuilt = 100_000

    /// The most rows that are changed in one transaction, so that a full disk's ballast holds it.
    static let batchSize = 256

    /// What may go, as the last look has found it, and until when that counts.
    var candidates: (all: [PurgeCandidate], until: Instant)?

    /// What could be taken back when it was not enough, and until when that counts.
    var shortage: (bytes: UInt64, until: Instant)?

    /// The container says which state has its list.
    var hasSaid = false

    /// There was no space to take the list up: the next start does.
    var isUnsettled = false

    /// Another state has it.
    var isAnothers = false

    /// Rows of files that the host could not remove: not tried again by it.
    var unremovable: Set<Int64> = []

    /// - Parameters:
    ///   - container: Its lock stays this host's for as long as the keeper lives.
    ///   - store: Open.
    ///   - now: The clock that looks are spaced by.
    package init(
        _ container: borrowing GroupContainer, store: DownloadStore,
        now: @escaping () -> Instant = BootClock.now
    ) {
        place = StoragePlace(container)
        purge = FilePurge(place.folders, privateFolder: place.privateFolder)
        self.store = store
        self.now = now
    }

    // MARK: - Rows and files

    /// All rows of the container.
    func rows() throws(DownloadStoreError) -> [PublishedFile] {
        var rows: [PublishedFile] = []
        while true {
            let last = rows.last?.rowID ?? 0
            let page = try store.publishedFiles(container: place.path, after: last)
            if page.isEmpty { return rows }
            rows += page
        }
    }

    /// Ends what an interrupted purge has begun; `.bahost/` has nothing of it afterwards.
    ///
    /// - Returns: How many files are gone by it.
    /// - Throws: ``DownloadStoreError``.
    @discardableResult
    package func recover() throws(DownloadStoreError) -> Int {
        candidates = nil
        var count = 0
        var last: Int64 = 0
        var unsettled: Set<String> = []
        while true {
            var rows = try store.purgingFiles(container: place.path, after: last)
            guard let row = rows.last else { break }
            last = row.rowID
            // All of them first: what comes back to its place is found then.
            let held = rows.map { try? purge.settle(StoragePlan.candidate($0)) }
            for (row, isHeld) in zip(rows, held) where isHeld == nil {
                unsettled.insert(row.uniqueIdentifier)
            }
            rows.removeAll { unsettled.contains($0.uniqueIdentifier) }
            let settled = held.compactMap(\.self)
            count += settled.count { $0 }
            try end(rows, settled)
        }
        _ = try? purge.removeOrphans(limit: StorageKeeper.mostNames) { unsettled.contains($0) }
        return count
    }

    /// What becomes of rows that were being purged, by whether their files were in `.bahost/`.
    private func end(_ rows: [PublishedFile], _ held: [Bool]) throws(DownloadStoreError) {
        let sights = try? place.findTwice(rows)
        try apply(
            zip(rows, held).map { row, isHeld in
                let action = PurgeRecovery.action(
                    isHeld: isHeld, isFound: sights?.found[row.rowID] != nil,
                    isComplete: sights?.isComplete ?? false)
                return switch action {
                case .forget: .forgotten(row.rowID)
                case .putBack: .back(row.rowID)
                }
            })
    }

    /// Holds rows and files against each other: notes where files were moved to and when they were
    /// used, and forgets those that are gone or are no longer what was published.
    ///
    /// - Returns: What was found out.
    /// - Throws: ``DownloadStoreError``.
    package func review() throws(DownloadStoreError) -> StorageReview {
        candidates = nil
        let rows = try rows()
        let wallSeconds = BootClock.wallSeconds()
        var review = StorageReview()
        guard !rows.isEmpty else { return review }
        let sights: PublishedSights
        do throws(SystemError) {
            sights = try place.findTwice(rows)
        } catch {
            review.fault = "\(error)"
            return review
        }
        review.isComplete = sights.isComplete
        var names: [FileName: Int] = [:]
        for row in rows { names[FileName(row), default: 0] += 1 }
        var changes: [PublishedChange] = []
        for row in rows {
            if let sight = sights.found[row.rowID] {
                let lastUse = row.lastUse(accessed: sight.accessedSeconds, now: wallSeconds)
                let isMoved = !sight.path.utf8.elementsEqual(row.path.utf8)
                guard isMoved || lastUse != row.lastUsed else { continue }
                changes.append(
                    .seen(row.rowID, path: sight.path, lastUsed: sight.accessedSeconds))
            } else {
                // What could not be reached may be where it cannot be seen.
                if sights.isComplete { changes.append(.forgotten(row.rowID)) }
                // Another file of the download is there: nothing is missing.
                guard names[FileName(row)] == 1 else { continue }
                review.note(row, isThere: place.hasEntry(row.path))
            }
        }
        try note(changes)
        return review
    }

    /// Stores what is known of files, in small steps; on a full disk it is found out again.
    func note(_ changes: [PublishedChange]) throws(DownloadStoreError) {
        var rest = changes[...]
        do throws(DownloadStoreError) {
            while !rest.isEmpty {
                try apply(Array(rest.prefix(StorageKeeper.batchSize)))
                rest = rest.dropFirst(StorageKeeper.batchSize)
            }
        } catch {
            guard case .noSpace = error.code else { throw error }
        }
    }

    /// Makes rows again for published files, after the database was lost: all of them or none.
    ///
    /// Their marks tell them, of files that are still what was published; what an app has changed or
    /// copied is its own. Identifiers are the files' names by then.
    ///
    /// - Parameter app: Whose they are.
    /// - Returns: How many were found, and whether all could be looked through.
    /// - Throws: ``DownloadStoreError``.
    package func rebuild(
        app: String
    ) throws(DownloadStoreError) -> (count: Int, isComplete: Bool) {
        candidates = nil
        var changes: [PublishedChange] = []
        var isCut = false
        let wasAllSeen = try? ContainerScan.eachUntouched(in: place.folders) { file, mark in
            // Whoever can write a file can give it any mark.
            guard changes.count < StorageKeeper.mostRebuilt else {
                isCut = true
                return
            }
            let row = PublishedFile(
                app: app, identifier: Paths.names(of: file.path).last.map(String.init) ?? "",
                uniqueIdentifier: mark, container: place.path, path: file.path, stamp: file.stamp,
                publishedAt: file.stamp.modifiedNanoseconds / 1_000_000_000,
                lastUsed: file.accessedSeconds)
            if RecordBounds.fault(in: row) == nil { changes.append(.rebuilt(row)) }
        }
        let isComplete = !isCut && wasAllSeen ?? false
        guard !changes.isEmpty else { return (0, isComplete) }
        return (changes.count - (try store.changePublished(changes)).count, isComplete)
    }

    /// Whose file it is, for rows of replaced ones.
    private struct FileName: Hashable {
        let app: String
        let identifier: String

        init(_ row: PublishedFile) {
            app = row.app
            identifier = row.identifier
        }
    }

    func apply(_ changes: [PublishedChange]) throws(DownloadStoreError) {
        guard !changes.isEmpty else { return }
        _ = try store.changePublished(changes)
    }
}
