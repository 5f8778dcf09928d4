package import DownloadScheduler

/// What may start next, a bounded part at a time.
///
/// Only downloads in `created` and `waiting`. Each call costs as much as the rows it hands out, not
/// as the rows there are: every query is a search in an index that holds all of a summary. A row
/// that cannot be read is left out and noted in ``DownloadStore/notes``.
extension DownloadStore {
    /// The most hosts that ``windowOfOtherHosts(app:downloadClass:excluding:limit:)`` looks into.
    package static let windowHostLimit = 64
    /// The most downloads of one host that it hands out: as many as one host has connections.
    package static let windowDepth = 4

    /// The first `limit` downloads of one app and class in the order they start, after `position`.
    package func window(
        app: String, downloadClass: DownloadClass, after position: DownloadPosition?, limit: Int
    ) throws(DownloadStoreError) -> [DownloadSummary] {
        let key: [SQLValue] = [.text(app), .integer(downloadClass.rawValue)]
        guard let position else {
            return try summaries(
                """
                SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
                FROM downloads WHERE app = ?1 AND downloadClass = ?2
                    AND state IN ('created', 'waiting') ORDER BY priority DESC, sequence
                """, key, limit)
        }
        let place: [SQLValue] = [.integer(position.priority), .integer(position.sequence)]
        let level = try summaries(
            """
            SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
            FROM downloads WHERE app = ?1 AND downloadClass = ?2
                AND priority = ?3 AND sequence > ?4
                AND state IN ('created', 'waiting') ORDER BY sequence
            """, key + place, limit)
        return try level
            + summaries(
                """
                SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
                FROM downloads WHERE app = ?1 AND downloadClass = ?2 AND priority < ?3
                    AND state IN ('created', 'waiting') ORDER BY priority DESC, sequence
                """, key + place.prefix(1), limit - level.count)
    }

    /// Downloads of one app and class whose host is none of `hosts`, in the order they start.
    ///
    /// For when the hosts at the front of the queue are at their cap. At most ``windowDepth`` of
    /// each of the first ``windowHostLimit`` other hosts in byte order: enough to fill every slot,
    /// and the true order unless there are more hosts than that.
    ///
    /// - Parameters:
    ///   - app: The app's identifier.
    ///   - downloadClass: The class.
    ///   - hosts: Those that are left out.
    ///   - mustAllowMetered: Only those that may use a metered network; then the rows of a host are
    ///     looked through until there are as many.
    ///   - limit: The most downloads.
    /// - Returns: The downloads.
    /// - Throws: ``DownloadStoreError``.
    package func windowOfOtherHosts(
        app: String, downloadClass: DownloadClass, excluding hosts: [String],
        mustAllowMetered: Bool = false, limit: Int
    ) throws(DownloadStoreError) -> [DownloadSummary] {
        let key: [SQLValue] = [.text(app), .integer(downloadClass.rawValue)]
        let excluded = Set(hosts)
        var found: [DownloadSummary] = []
        var taken = 0
        var next = try firstHost(
            """
            SELECT host FROM downloads WHERE app = ?1 AND downloadClass = ?2
                AND state IN ('created', 'waiting') ORDER BY host
            """, key)
        while let host = next, limit > 0, taken < Self.windowHostLimit {
            if !excluded.contains(host) {
                taken += 1
                found += try summaries(
                    """
                    SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
                    FROM downloads WHERE app = ?1 AND downloadClass = ?2 AND host = ?3
                        AND state IN ('created', 'waiting') AND allowsMetered >= ?4
                    ORDER BY priority DESC, sequence
                    """, key + [.text(host), .integer(mustAllowMetered ? 1 : 0)],
                    Self.windowDepth)
            }
            next = try firstHost(
                """
                SELECT host FROM downloads WHERE app = ?1 AND downloadClass = ?2 AND host > ?3
                    AND state IN ('created', 'waiting') ORDER BY host
                """, key + [.text(host)])
        }
        return Array(found.sorted().prefix(max(0, limit)))
    }

    /// The apps and classes that have something to start, by app in byte order, then class; at most
    /// ``listLimit``.
    package func windowKeys() throws(DownloadStoreError) -> [(
        app: String, downloadClass: DownloadClass
    )] {
        var keys: [(app: String, downloadClass: DownloadClass)] = []
        var last: (app: SQLValue, downloadClass: SQLValue) = (.text(""), .integer(.min))
        while keys.count < Self.listLimit {
            guard let key = try nextKey(after: last) else { break }
            last = (.text(key.app), .integer(key.number))
            if let known = DownloadClass(rawValue: key.number) { keys.append((key.app, known)) }
        }
        return keys
    }

    // Two queries: SQLite would look through all of a key's rows for `(app, downloadClass) > (?, ?)`.
    private func nextKey(
        after last: (app: SQLValue, downloadClass: SQLValue)
    ) throws(DownloadStoreError) -> (app: String, number: Int64)? {
        var key: (app: String, number: Int64)?
        func take(_ row: Statement) -> Bool {
            guard let app = row.text(0), let number = row.integer(1) else { return true }
            key = (app, number)
            return false
        }
        try opened?.rows(
            """
            SELECT app, downloadClass FROM downloads WHERE app = ?1 AND downloadClass > ?2
                AND state IN ('created', 'waiting') ORDER BY downloadClass
            """, [last.app, last.downloadClass], take)
        if key != nil { return key }
        try opened?.rows(
            """
            SELECT app, downloadClass FROM downloads WHERE app > ?1
                AND state IN ('created', 'waiting') ORDER BY app, downloadClass
            """, [last.app], take)
        return key
    }

    private func firstHost(
        _ sql: StaticString, _ values: [SQLValue]
    ) throws(DownloadStoreError) -> String? {
        var host: String?
        try opened?.rows(sql, values) { (row) throws(DownloadStoreError) in
            host = row.text(0)
            return host == nil
        }
        return host
    }

    private func summaries(
        _ sql: StaticString, _ values: [SQLValue], _ limit: Int
    ) throws(DownloadStoreError) -> [DownloadSummary] {
        var found: [DownloadSummary] = []
        guard limit > 0 else { return found }
        try opened?.rows(sql, values) { (row) throws(DownloadStoreError) in
            if let summary = try readableSummary(row) { found.append(summary) }
            return found.count < limit
        }
        return found
    }

    /// The summary of `row`, or nil and a note.
    private func readableSummary(_ row: Statement) throws(DownloadStoreError) -> DownloadSummary? {
        do {
            return try SummaryRow.summary(row)
        } catch let error where error.code == .rowUnreadable {
            note(unreadable: error)
            return nil
        }
    }
}
