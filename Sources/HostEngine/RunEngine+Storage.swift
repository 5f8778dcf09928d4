package import DownloadScheduler
internal import DownloadStore
internal import LinuxSystem

/// What the run does for the files that are the system's to take back.
extension RunEngine {
    /// The most rows of files that were done with, before they are forgotten.
    private static let mostDone = 256

    /// Ends what an interrupted purge has begun, and holds rows and published files against each
    /// other.
    func takeUpStorage() throws(DownloadStoreError) {
        let count = try keeper.recover()
        if count > 0 { observe(.note("taking back \(count) files had been interrupted")) }
        let found = try keeper.rebuild(app: request.app.identifier)
        if found > 0 {
            hasRebuilt = true
            observe(
                .note(
                    "the list of published files was lost: \(found) were found by their marks; "
                        + "which of them were pinned is not known any more"))
        }
        for sentence in try keeper.review().sentences { observe(.note(sentence)) }
    }

    /// Removes the file of a download that its extension is done with.
    ///
    /// Its row goes as well, unless the plugin has moved the file and something else lay there.
    func removeDone(_ record: DownloadRecord) {
        let name = FileName.forIdentifier(record.identifier)
        let stamp = ((try? container.downloads.status(name)) ?? nil)?.stamp
        guard (try? container.downloads.remove(name)) ?? false, let stamp else { return }
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
            let received = running.record.receivedBytes
            if let found = partials[name] {
                partials[name] = min(found, received)
            } else if received > 0 {
                // It has its name already, and is found there.
                published += queue.reservations.remainingBytes(of: row)
            }
        }
        let bytes = partials.values.reduce(use.bytes, +)
        return bytes - min(bytes, published)
    }

    /// What a worker may write: the smaller of its own budget and what the quota leaves.
    func writtenBudget() -> WrittenBudget {
        guard let quota else { return WrittenBudget(bytes: request.writtenBytes) }
        let (used, overflow) = (keptBytes ?? .max).addingReportingOverflow(
            queue.reservations.reservedBytes)
        let left = overflow || used > quota.quotaBytes ? 0 : quota.quotaBytes - used
        return WrittenBudget(bytes: request.writtenBytes, quotaLeftBytes: left)
    }

    /// Whether a worker that has come to the end of what the quota leaves may go on, since files
    /// made way.
    func hasMadeSpace(for worker: ActiveWorker) -> Bool {
        worker.written.isEndedByQuota
            && takeBack(bytes: worker.written.nextStepBytes, for: nil)
    }

    /// - Returns: False when nothing made way.
    private func takeBack(
        bytes: UInt64, for identifier: String?, isPartWelcome: Bool = false
    ) -> Bool {
        forgetDone()
        do throws(DownloadStoreError) {
            let taken = try keeper.free(bytes: bytes, isPartWelcome: isPartWelcome) {
                spared.contains($0)
            }
            guard !taken.files.isEmpty else { return false }
            quota?.forgetLook()
            worker?.written.noteTaken(
                bytes: taken.bytes, files: UInt64(taken.files.count),
                isForWorker: identifier == nil)
            let files = taken.files.count == 1 ? "1 file" : "\(taken.files.count) files"
            let size = ByteCount(bytes: taken.bytes)
            observe(.note("\(files), \(size), made way for \(identifier ?? "the plugin")"))
            return true
        } catch {
            observe(.note("cannot take files back: \(error)"))
            return false
        }
    }

    package func space(
        at place: DownloadPlace, writtenBytes: UInt64, isExact: Bool
    ) -> GroupSpace? {
        guard let free = try? place.folder.freeBytes() else { return nil }
        let left = quota?.left(writtenBytes: writtenBytes, isExact: isExact) {
            keptBytes
        }
        return GroupSpace(diskBytes: free, quota: left)
    }

    package func makeSpace(bytes: UInt64, for record: DownloadRecord) -> Bool {
        // How much a download of open size wants nobody knows: what there is may be enough.
        let isOpen = record.sizeBytes == nil && record.totalBytes == nil
        return takeBack(bytes: bytes, for: record.identifier, isPartWelcome: isOpen)
    }
}
