package import DownloadScheduler

extension DownloadStore {
    /// Stores new downloads: all of them, or none.
    ///
    /// An earlier download of the same app and identifier is replaced when it has finished, failed
    /// or been cancelled.
    ///
    /// - Parameters:
    ///   - records: What is new.
    ///   - oldRowIDs: Downloads that go in the same step, whatever their state.
    /// - Returns: the records in the order given, with `rowID` and `sequence` set.
    /// - Throws: ``DownloadStoreError`` with `identifierInUse`, `invalidRecord`, `noSuchRow`,
    ///   `noSpace`, `busy` or the disk's own trouble.
    package func admit(
        _ records: [DownloadRecord], replacing oldRowIDs: [Int64] = []
    ) throws(DownloadStoreError) -> [DownloadRecord] {
        for record in records { try validate(record) }
        guard !records.isEmpty else { return [] }
        return try database.transaction { () throws(DownloadStoreError) in
            for row in oldRowIDs { try delete(row) }
            var admitted: [DownloadRecord] = []
            admitted.reserveCapacity(records.count)
            var last = try lastRowID()
            for record in records {
                try clearTheWay(for: record)
                last += 1
                try admitted.append(insert(record, as: last))
            }
            return admitted
        }
    }

    private func validate(_ record: DownloadRecord) throws(DownloadStoreError) {
        var fault = RecordBounds.fault(in: record)
        if fault == nil, !record.state.isUnfinished { fault = "state" }
        guard let fault else { return }
        throw DownloadStoreError(
            code: .invalidRecord, subject: "\(fault) of download '\(record.identifier)'")
    }

    /// The greatest row number ever given (`https://sqlite.org/autoinc.html`).
    private func lastRowID() throws(DownloadStoreError) -> Int64 {
        var last: Int64 = 0
        try database.each("SELECT seq FROM sqlite_sequence WHERE name = 'downloads'") {
            (row) throws(DownloadStoreError) in last = row.integer(0) ?? .max
        }
        guard (0..<Int64.max / 2).contains(last) else {
            throw DownloadStoreError(code: .corrupt, subject: "the row counter says \(last)")
        }
        return last
    }

    /// Removes an earlier download that may be replaced; one that cannot be read may.
    private func clearTheWay(for record: DownloadRecord) throws(DownloadStoreError) {
        var oldRowID: Int64?
        var isTaken = false
        try database.each(
            "SELECT * FROM downloads WHERE app = ?1 AND identifier = ?2",
            [.text(record.app), .text(record.identifier)]
        ) { (row) throws(DownloadStoreError) in
            oldRowID = row.integer(DownloadTable.Column.rowID.rawValue)
            guard let old = try readable(row) else { return }
            isTaken = old.state.isUnfinished
        }
        guard !isTaken else {
            throw DownloadStoreError(
                code: .identifierInUse, subject: "'\(record.identifier)' of \(record.app)")
        }
        if let oldRowID { try delete(oldRowID) }
    }

    private func delete(_ rowID: Int64) throws(DownloadStoreError) {
        let count = try database.run("DELETE FROM downloads WHERE rowID = ?1", [.integer(rowID)])
        guard count == 1 else {
            throw DownloadStoreError(code: .noSuchRow, subject: "row \(rowID)")
        }
    }

    private func insert(
        _ record: DownloadRecord, as rowID: Int64
    ) throws(DownloadStoreError) -> DownloadRecord {
        var record = record
        record.rowID = rowID
        record.sequence = rowID
        try database.run(
            """
            INSERT INTO downloads VALUES
            (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
            ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, RecordRow.values(of: record))
        return record
    }
}
