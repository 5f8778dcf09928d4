/// The one table, its columns in order, and its version.
enum DownloadTable {
    /// The schema number, kept as `PRAGMA user_version`.
    ///
    /// A change of the table is a new number and a step from the
    /// one before.
    static let schema: Int32 = 1

    /// The columns in the order of the table; the raw value is the index in `SELECT *`.
    enum Column: Int32, CaseIterable {
        case rowID, app, identifier, uniqueIdentifier, kind, url, mirrors, headers
        case sizeBytes, sha256, isEssential, allowsMetered, priority, groupIdentifier
        case state, receivedBytes, totalBytes, validatorKind, validatorText, validatorTotal
        case finishedPath, resultSha256, errorDomain, errorCode, errorHTTPStatus, errorMessage
        case sequence, isDelivered, attempts
    }

    /// Creates the table in an empty database, in one transaction with its version.
    static func create(in database: Database) throws(DownloadStoreError) {
        try database.transaction { () throws(DownloadStoreError) in
            try database.run(table)
            try database.run(inOrder)
            try database.run(undelivered)
            try database.run("PRAGMA user_version = 1")
        }
    }

    /// Whether the database holds exactly our columns.
    static func isPresent(in database: Database) throws(DownloadStoreError) -> Bool {
        var names: [String] = []
        try database.each("SELECT name FROM pragma_table_info('downloads') ORDER BY cid") {
            (row) throws(DownloadStoreError) in names.append(row.text(0) ?? "")
        }
        return names == Column.allCases.map { "\($0)" }
    }

    /// `AUTOINCREMENT` uses no row number twice, so that a late word about a removed download
    /// cannot reach another one; `mirrors` are lines, `headers` lines of `name:value`.
    private static let table: StaticString = """
        CREATE TABLE downloads (
            rowID INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            identifier TEXT NOT NULL,
            uniqueIdentifier TEXT NOT NULL,
            kind TEXT NOT NULL,
            url TEXT NOT NULL,
            mirrors TEXT NOT NULL,
            headers TEXT NOT NULL,
            sizeBytes INTEGER,
            sha256 BLOB,
            isEssential INTEGER NOT NULL,
            allowsMetered INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            groupIdentifier TEXT NOT NULL,
            state TEXT NOT NULL,
            receivedBytes INTEGER NOT NULL,
            totalBytes INTEGER,
            validatorKind TEXT,
            validatorText TEXT,
            validatorTotal INTEGER,
            finishedPath TEXT,
            resultSha256 BLOB,
            errorDomain TEXT,
            errorCode INTEGER,
            errorHTTPStatus INTEGER,
            errorMessage TEXT,
            sequence INTEGER NOT NULL,
            isDelivered INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            UNIQUE (app, identifier)
        ) STRICT
        """

    private static let inOrder: StaticString = """
        CREATE INDEX downloadsInOrder
        ON downloads (app, isEssential DESC, priority DESC, sequence)
        WHERE state IN ('created', 'waiting', 'downloading', 'paused')
        """

    private static let undelivered: StaticString = """
        CREATE INDEX downloadsUndelivered ON downloads (app, sequence)
        WHERE isDelivered = 0 AND state IN ('finished', 'failed')
        """
}
