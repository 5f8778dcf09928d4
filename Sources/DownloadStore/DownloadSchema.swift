/// The versions of the tables and the steps from each to the next.
enum DownloadSchema {
    /// The schema number this program writes, kept as `PRAGMA user_version`.
    static let current = Int32(steps.count)

    /// What leads from the schema of the index to the one after it; 0 is an empty database.
    ///
    /// A change of a table is a new step; a step that was once released never changes.
    private static let steps = [one, two, three]

    /// What the database says it is.
    static func version(of database: Database) throws(DownloadStoreError) -> Int32 {
        Int32(clamping: try database.integer("PRAGMA user_version"))
    }

    /// Brings a database of schema `found` to ``current``, all in one transaction.
    ///
    /// - Throws: ``DownloadStoreError``; then the database is as it was.
    static func migrate(
        _ database: Database, from found: Int32
    ) throws(DownloadStoreError) {
        guard (0..<current).contains(found) else { return }
        try database.transaction { () throws(DownloadStoreError) in
            for step in steps[Int(found)...] {
                for sql in step { try database.run(sql) }
            }
        }
    }

    /// `AUTOINCREMENT` uses no row number twice, so that a late word about a removed download
    /// cannot reach another one; `mirrors` are lines, `headers` lines of `name:value`.
    private static let one: [StaticString] = [
        """
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
        """,
        """
        CREATE INDEX downloadsInOrder
        ON downloads (app, isEssential DESC, priority DESC, sequence)
        WHERE state IN ('created', 'waiting', 'downloading', 'paused')
        """,
        """
        CREATE INDEX downloadsUndelivered ON downloads (app, sequence)
        WHERE isDelivered = 0 AND state IN ('finished', 'failed')
        """,
        "PRAGMA user_version = 1",
    ]

    /// Adds host, class and retries.
    ///
    /// The host of an old row is cut from its URL, which the broker
    /// had normalised: `host:port`, an IPv6 address without its brackets. The first two indexes
    /// hold all that a summary needs, so that a queue is read without its wide rows; the last two
    /// are as small as the number of transfers.
    private static let two: [StaticString] = [
        "ALTER TABLE downloads ADD COLUMN host TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE downloads ADD COLUMN downloadClass INTEGER NOT NULL DEFAULT 2",
        "ALTER TABLE downloads ADD COLUMN retries INTEGER NOT NULL DEFAULT 0",
        "DROP INDEX downloadsInOrder",
        """
        UPDATE downloads SET downloadClass = CASE isEssential WHEN 1 THEN 1 ELSE 2 END,
            host = (
                SELECT replace(replace(place, '[', ''), ']', '') || CASE
                    WHEN instr(substr(place, instr(place, ']') + 1), ':') > 0 THEN ''
                    WHEN url LIKE 'http:%' THEN ':80' ELSE ':443' END
                FROM (
                    SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS place
                    FROM (SELECT substr(url, instr(url, '://') + 3) AS rest)))
        """,
        """
        CREATE INDEX downloadsWaiting ON downloads
            (app, downloadClass, priority DESC, sequence, host, allowsMetered, state)
        WHERE state IN ('created', 'waiting')
        """,
        """
        CREATE INDEX downloadsWaitingByHost ON downloads
            (app, downloadClass, host, priority DESC, sequence, allowsMetered, state)
        WHERE state IN ('created', 'waiting')
        """,
        """
        CREATE INDEX downloadsActive
        ON downloads (state, app, downloadClass, priority DESC, sequence)
        WHERE state IN ('downloading', 'paused')
        """,
        """
        CREATE INDEX downloadsForeground ON downloads (app)
        WHERE downloadClass = 0 AND state IN ('created', 'waiting', 'downloading', 'paused')
        """,
        "PRAGMA user_version = 2",
    ]

    /// Adds the files that the host has published and may take back.
    ///
    /// One of an earlier schema is the app's own until it is found by its mark. `device` and `inode`
    /// are numbers without a sign, bit by bit; times are seconds since 1970.
    private static let three: [StaticString] = [
        """
        CREATE TABLE publishedFiles (
            rowID INTEGER PRIMARY KEY AUTOINCREMENT,
            app TEXT NOT NULL,
            identifier TEXT NOT NULL,
            uniqueIdentifier TEXT NOT NULL UNIQUE,
            container TEXT NOT NULL,
            path TEXT NOT NULL,
            device INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            sizeBytes INTEGER NOT NULL,
            modifiedNanoseconds INTEGER NOT NULL,
            publishedAt INTEGER NOT NULL,
            lastUsed INTEGER NOT NULL,
            isPinned INTEGER NOT NULL,
            isPurging INTEGER NOT NULL,
            sha256 BLOB
        ) STRICT
        """,
        "CREATE INDEX publishedFilesInContainer ON publishedFiles (container)",
        "CREATE INDEX publishedFilesByInode ON publishedFiles (inode)",
        """
        CREATE INDEX publishedFilesPurging ON publishedFiles (container) WHERE isPurging = 1
        """,
        "PRAGMA user_version = 3",
    ]
}
