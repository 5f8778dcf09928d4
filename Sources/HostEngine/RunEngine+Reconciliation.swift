internal import DownloadScheduler
internal import DownloadStore
internal import LinuxSystem
internal import TransferEngine

/// Rows and files held against each other before anything starts.
extension RunEngine {
    /// Most entries of `.bahost/` that are looked through for files that belong to no download.
    static let mostNames = 1_000_000

    /// Most files that are named.
    private static let mostNamed = 10

    /// Does what ``Reconciliation`` decides about each download of an earlier run.
    ///
    /// After a clean end only those are looked at that have bytes, or an end to be told.
    func reconcile(app: String) throws(DownloadStoreError) {
        var changes: [StoreChange] = []
        let partials = try queue.store.unfinishedUniqueIdentifiers()
        for record in earlier {
            let mayDiffer = record.receivedBytes > 0 || record.state == .downloading
            if queue.store.wasUnclean || mayDiffer {
                changes += try reconcile(record)
            }
        }
        earlier = []
        let undelivered = try queue.store.undelivered(app: app)
        tellWhatIsBack(try keeper.bringBack(undelivered))
        for record in undelivered { changes += try reconcile(record) }
        if !changes.isEmpty { _ = try queue.store.commit(changes) }
        queue.store.needsLook = false
        // A row that cannot be read may be one of those whose partial file lies there.
        if queue.store.notes.isEmpty, !keeper.isAnothers { removeOrphans(keeping: partials) }
    }

    private func tellWhatIsBack(_ identifiers: [String]) {
        for identifier in identifiers.prefix(RunEngine.mostNamed) {
            observe(
                .note(
                    "\(identifier): its extension has moved its file and was not heard: it is back, "
                        + "and the extension is told again"))
        }
        let more = identifiers.count - RunEngine.mostNamed
        if more > 0 { observe(.note("\(more) more like the last")) }
    }

    private func removeOrphans(keeping partials: Set<String>) {
        do throws(SystemError) {
            let count = try container.removeOrphans(limit: RunEngine.mostNames) {
                partials.contains($0)
            }
            if count > 0 { observe(.note("\(count) partial files of no download were removed")) }
        } catch {
            observe(.note("cannot look for partial files of no download: \(error)"))
        }
    }

    private func reconcile(_ record: DownloadRecord) throws(DownloadStoreError) -> [StoreChange] {
        do throws(SystemError) {
            let found = try container.found(for: record)
            return try carryOut(Reconciliation.action(for: record, found: found), on: record)
        } catch {
            observe(.note("\(record.identifier): cannot look at its files: \(error)"))
            return []
        }
    }

    private func carryOut(
        _ action: Reconciliation.Action, on record: DownloadRecord
    ) throws(SystemError) -> [StoreChange] {
        switch action {
        case .nothing: return []
        case .resume(let start):
            guard start != record.receivedBytes else { return [] }
            return [
                .checkpoint(
                    record.rowID, receivedBytes: start, validator: record.validator,
                    totalBytes: record.totalBytes)
            ]
        case .adopt(let start, let version):
            return [
                .checkpoint(
                    record.rowID, receivedBytes: start,
                    validator: TransferValidator(version.validator, total: version.totalBytes),
                    totalBytes: version.totalBytes)
            ]
        case .startOver: return try startOver(record)
        case .verifyPublished:
            guard let file = try publishedFile(of: record) else { return try startOver(record) }
            observe(.note("\(record.identifier): was whole when the last run ended"))
            return [.finished(file)]
        case .fail(let failure): return [.lost(record.rowID, failure)]
        case .removePartial:
            try removePartial(of: record)
            return []
        }
    }

    private func startOver(_ record: DownloadRecord) throws(SystemError) -> [StoreChange] {
        try removePartial(of: record)
        return [
            .checkpoint(record.rowID, receivedBytes: 0, validator: nil, totalBytes: nil)
        ]
    }

    private func removePartial(of record: DownloadRecord) throws(SystemError) {
        try container.privateFolder.remove(GroupContainer.partialName(record.uniqueIdentifier))
    }

    /// A file that was published before its row said so; nil when it is not what was agreed.
    ///
    /// The host may take it back only when it is as it was: an app that ran on may have changed it, or
    /// have put its own there, and where nothing keeps marks nobody can tell.
    private func publishedFile(
        of record: DownloadRecord
    ) throws(SystemError) -> FinishedDownload? {
        let file = try container.downloads.open(FileName.forIdentifier(record.identifier))
        let stamp = try EntryStatus(of: file.raw, subject: "the published file").stamp
        let mark = DownloadMark(readFrom: file.raw)
        let isUntouched = mark?.text == record.uniqueIdentifier && mark?.isOf(stamp) == true
        let digest = try FileDigest.of(file.raw, subject: "the published file")
        guard let (length, sha256) = digest, record.sizeBytes ?? length == length,
            record.sha256 ?? sha256 == sha256
        else { return nil }
        return FinishedDownload(
            rowID: record.rowID, path: GroupContainer.publishedPath(record.identifier),
            receivedBytes: length, sha256: sha256,
            published: isUntouched
                ? PublishedPlace(
                    container: container.resolvedPath, stamp: stamp, publishedAt: queue.wallClock())
                : nil)
    }
}
