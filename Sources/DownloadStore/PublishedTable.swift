internal import LinuxSystem

/// The table of published files and its columns in order.
enum PublishedTable {
    /// The columns in the order of the table; the raw value is the index in `SELECT *`.
    enum Column: Int32, CaseIterable {
        case rowID, app, identifier, uniqueIdentifier, container, path
        case device, inode, sizeBytes, modifiedNanoseconds
        case publishedAt, lastUsed, isPinned, isPurging, sha256
    }

    /// Whether the database holds exactly our columns.
    static func isPresent(in database: Database) throws(DownloadStoreError) -> Bool {
        var names: [String] = []
        try database.each("SELECT name FROM pragma_table_info('publishedFiles') ORDER BY cid") {
            (row) throws(DownloadStoreError) in names.append(row.text(0) ?? "")
        }
        return names == Column.allCases.map { "\($0)" }
    }

    /// Adds the file of a download that has finished, and removes the row of the one it replaced.
    ///
    /// A row of its unique identifier can only be one that was rebuilt from a forged mark.
    static func add(
        _ file: FinishedDownload, at place: PublishedPlace, to database: Database
    ) throws(DownloadStoreError) {
        if let replaced = place.replaced {
            // By what it was, not by its name: the row of one that was moved away stays. Not by its
            // device, which may have another number by now.
            try database.run(
                """
                DELETE FROM publishedFiles WHERE inode = ?1 AND +container = ?4
                    AND sizeBytes = ?2 AND modifiedNanoseconds = ?3
                """, PublishedRow.values(of: replaced).dropFirst() + [.text(place.container)])
        }
        try database.run(
            """
            INSERT OR REPLACE INTO publishedFiles (
                device, inode, sizeBytes, modifiedNanoseconds, container, path,
                publishedAt, lastUsed, isPinned, isPurging, sha256,
                app, identifier, uniqueIdentifier)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, 0, 0, ?9, app, identifier, uniqueIdentifier
            FROM downloads WHERE rowID = ?8
            """,
            PublishedRow.values(of: place.stamp) + [
                .text(place.container), .text(file.path), .integer(place.publishedAt),
                .integer(file.rowID), .blob(file.sha256),
            ])
    }

    /// Makes one change, at the time of `clock`.
    ///
    /// - Returns: how many rows it touched, 0 or 1.
    static func make(
        _ change: PublishedChange, at clock: UseClock, in database: Database
    ) throws(DownloadStoreError) -> Int {
        switch change {
        case .purging(let row):
            try database.run(
                """
                UPDATE publishedFiles SET isPurging = 1
                WHERE rowID = ?1 AND isPurging = 0 AND isPinned = 0
                """, [.integer(row)])
        case .back(let row):
            try database.run(
                "UPDATE publishedFiles SET isPurging = 0 WHERE rowID = ?1 AND isPurging = 1",
                [.integer(row)])
        case .forgotten(let row):
            try database.run("DELETE FROM publishedFiles WHERE rowID = ?1", [.integer(row)])
        case .seen(let row, let path, let lastUsed):
            try database.run(
                """
                UPDATE publishedFiles
                SET path = ?2, lastUsed = max(min(lastUsed, ?4), ?3) WHERE rowID = ?1
                """,
                [
                    .integer(row), .text(path), .integer(clock.believed(lastUsed)),
                    .integer(clock.latest),
                ])
        case .pinned(let row, let isPinned):
            try database.run(
                "UPDATE publishedFiles SET isPinned = ?2 WHERE rowID = ?1 AND isPurging = 0",
                [.integer(row), .integer(isPinned ? 1 : 0)])
        case .rebuilt(let file): try rebuild(file, at: clock, in: database)
        }
    }

    /// Gives the files of one container to another.
    ///
    /// - Returns: How many.
    static func moveContainer(
        from old: String, to new: String, in database: Database
    ) throws(DownloadStoreError) -> Int {
        // By bytes, as the kernel does.
        try database.run(
            "UPDATE publishedFiles SET container = ?2 WHERE container = ?1 AND ?1 <> ?2",
            [.text(old), .text(new)])
    }

    private static func rebuild(
        _ file: PublishedFile, at clock: UseClock, in database: Database
    ) throws(DownloadStoreError) -> Int {
        var file = file
        // What its bytes are now says nothing of what they were.
        file.sha256 = nil
        file.publishedAt = min(file.publishedAt, clock.latest)
        file.lastUsed = min(file.lastUsed, clock.latest)
        return try database.run(
            """
            INSERT INTO publishedFiles VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (uniqueIdentifier) DO NOTHING
            """, [.null] + PublishedRow.values(of: file).dropFirst())
    }
}

/// A published file as a row, in both directions.
package enum PublishedRow {
    private typealias Column = PublishedTable.Column

    /// The values of `file` in the order of the columns.
    package static func values(of file: PublishedFile) -> [SQLValue] {
        [
            .integer(file.rowID), .text(file.app), .text(file.identifier),
            .text(file.uniqueIdentifier), .text(file.container), .text(file.path),
        ] + values(of: file.stamp) + [
            .integer(file.publishedAt), .integer(file.lastUsed),
            .integer(file.isPinned ? 1 : 0), .integer(file.isPurging ? 1 : 0),
            RecordRow.optional(file.sha256),
        ]
    }

    /// Device, inode, size and modification time.
    static func values(of stamp: FileStamp) -> [SQLValue] {
        [
            .integer(Int64(bitPattern: stamp.device)), .integer(Int64(bitPattern: stamp.inode)),
            .integer(Int64(clamping: stamp.sizeBytes)), .integer(stamp.modifiedNanoseconds),
        ]
    }

    /// The file of the row that `row` stands on.
    ///
    /// - Throws: ``DownloadStoreError`` with `rowUnreadable`, naming row and column.
    package static func file(_ row: Statement) throws(DownloadStoreError) -> PublishedFile {
        var reader = RowReader<Column>(row: row)
        let file = reader.file()
        if let fault = reader.fault ?? RecordBounds.fault(in: file) {
            let number = row.integer(Column.rowID.rawValue).map(String.init) ?? "?"
            throw DownloadStoreError(
                code: .rowUnreadable, subject: "published file \(number), column \(fault)")
        }
        return file
    }
}

extension RowReader where Column == PublishedTable.Column {
    /// The row as a file; worth something only while ``fault`` is nil.
    fileprivate mutating func file() -> PublishedFile {
        let stamp = FileStamp(
            device: UInt64(bitPattern: integer(.device)),
            inode: UInt64(bitPattern: integer(.inode)), sizeBytes: bytes(.sizeBytes),
            modifiedNanoseconds: integer(.modifiedNanoseconds))
        var file = PublishedFile(
            app: text(.app), identifier: text(.identifier),
            uniqueIdentifier: text(.uniqueIdentifier), container: text(.container),
            path: text(.path), stamp: stamp, publishedAt: 0, lastUsed: 0)
        file.rowID = integer(.rowID)
        // Not cut: a time out of bounds is refused here.
        file.publishedAt = integer(.publishedAt)
        file.lastUsed = integer(.lastUsed)
        file.isPinned = flag(.isPinned)
        file.isPurging = flag(.isPurging)
        file.sha256 = optionalBlob(.sha256)
        return file
    }
}
