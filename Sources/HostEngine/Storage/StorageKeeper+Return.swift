internal import Containers
package import DownloadScheduler
package import DownloadStore
internal import LinuxSystem

/// Files that an extension has moved without being heard: its host ended first.
extension StorageKeeper {
    /// Moves them back to where they were published, so that the extension is told of them as if for
    /// the first time.
    ///
    /// - Parameter records: Finished downloads that an extension has yet to be told of.
    /// - Returns: The identifiers of those whose file is there again.
    /// - Throws: ``DownloadStoreError``.
    package func bringBack(
        _ records: [DownloadRecord]
    ) throws(DownloadStoreError) -> [String] {
        var rows: [PublishedFile] = []
        for record in records where record.state == .finished {
            guard !place.hasEntry(GroupContainer.publishedPath(record.identifier)) else { continue }
            if let row = try row(of: record) { rows.append(row) }
        }
        guard !rows.isEmpty, let sights = try? place.findTwice(rows) else { return [] }
        var changes: [PublishedChange] = []
        var names: [String] = []
        for row in rows {
            guard let sight = sights.found[row.rowID], sight.links == 1,
                bringBack(row, from: sight.path)
            else { continue }
            names.append(row.identifier)
            changes.append(
                .seen(
                    row.rowID, path: GroupContainer.publishedPath(row.identifier),
                    lastUsed: sight.accessedSeconds))
        }
        try note(changes)
        return names
    }

    /// Nil also for one that cannot be read.
    private func row(of record: DownloadRecord) throws(DownloadStoreError) -> PublishedFile? {
        do throws(DownloadStoreError) {
            return try store.publishedFile(uniqueIdentifier: record.uniqueIdentifier)
        } catch {
            guard case .rowUnreadable = error.code else { throw error }
            return nil
        }
    }

    private func bringBack(_ row: PublishedFile, from path: String) -> Bool {
        let name = FileName.forIdentifier(row.identifier)
        let home = GroupContainer.publishedPath(row.identifier)
        guard let (folder, inner) = place.folders.place(of: path),
            let (downloads, _) = place.folders.place(of: home)
        else { return false }
        do throws(SystemError) {
            try folder.give(inner, to: downloads, as: name)
            if try downloads.status(name)?.stamp == row.stamp { return true }
            // An app that runs has put another in its place.
            try folder.restore(name, from: downloads, as: inner)
        } catch {
            // It stays where it is; at worst its extension is told that it is gone.
        }
        return false
    }
}
