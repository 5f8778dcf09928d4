internal import LinuxSystem

/// The files that were published and may be taken back.
extension DownloadStore {
    /// Files of the container at `container`, by row, after row `rowID`; none is the end of them.
    ///
    /// Here and in ``purgingFiles(container:after:limit:)`` a row that cannot be read is left out and
    /// noted in ``notes``.
    package func publishedFiles(
        container: String, after rowID: Int64 = 0, limit: Int = listLimit
    ) throws(DownloadStoreError) -> [PublishedFile] {
        try list(
            """
            SELECT * FROM publishedFiles WHERE container = ?1 AND rowID > ?2 ORDER BY rowID
            """, [.text(container), .integer(rowID)], limit)
    }

    /// Those of them that are being removed, or were when a host was killed.
    package func purgingFiles(
        container: String, after rowID: Int64 = 0, limit: Int = listLimit
    ) throws(DownloadStoreError) -> [PublishedFile] {
        try list(
            """
            SELECT * FROM publishedFiles
            WHERE isPurging = 1 AND container = ?1 AND rowID > ?2 ORDER BY rowID
            """, [.text(container), .integer(rowID)], limit)
    }

    /// The file of the download `uniqueIdentifier`, or nil.
    ///
    /// - Throws: ``DownloadStoreError``, also with `rowUnreadable`.
    package func publishedFile(
        uniqueIdentifier: String
    ) throws(DownloadStoreError) -> PublishedFile? {
        var found: PublishedFile?
        try opened?.each(
            "SELECT * FROM publishedFiles WHERE uniqueIdentifier = ?1", [.text(uniqueIdentifier)]
        ) { (row) throws(DownloadStoreError) in found = try PublishedRow.file(row) }
        return found
    }

    /// Makes all `changes`, in their order, in one transaction: durable on return.
    ///
    /// A change whose file has no row, or whose row does not allow it, is left out; the others are
    /// made.
    ///
    /// - Parameters:
    ///   - changes: What is to become of which file.
    ///   - now: Seconds since 1970: no file is taken to have been used later.
    /// - Returns: the indexes of the changes left out.
    /// - Throws: ``DownloadStoreError``, also with `invalidRecord` for a value out of bounds; then
    ///   nothing is changed.
    package func changePublished(
        _ changes: [PublishedChange], now: Int64 = BootClock.wallSeconds()
    ) throws(DownloadStoreError) -> [Int] {
        for (index, change) in changes.enumerated() {
            guard let fault = change.fault else { continue }
            throw DownloadStoreError(
                code: .invalidRecord, subject: "\(fault) of change \(index) of published files")
        }
        let addsRows = changes.contains { if case .rebuilt = $0 { true } else { false } }
        let database = try addsRows ? self.database : opened
        guard let database, !changes.isEmpty else { return Array(changes.indices) }
        let clock = UseClock(now: now)
        return try write(database) { () throws(DownloadStoreError) in
            var leftOut: [Int] = []
            for (index, change) in changes.enumerated()
            where try PublishedTable.make(change, at: clock, in: database) == 0 {
                leftOut.append(index)
            }
            return leftOut
        }
    }

    /// Gives all files of one container to another, for one that was moved.
    ///
    /// - Parameters:
    ///   - old: Absolute path of the container, as the rows have it.
    ///   - new: Where it is now; files that it has already stay.
    /// - Returns: How many files have another container now.
    /// - Throws: ``DownloadStoreError``, also with `invalidRecord` for a path that is not absolute;
    ///   then nothing is changed.
    package func moveContainer(
        from old: String, to new: String
    ) throws(DownloadStoreError) -> Int {
        for path in [old, new] where !RecordBounds.isAbsolute(path) {
            throw DownloadStoreError(
                code: .invalidRecord, subject: "container '\(path)' of published files")
        }
        guard let opened else { return 0 }
        return try write(opened) { () throws(DownloadStoreError) in
            try PublishedTable.moveContainer(from: old, to: new, in: opened)
        }
    }

    /// One transaction; it may have the ballast, for without these rows nothing can be taken back.
    private func write<Result>(
        _ database: Database, _ body: () throws(DownloadStoreError) -> Result
    ) throws(DownloadStoreError) -> Result {
        try folder.ballast.makingRoom { () throws(DownloadStoreError) in
            try database.transaction(body)
        }
    }

    private func list(
        _ sql: StaticString, _ values: [SQLValue], _ limit: Int
    ) throws(DownloadStoreError) -> [PublishedFile] {
        var files: [PublishedFile] = []
        guard limit > 0 else { return files }
        try opened?.rows(sql, values) { (row) throws(DownloadStoreError) in
            if let file = try readableFile(row) { files.append(file) }
            return files.count < limit
        }
        return files
    }

    /// The file of `row`, or nil and a note.
    private func readableFile(_ row: Statement) throws(DownloadStoreError) -> PublishedFile? {
        do {
            return try PublishedRow.file(row)
        } catch let error where error.code == .rowUnreadable {
            note(unreadable: error)
            return nil
        }
    }
}
