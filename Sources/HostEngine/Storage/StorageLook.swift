internal import Containers
internal import DownloadScheduler
package import DownloadStore
internal import LinuxSystem

/// What a container holds, and what of it may be taken back; also beside the host that has it.
package struct StorageLook: Sendable {
    /// Files and their bytes, holes not counted.
    package struct Sum: Hashable, Sendable {
        package var files: UInt64 = 0
        package var bytes: UInt64 = 0

        package init(files: UInt64 = 0, bytes: UInt64 = 0) {
            self.files = files
            self.bytes = bytes
        }

        mutating func add(_ bytes: UInt64) {
            files += 1
            self.bytes = .sum([self.bytes, bytes])
        }
    }

    /// What may be taken back.
    package private(set) var purgeable = Sum()

    /// Of those, what somebody holds a lock on, which keeps it for now.
    package private(set) var inUse = Sum()

    /// Published, and kept for an app that was not launched yet.
    package private(set) var pinned = Sum()

    /// All the rest of what lies where plugins can write.
    package private(set) var kept = Sum()

    /// What unfinished downloads have.
    package private(set) var partial = Sum()

    /// Published files that are gone or were changed, as far as could be seen.
    package private(set) var missing = Sum()

    /// What bears the marks of published files where the list has nothing of this container.
    package private(set) var unlisted = Sum()

    /// The state folder that has the list of this container, when it is another one.
    package private(set) var otherList: String?
    package let freeBytes: UInt64

    /// Whether the file system keeps the marks by which files are known after a lost database.
    package let keepsMarks: Bool

    /// False when there was too much to look through: the sums are too small then.
    package let isComplete: Bool

    /// Sentences on rows that could not be read.
    package private(set) var unreadable: [String] = []

    /// Without those in use.
    private var candidates: [PurgeCandidate] = []

    /// What was downloaded, by row.
    private var digests: [Int64: [UInt8]] = [:]

    private static let pageLength = 500

    /// Looks at it; nothing is changed.
    ///
    /// - Parameters:
    ///   - place: The container.
    ///   - reader: Of the store that has its rows; nil where there is none.
    ///   - statePath: The state folder that was asked for.
    /// - Throws: ``DownloadStoreError``, or ``SystemError`` for folders that cannot be looked into.
    package init(
        _ place: StoragePlace, reader: DownloadStoreReader?, statePath: String
    ) throws {
        var rows: [PublishedFile] = []
        let state = Paths.resolved(statePath) ?? statePath
        let path = place.rowsPath(statePath: state)
        if let reader { rows = try StorageLook.rows(at: path, reader, &unreadable) }
        let scan = try ContainerScan.scan(place.folders, wanted: Set(rows.map(\.stamp)))
        isComplete = scan.isComplete
        freeBytes = try place.freeBytes()
        keepsMarks = place.privateFolder.keepsMarks
        kept = Sum(files: scan.regularFiles, bytes: scan.use.bytes)
        partial = StorageLook.partials(in: place)
        let undelivered = try reader.map(StorageLook.undelivered) ?? []
        if rows.isEmpty { try lookForMarks(place, state) }
        for row in rows where !row.isPurging {
            guard let file = scan.file(with: row.stamp) else {
                missing.add(row.stamp.sizeBytes)
                continue
            }
            guard file.links == 1 else { continue }
            note(row, file, in: place, isUndelivered: undelivered.contains(row.uniqueIdentifier))
        }
    }

    /// What the list may have lost, or another one has.
    private mutating func lookForMarks(
        _ place: StoragePlace, _ statePath: String
    ) throws(SystemError) {
        var sum = Sum()
        try ContainerScan.eachUntouched(in: place.folders) { file, _ in
            sum.add(file.stamp.sizeBytes)
        }
        unlisted = sum
        let said = place.said
        let finding = ListFinding.judge(
            said, statePath: statePath, isEmpty: true, hasApps: true,
            wasMoved: said.map(place.wasMoved) ?? false, hasList: StorageKeeper.hasList)
        if case .others(let folder) = finding { otherList = folder }
    }

    private mutating func note(
        _ row: PublishedFile, _ file: FoundFile, in place: StoragePlace, isUndelivered: Bool
    ) {
        let bytes = row.stamp.sizeBytes
        if row.isPinned { return move(bytes, to: \.pinned) }
        // An extension will be given its path.
        if isUndelivered { return }
        move(bytes, to: \.purgeable)
        if place.isInUse(file.path) { return inUse.add(bytes) }
        digests[row.rowID] = row.sha256
        candidates.append(
            StoragePlan.candidate(
                row, path: file.path, accessedSeconds: file.accessedSeconds,
                now: BootClock.wallSeconds()))
    }

    /// What would be taken back for so many bytes, the longest unused first.
    package func plan(needBytes: UInt64) -> StorageTaken {
        var taken = StorageTaken()
        for candidate in PurgePlan.choose(candidates, needBytes: needBytes) {
            taken.add(candidate)
        }
        taken.inUse = Int(inUse.files)
        return taken
    }

    /// What is damaged: it is read for that.
    ///
    /// - Parameter place: What was looked at.
    /// - Returns: What would be taken back, and faults of files that could not be read.
    package func planDamaged(in place: StoragePlace) -> StorageTaken {
        var taken = StorageTaken()
        for candidate in candidates {
            guard let sha256 = digests[candidate.rowID] else { continue }
            do throws(SystemError) {
                guard try place.isDamaged(candidate.path, sha256: sha256) else { continue }
            } catch {
                taken.note(fault: "\(error)")
                continue
            }
            taken.add(candidate)
        }
        taken.inUse = Int(inUse.files)
        return taken
    }

    private mutating func move(_ bytes: UInt64, to sum: WritableKeyPath<StorageLook, Sum>) {
        self[keyPath: sum].add(bytes)
        kept = Sum(
            files: kept.files - min(kept.files, 1), bytes: kept.bytes - min(kept.bytes, bytes))
    }

    private static func rows(
        at path: String, _ reader: DownloadStoreReader, _ notes: inout [String]
    ) throws(DownloadStoreError) -> [PublishedFile] {
        var rows: [PublishedFile] = []
        var next: Int64?
        repeat {
            let page = try reader.publishedFiles(
                container: path, after: next, limit: pageLength)
            rows += page.files
            notes += page.notes
            next = page.next
        } while next != nil
        return rows
    }

    private static func undelivered(
        _ reader: DownloadStoreReader
    ) throws(DownloadStoreError) -> Set<String> {
        var found: Set<String> = []
        var next: Int64?
        repeat {
            let page = try reader.page(
                .init(states: [.finished]), after: next, limit: pageLength)
            for record in page.records where !record.isDelivered {
                found.insert(record.uniqueIdentifier)
            }
            next = page.next
        } while next != nil
        return found
    }

    private static func partials(in place: StoragePlace) -> Sum {
        var sum = Sum()
        let names = (try? place.privateFolder.names(limit: 1_000_000)) ?? []
        for name in names where name.hasSuffix(Reconciliation.partialEnding) {
            if let status = (try? place.privateFolder.status(name)) ?? nil {
                sum.add(status.usedBytes)
            }
        }
        return sum
    }
}
