package import DownloadScheduler

extension DownloadStore {
    /// The most records one call hands out: the most that an app may have admitted.
    package static let listLimit = 100_000

    /// The download of `app` with `identifier`, in whatever state.
    ///
    /// - Throws: ``DownloadStoreError``, also with `rowUnreadable`.
    package func record(
        app: String, identifier: String
    ) throws(DownloadStoreError) -> DownloadRecord? {
        var found: DownloadRecord?
        try opened?.each(
            "SELECT * FROM downloads WHERE app = ?1 AND identifier = ?2",
            [.text(app), .text(identifier)]
        ) { (row) throws(DownloadStoreError) in found = try RecordRow.record(row) }
        return found
    }

    /// The download of row `rowID`, in whatever state.
    ///
    /// - Throws: ``DownloadStoreError``, also with `rowUnreadable`.
    package func record(rowID: Int64) throws(DownloadStoreError) -> DownloadRecord? {
        guard let opened else { return nil }
        return try DownloadTable.record(rowID, in: opened)
    }

    /// The downloads of `app` that are still wanted, in the order they start.
    ///
    /// Here and in the other lists a row that cannot be read is left out and noted in ``notes``.
    package func unfinished(
        app: String, limit: Int = listLimit
    ) throws(DownloadStoreError) -> [DownloadRecord] {
        var records = try list(
            """
            SELECT * FROM downloads WHERE app = ?1 AND state IN ('created', 'waiting')
            ORDER BY downloadClass, priority DESC, sequence LIMIT ?2
            """, [.text(app), count(limit)])
        for state in [DownloadState.downloading, .paused] {
            records += try list(
                """
                SELECT * FROM downloads
                WHERE state = ?3 AND app = ?1 AND state IN ('downloading', 'paused')
                ORDER BY downloadClass, priority DESC, sequence LIMIT ?2
                """, [.text(app), count(limit), .text(state.rawValue)])
        }
        return Array(records.sorted { $0.summary < $1.summary }.prefix(max(0, limit)))
    }

    /// The unique identifiers of what is still wanted, of every app: their partial files are not to go.
    package func unfinishedUniqueIdentifiers() throws(DownloadStoreError) -> Set<String> {
        var found: Set<String> = []
        try opened?.each(
            """
            SELECT uniqueIdentifier FROM downloads
            WHERE state IN ('created', 'waiting', 'downloading', 'paused')
            """
        ) { (row) throws(DownloadStoreError) in
            if let identifier = row.text(0) { found.insert(identifier) }
        }
        return found
    }

    /// The downloads of `app` that have finished or failed without the extension knowing, oldest
    /// first.
    package func undelivered(
        app: String, limit: Int = listLimit
    ) throws(DownloadStoreError) -> [DownloadRecord] {
        try list(
            """
            SELECT * FROM downloads
            WHERE app = ?1 AND isDelivered = 0 AND state IN ('finished', 'failed')
            ORDER BY sequence LIMIT ?2
            """, [.text(app), count(limit)])
    }

    /// One page of the downloads of `app` that are still wanted, by identifier in byte order.
    ///
    /// `identifier` is the last one of the page before, or nil for the first page.
    package func current(
        app: String, after identifier: String?, limit: Int
    ) throws(DownloadStoreError) -> [DownloadRecord] {
        try list(
            """
            SELECT * FROM downloads
            WHERE app = ?1 AND identifier > ?2
                AND state IN ('created', 'waiting', 'downloading', 'paused')
            ORDER BY identifier LIMIT ?3
            """, [.text(app), .text(identifier ?? ""), count(limit)])
    }

    /// How many downloads `app` has in each state; a state without any is missing.
    package func counts(app: String) throws(DownloadStoreError) -> [DownloadState: Int] {
        guard let opened else { return [:] }
        return try DownloadTable.counts(app: app, in: opened)
    }

    /// The apps that have downloads, in whatever state, by byte order; at most `limit`.
    package func apps(limit: Int) throws(DownloadStoreError) -> [String] {
        var apps: [String] = []
        while apps.count < limit {
            var next: String?
            try opened?.rows(
                "SELECT app FROM downloads WHERE app > ?1 ORDER BY app", [.text(apps.last ?? "")]
            ) { (row) throws(DownloadStoreError) in
                next = row.text(0)
                return next == nil
            }
            guard let next else { break }
            apps.append(next)
        }
        return apps
    }

    /// The record of `row`, or nil and a note.
    func readable(_ row: Statement) throws(DownloadStoreError) -> DownloadRecord? {
        do {
            return try RecordRow.record(row)
        } catch let error where error.code == .rowUnreadable {
            note(unreadable: error)
            return nil
        }
    }

    private func list(
        _ sql: StaticString, _ values: [SQLValue]
    ) throws(DownloadStoreError) -> [DownloadRecord] {
        var records: [DownloadRecord] = []
        try opened?.each(sql, values) { (row) throws(DownloadStoreError) in
            if let record = try readable(row) { records.append(record) }
        }
        return records
    }

    private func count(_ limit: Int) -> SQLValue { .integer(Int64(max(0, limit))) }
}
