internal import Containers
internal import DownloadScheduler
package import DownloadStore
package import LinuxSystem

/// Keeps the rows of published files true, and takes files back where space is wanting.
///
/// The row decides what is the system's to take back: docs/purgeable.md. Of one container, which this
/// host has taken, and of one store. Not thread-safe.
package final class StorageKeeper {
    private let store: DownloadStore
    let place: StoragePlace
    private let purge: FilePurge
    private let now: () -> Instant

    /// Most entries of `.bahost/` that are looked through.
    private static let mostNames = 1_000_000

    /// The most rows that are made again.
    private static let mostRebuilt = 100_000

    /// The most rows that are changed in one transaction.
    private static let batchSize = 256

    /// What could be taken back at the last look that was not enough, and until when that counts.
    private var shortage: (bytes: UInt64, until: Instant)?

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
    private func rows() throws(DownloadStoreError) -> [PublishedFile] {
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
        let rows = try rows()
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
                guard sight.path != row.path || sight.accessedSeconds > row.lastUsed else {
                    continue
                }
                changes.append(
                    .seen(row.rowID, path: sight.path, lastUsed: sight.accessedSeconds))
            } else if sights.isComplete {
                changes.append(.forgotten(row.rowID))
                // Another file of the download is there: nothing is missing.
                guard names[FileName(row)] == 1 else { continue }
                review.note(row, isThere: place.hasEntry(row.path))
            }
        }
        try apply(changes)
        return review
    }

    /// Makes rows again for published files, after the database was lost.
    ///
    /// Their marks tell them, of files that are still what was published; what an app has changed or
    /// copied is its own. Identifiers are the files' names by then.
    ///
    /// - Parameter app: Whose they are.
    /// - Returns: How many were found; 0 for a database that was not lost.
    /// - Throws: ``DownloadStoreError``.
    package func rebuild(app: String) throws(DownloadStoreError) -> Int {
        // Whoever has published has had a download.
        guard try store.apps(limit: 1).isEmpty, try rows().isEmpty else { return 0 }
        var changes: [PublishedChange] = []
        _ = try? ContainerScan.eachUntouched(in: place.folders) { file, mark in
            // Whoever can write a file can give it any mark.
            guard changes.count < StorageKeeper.mostRebuilt else { return }
            let row = PublishedFile(
                app: app, identifier: Paths.names(of: file.path).last.map(String.init) ?? "",
                uniqueIdentifier: mark, container: place.path, path: file.path, stamp: file.stamp,
                publishedAt: file.stamp.modifiedNanoseconds / 1_000_000_000,
                lastUsed: file.accessedSeconds)
            if RecordBounds.fault(in: row) == nil { changes.append(.rebuilt(row)) }
        }
        if !changes.isEmpty { try apply(changes) }
        return try changes.isEmpty ? 0 : rows().count
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

    private func apply(_ changes: [PublishedChange]) throws(DownloadStoreError) {
        var rest = changes[...]
        while !rest.isEmpty {
            _ = try store.changePublished(Array(rest.prefix(StorageKeeper.batchSize)))
            rest = rest.dropFirst(StorageKeeper.batchSize)
        }
    }

    // MARK: - Taking back

    /// Takes files back, the longest unused first, until so many bytes are free that were not.
    ///
    /// - Parameters:
    ///   - need: In bytes; no more files go than that needs.
    ///   - isPartWelcome: Take also what is less than that in all; otherwise nothing goes then.
    ///   - isSpared: Asked for unique identifiers: those stay.
    /// - Returns: What went.
    /// - Throws: ``DownloadStoreError``; what was taken by then is gone.
    package func free(
        bytes need: UInt64, isPartWelcome: Bool = false, isSpared: (String) -> Bool = { _ in false }
    ) throws(DownloadStoreError) -> StorageTaken {
        var taken = StorageTaken()
        if let shortage, !isPartWelcome, need > shortage.bytes, now() < shortage.until {
            return taken
        }
        let begin = now()
        let undelivered = try undeliveredIdentifiers()
        let rows = try rows()
        guard let sights = try? place.find(rows) else { return taken }
        var candidates = StoragePlan.candidates(rows, sights) {
            !undelivered.contains($0) && !isSpared($0)
        }
        let sum = candidates.reduce(0) { $0 &+ $1.stamp.sizeBytes }
        guard isPartWelcome || sum >= need else {
            let end = now()
            // Looking takes no more than a twentieth of the time.
            shortage = (sum, end + (end - begin) * 20)
            return taken
        }
        while taken.bytes < need {
            let chosen = PurgePlan.choose(candidates, needBytes: need - taken.bytes)
            if chosen.isEmpty { break }
            let tried = Set(chosen.map(\.rowID))
            candidates.removeAll { tried.contains($0.rowID) }
            try take(chosen, &taken)
        }
        return taken
    }

    /// Ended downloads that an extension has yet to be told of: it will be given their paths.
    private func undeliveredIdentifiers() throws(DownloadStoreError) -> Set<String> {
        var found: Set<String> = []
        for app in try store.apps(limit: DownloadStore.listLimit) {
            for record in try store.undelivered(app: app) { found.insert(record.uniqueIdentifier) }
        }
        return found
    }

    private func take(
        _ chosen: [PurgeCandidate], _ taken: inout StorageTaken
    ) throws(DownloadStoreError) {
        var rest = chosen[...]
        while !rest.isEmpty {
            var batch = Array(rest.prefix(StorageKeeper.batchSize))
            rest = rest.dropFirst(batch.count)
            for skipped in try store.changePublished(batch.map { .purging($0.rowID) }).reversed() {
                batch.remove(at: skipped)
            }
            let outcomes = batch.map { purge.take($0) }
            var changes: [PublishedChange] = []
            for (candidate, outcome) in zip(batch, outcomes) {
                changes.append(contentsOf: taken.note(candidate, outcome))
            }
            let purged = zip(batch, outcomes).filter { $1 == .purged }.map(\.0)
            do throws(SystemError) {
                try purge.sync(purged)
            } catch {
                // Their rows go on being purged: the next start sees what has become of them.
                taken.faults.append("\(error)")
                let rows = Set(purged.map { PublishedChange.forgotten($0.rowID) })
                changes.removeAll { rows.contains($0) }
            }
            try apply(changes)
            if outcomes.contains(where: \.isFailure) { try recover() }
        }
    }
}

