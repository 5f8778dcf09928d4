package import DownloadScheduler
package import LinuxSystem

/// What ``Reconciliation`` needs to know of the disk.
extension GroupContainer {
    /// What lies there for a row.
    ///
    /// - Throws: ``SystemError`` when it cannot be looked at.
    package func found(for record: DownloadRecord) throws(SystemError) -> Reconciliation.Found {
        let partial = try privateFolder.status(
            GroupContainer.partialName(record.uniqueIdentifier))
        let name = FileName.forIdentifier(record.identifier)
        var found = Reconciliation.Found(partialBytes: partial?.size)
        guard let published = try downloads.status(name) else { return found }
        guard published.kind == .file else {
            found.published = .other
            return found
        }
        let mark = (try? downloads.mark(of: name)) ?? nil
        found.published = .file(bytes: published.size, mark: mark)
        return found
    }

    /// Removes what belongs to no download.
    ///
    /// - Parameters:
    ///   - limit: Of entries in `.bahost/`.
    ///   - isUnfinished: Asked for each partial file's unique identifier.
    /// - Returns: How many files that were.
    /// - Throws: ``SystemError``; E2BIG past the limit.
    package func removeOrphans(
        limit: Int, isUnfinished: (String) -> Bool
    ) throws(SystemError) -> Int {
        let names = try privateFolder.names(limit: limit)
        let orphans = Reconciliation.orphans(among: names, isUnfinished: isUnfinished)
        for name in orphans { try privateFolder.remove(name) }
        return orphans.count
    }
}
