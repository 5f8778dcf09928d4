internal import Containers
internal import DownloadScheduler
package import DownloadStore
internal import LinuxSystem

/// Taking files back.
extension StorageKeeper {
    /// Looking takes no more than a twentieth of the time.
    private static let restFactor = 20
    private static let leastRest = Duration.seconds(1)

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
        let begin = now()
        if let shortage, !isPartWelcome, need > shortage.bytes, begin < shortage.until {
            return taken
        }
        guard var candidates = try candidates(&taken, isSpared) else { return taken }
        let freeBefore = try? place.freeBytes()
        while taken.bytes < need {
            let want = need - taken.bytes
            var locked: Set<Int64> = []
            let chosen = PurgePlan.choose(candidates, needBytes: want) { candidate in
                let isInUse = place.isInUse(candidate.path)
                if isInUse { locked.insert(candidate.rowID) }
                return !isInUse
            }
            taken.inUse += locked.count
            let sum = UInt64.sum(chosen.map(\.stamp.sizeBytes))
            guard !chosen.isEmpty, isPartWelcome || sum >= want else {
                let end = now()
                shortage = (sum, end + StorageKeeper.rest(after: end - begin))
                break
            }
            let tried = locked.union(chosen.map(\.rowID))
            candidates.removeAll { tried.contains($0.rowID) }
            try take(chosen, &taken)
        }
        if let freeBefore { settle(taken, freeBefore: freeBefore) }
        return taken
    }

    /// What is free when the state folder has its ballast again, in bytes.
    ///
    /// - Throws: ``SystemError``.
    func freeBytes() throws(SystemError) -> UInt64 {
        let free = try place.freeBytes()
        return free - min(free, missingBallastBytes)
    }

    private var missingBallastBytes: UInt64 {
        place.device.map(store.missingBallastBytes(onDevice:)) ?? 0
    }

    /// How much has to go so that space is kept free, the ballast's too.
    ///
    /// - Returns: In bytes; 0 while enough is free, and where nobody knows.
    func missingBytes(for thresholds: FreeSpaceThresholds) -> UInt64 {
        guard let (free, total) = try? place.privateFolder.space() else { return 0 }
        let ballast = missingBallastBytes
        return max(
            thresholds.missingBytes(freeBytes: free - min(free, ballast), totalBytes: total),
            ballast - min(ballast, free))
    }

    private static func rest(after duration: Duration) -> Duration {
        max(leastRest, duration * restFactor)
    }

    /// What may go now; nil when it cannot be looked for, which is noted.
    private func candidates(
        _ taken: inout StorageTaken, _ isSpared: (String) -> Bool
    ) throws(DownloadStoreError) -> [PurgeCandidate]? {
        let begin = now()
        if candidates == nil || begin >= candidates?.until ?? begin {
            let undelivered = try undeliveredIdentifiers()
            let rows = try rows()
            guard let sights = find(rows, &taken) else { return nil }
            let found = StoragePlan.candidates(rows, sights, now: BootClock.wallSeconds()) {
                !undelivered.contains($0)
            }
            let end = now()
            candidates = (found, end + StorageKeeper.rest(after: end - begin))
        }
        return candidates?.all.filter {
            !unremovable.contains($0.rowID) && !isSpared($0.uniqueIdentifier)
        }
    }

    /// Where files are; nil when they cannot be looked for, which is noted.
    func find(_ rows: [PublishedFile], _ taken: inout StorageTaken) -> PublishedSights? {
        do throws(SystemError) {
            return try place.find(rows)
        } catch {
            taken.note(fault: "cannot look for published files: \(error)")
            return nil
        }
    }

    /// Ended downloads that an extension has yet to be told of: it will be given their paths.
    func undeliveredIdentifiers() throws(DownloadStoreError) -> Set<String> {
        var found: Set<String> = []
        for app in try store.apps(limit: DownloadStore.listLimit) {
            for record in try store.undelivered(app: app) { found.insert(record.uniqueIdentifier) }
        }
        return found
    }

    func take(
        _ chosen: [PurgeCandidate], _ taken: inout StorageTaken
    ) throws(DownloadStoreError) {
        var rest = chosen[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(StorageKeeper.batchSize))
            rest = rest.dropFirst(batch.count)
            try takeBatch(batch, &taken)
        }
        let tried = Set(chosen.map(\.rowID))
        candidates?.all.removeAll { tried.contains($0.rowID) }
    }

    private func takeBatch(
        _ batch: [PurgeCandidate], _ taken: inout StorageTaken
    ) throws(DownloadStoreError) {
        // Where each lies: what an interrupted purge has moved away goes back there.
        let marks = batch.flatMap {
            [
                PublishedChange.seen($0.rowID, path: $0.path, lastUsed: $0.lastUsed),
                .purging($0.rowID),
            ]
        }
        let leftOut = Set(try store.changePublished(marks))
        let batch = batch.indices.filter { !leftOut.contains(2 * $0 + 1) }.map { batch[$0] }
        let outcomes = batch.map { purge.take($0) }
        var changes: [PublishedChange] = []
        for (candidate, outcome) in zip(batch, outcomes) {
            changes += taken.note(candidate, outcome)
            if outcome.isFailure { unremovable.insert(candidate.rowID) }
        }
        let purged = zip(batch, outcomes).filter { $1 == .purged }.map(\.0)
        do throws(SystemError) {
            try purge.sync(purged)
        } catch {
            // Their rows go on being purged: the next start sees what has become of them.
            taken.note(fault: "\(error)")
            let rows = Set(purged.map { PublishedChange.forgotten($0.rowID) })
            changes.removeAll { rows.contains($0) }
        }
        try apply(changes)
        if outcomes.contains(where: \.isFailure) { try recover() }
    }

    /// Sees to it that what is gone shows in what is free, where the file system puts that off.
    func settle(_ taken: StorageTaken, freeBefore: UInt64) {
        guard !taken.files.isEmpty, place.privateFolder.freesLate,
            let free = try? place.freeBytes(),
            free < UInt64.sum([freeBefore, taken.bytes / 2])
        else { return }
        try? place.privateFolder.syncFileSystem()
    }
}
