/// The one table and its columns in order.
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
}
