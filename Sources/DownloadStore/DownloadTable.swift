internal import DownloadScheduler

/// The table of downloads and its columns in order, and what a host and a reader beside it both ask of it.
enum DownloadTable {
    /// The columns in the order of the table; the raw value is the index in `SELECT *`.
    enum Column: Int32, CaseIterable {
        case rowID, app, identifier, uniqueIdentifier, kind, url, mirrors, headers
        case sizeBytes, sha256, isEssential, allowsMetered, priority, groupIdentifier
        case state, receivedBytes, totalBytes, validatorKind, validatorText, validatorTotal
        case finishedPath, resultSha256, errorDomain, errorCode, errorHTTPStatus, errorMessage
        case sequence, isDelivered, attempts
        // From schema 2 on.
        case host, downloadClass, retries
    }

    /// Whether the database holds exactly our columns.
    static func isPresent(in database: Database) throws(DownloadStoreError) -> Bool {
        var names: [String] = []
        try database.each("SELECT name FROM pragma_table_info('downloads') ORDER BY cid") {
            (row) throws(DownloadStoreError) in names.append(row.text(0) ?? "")
        }
        return names == Column.allCases.map { "\($0)" }
    }

    /// The download of row `rowID`; throws `rowUnreadable` too.
    static func record(
        _ rowID: Int64, in database: Database
    ) throws(DownloadStoreError) -> DownloadRecord? {
        var found: DownloadRecord?
        try database.each("SELECT * FROM downloads WHERE rowID = ?1", [.integer(rowID)]) {
            (row) throws(DownloadStoreError) in found = try RecordRow.record(row)
        }
        return found
    }

    /// How many downloads are in each state, of one app or of all; a state without any is missing.
    static func counts(
        app: String?, in database: Database
    ) throws(DownloadStoreError) -> [DownloadState: Int] {
        var counts: [DownloadState: Int] = [:]
        try database.each(
            """
            SELECT state, count(*) FROM downloads WHERE (?1 IS NULL OR app = ?1) GROUP BY state
            """, [RecordRow.optional(app)]
        ) { (row) throws(DownloadStoreError) in
            guard let state = row.text(0).flatMap(DownloadState.init(rawValue:)) else { return }
            counts[state] = Int(clamping: row.integer(1) ?? 0)
        }
        return counts
    }
}