/// What a look at rows and files has found out.
package struct StorageReview: Hashable, Sendable {
    /// Identifiers of files that are nowhere.
    package private(set) var gone: [String] = []

    /// Identifiers of files in whose place something else is by now.
    package private(set) var changed: [String] = []

    /// False when there was too much to look through.
    package var isComplete = true

    /// Why nothing could be looked at.
    package var fault: String?

    /// The most files that are named.
    private static let mostNamed = 10

    package init() {}

    mutating func note(_ row: PublishedFile, isThere: Bool) {
        if isThere { changed.append(row.identifier) } else { gone.append(row.identifier) }
    }

    /// One sentence each, without full stops.
    package var sentences: [String] {
        var sentences = fault.map { ["cannot look for published files: \($0)"] } ?? []
        if !isComplete {
            sentences.append("there is too much in the container to find the published files in")
        }
        sentences += StorageReview.some(gone) {
            "\($0): its file is gone, and is fetched again when it is asked for"
        }
        sentences += StorageReview.some(changed) {
            "\($0): its file was changed, and is no longer taken back"
        }
        return sentences
    }

    private static func some(_ names: [String], _ sentence: (String) -> String) -> [String] {
        let more = names.count - mostNamed
        return names.prefix(mostNamed).map(sentence)
            + (more > 0 ? [sentence("\(more) more")] : [])
    }
}

/// What was taken back.
package struct StorageTaken: Hashable, Sendable {
    /// Paths in the container, in the order they went.
    package var files: [String] = []
    package var bytes: UInt64 = 0

    /// How many stayed because somebody reads them.
    package var inUse = 0
    package var faults: [String] = []

    package init() {}

    /// Notes what came of a file whose row says that it is being taken; what the row says next.
    fileprivate mutating func note(
        _ candidate: PurgeCandidate, _ outcome: PurgeOutcome
    ) -> [PublishedChange] {
        switch outcome {
        case .purged:
            files.append(candidate.path)
            bytes += candidate.stamp.sizeBytes
            return [.forgotten(candidate.rowID)]
        case .gone, .changed: return [.back(candidate.rowID)]
        case .inUse:
            inUse += 1
            return [.back(candidate.rowID)]
        case .linked: return [.back(candidate.rowID)]
        case .failed(let error):
            faults.append("\(error)")
            return []
        }
    }
}

extension PurgeOutcome {
    fileprivate var isFailure: Bool {
        if case .failed = self { return true }
        return false
    }
}

/// Which files may be taken back.
enum StoragePlan {
    /// Of rows whose files were found: not the pinned ones, and none with a second name.
    static func candidates(
        _ rows: [PublishedFile], _ sights: PublishedSights, isFree: (String) -> Bool
    ) -> [PurgeCandidate] {
        rows.compactMap { row in
            guard !row.isPinned, !row.isPurging, let sight = sights.found[row.rowID],
                sight.links == 1, isFree(row.uniqueIdentifier)
            else { return nil }
            return candidate(row, path: sight.path, accessedSeconds: sight.accessedSeconds)
        }
    }

    static func candidate(
        _ row: PublishedFile, path: String? = nil, accessedSeconds: Int64 = 0
    ) -> PurgeCandidate {
        PurgeCandidate(
            rowID: row.rowID, uniqueIdentifier: row.uniqueIdentifier, path: path ?? row.path,
            stamp: row.stamp, lastUsed: max(row.lastUsed, accessedSeconds))
    }
}
