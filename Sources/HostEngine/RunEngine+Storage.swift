package import DownloadScheduler
internal import DownloadStore
internal import LinuxSystem

/// What the run does for the files that are the system's to take back.
extension RunEngine {
    /// The most rows of files that were done with, before they are forgotten.
    private static let mostDone = 256

    /// The most faults that are told.
    private static let mostFaults = 10

    /// Makes the list of published files what it was.
    func takeUpStorage() throws(DownloadStoreError) {
        let found = try keeper.takeUp(
            app: request.app.identifier, statePath: request.statePath)
        hasRebuilt = found.rebuilt > 0
        for note in found.notes { observe(.note(note)) }
    }

    /// Brings back what an extension has moved to `tmp/` without being heard, before that is emptied.
    func keepUnheard() {
        do throws(DownloadStoreError) {
            _ = try keeper.bringBack(queue.store.undelivered(app: request.app.identifier))
        } catch {
            observe(.note("\(error)"))
        }
    }

    /// Has files go where others have left too little free.
    func keepSpaceFree() {
        let missing = keeper.missingBytes(for: request.freeSpace)
        guard missing > 0 else { return }
        if takeBack(bytes: missing, for: .freeSpace, isPartWelcome: true) {
            queue.store.restoreBallast()
        }
    }

    /// Removes the file of a download that its extension is done with.
    ///
    /// Its row goes as well, unless the plugin has moved the file and something else lay there.
    func removeDone(_ record: DownloadRecord) {
        let name = FileName.forIdentifier(record.identifier)
        let status = (try? container.downloads.status(name)) ?? nil
        guard (try? container.downloads.remove(name)) ?? false, let status else { return }
        let stamp = status.stamp
        quota?.noteRemoved()
        worker?.written.noteRemoved(bytes: status.usedBytes, files: 1)
        let row = try? queue.store.publishedFile(uniqueIdentifier: record.uniqueIdentifier)
        guard let row, row.stamp == stamp else { return }
        doneRows.append(row.rowID)
        if doneRows.count >= RunEngine.mostDone { forgetDone() }
    }

    /// Stores which files are gone because an extension was done with them.
    func forgetDone() {
        guard !doneRows.isEmpty else { return }
        let changes = doneRows.map { PublishedChange.forgotten($0) }
        doneRows = []
        do throws(DownloadStoreError) {
            _ = try queue.store.changePublished(changes)
        } catch {
            observe(.note("\(error)"))
        }
    }

    /// What the group keeps, without what is reserved; nil when it cannot be looked through.
    ///
    /// Of what is in flight as much as the queue knows of by now: the rest it has reserved.
    private var keptBytes: UInt64? {
        guard let use = container.use(mostFiles: .max),
            var partials = container.partialBytes(limit: RunEngine.mostNames)
        else { return nil }
        var published: UInt64 = 0
        for (row, running) in queue.active {
            let name = running.record.uniqueIdentifier
            let size = running.record.sizeBytes ?? running.record.totalBytes
            // What is not reserved any more has arrived.
            let arrived =
                size.map { $0 - min($0, queue.reservations.remainingBytes(of: row)) }
                ?? running.record.receivedBytes
            if let found = partials[name] {
                partials[name] = min(found, arrived)
            } else if arrived > 0 || running.hasName {
                // It has its name already, and is found there.
                published = .sum([published, queue.reservations.remainingBytes(of: row)])
            }
        }
        let bytes = UInt64.sum(partials.values + [use.bytes])
        return bytes - min(bytes, published)
    }

    /// What a worker may write: the smaller of its own budget and what the quota leaves.
    func writtenBudget() -> WrittenBudget {
        givenBefore = queue.reservations.givenBytes
        guard let quota else { return WrittenBudget(bytes: request.writtenBytes) }
        let used = UInt64.sum([keptBytes ?? .max, queue.reservations.reservedBytes])
        let left = quota.quotaBytes - min(quota.quotaBytes, used)
        return WrittenBudget(bytes: request.writtenBytes, quotaLeftBytes: left)
    }

    /// Takes from a worker's budget what downloads were given since it began.
    func noteGiven(on worker: ActiveWorker) {
        let given = queue.reservations.givenBytes
        worker.written.noteGiven(bytes: given - min(given, givenBefore))
    }

    /// Whether a worker that has come to the end of what the quota leaves may go on, since files
    /// made way.
    func hasMadeSpace(for worker: ActiveWorker) -> Bool {
        worker.written.isEndedByQuota
            && takeBack(bytes: worker.written.nextStepBytes, for: .plugin)
    }

    /// What files made way for.
    private enum Beneficiary {
        case download(String)
        case plugin
        case freeSpace

        var words: String {
            switch self {
            case .download(let identifier): "for \(identifier)"
            case .plugin: "for the plugin"
            case .freeSpace: "so that space is kept free"
            }
        }
    }

    /// - Returns: False when nothing made way.
    private func takeBack(
        bytes: UInt64, for beneficiary: Beneficiary, isPartWelcome: Bool = false
    ) -> Bool {
        forgetDone()
        do throws(DownloadStoreError) {
            let taken = try keeper.free(bytes: bytes, isPartWelcome: isPartWelcome) {
                spared.contains($0)
            }
            for fault in taken.faults { noteOnce("cannot take a file back: \(fault)") }
            guard !taken.files.isEmpty else { return false }
            quota?.forgetLook()
            worker?.written.noteTaken(bytes: taken.bytes, files: UInt64(taken.files.count))
            let files = StorageTaken.files(taken.files.count)
            let size = ByteCount(bytes: taken.bytes)
            observe(.note("\(files), \(size), made way \(beneficiary.words)"))
            return true
        } catch {
            noteOnce("cannot take files back: \(error)")
            return false
        }
    }

    /// Every download that waits for space may meet the same fault.
    private func noteOnce(_ sentence: String) {
        guard storageFaults.count < RunEngine.mostFaults, storageFaults.insert(sentence).inserted
        else { return }
        observe(.note(sentence))
    }

    package func space(
        at place: DownloadPlace, writtenBytes: UInt64, isExact: Bool
    ) -> GroupSpace? {
        guard let (free, total) = try? place.folder.space() else { return nil }
        return GroupSpace(
            diskBytes: free, floorBytes: request.freeSpace.floorBytes(totalBytes: total),
            quota: quotaSpace(writtenBytes: writtenBytes, isExact: isExact))
    }

    /// An exact look takes no more than a fifth of the time: each goes through the whole container.
    private func quotaSpace(writtenBytes: UInt64, isExact: Bool) -> QuotaSpace? {
        let begin = BootClock.now()
        return quota?.space(
            writtenBytes: writtenBytes, isExact: isExact && begin >= nextQuotaLook
        ) {
            let bytes = keptBytes
            let end = BootClock.now()
            nextQuotaLook = end + (end - begin) * 4
            return bytes
        }
    }

    package func makeSpace(bytes: UInt64, for record: DownloadRecord) -> Bool {
        // How much a download of open size wants nobody knows: what there is may be enough.
        let isOpen = record.sizeBytes == nil && record.totalBytes == nil
        return takeBack(
            bytes: bytes, for: .download(record.identifier), isPartWelcome: isOpen)
    }
}
