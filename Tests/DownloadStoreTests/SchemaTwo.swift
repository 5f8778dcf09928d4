import DownloadStore

/// A database as the hosts of schema 2 left them, and what is in it.
enum SchemaTwo {
    /// Word for word what those hosts ran on one of schema 1; never to be changed.
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

    /// What only schema 2 could say.
    private static let rows: [StaticString] = [
        "UPDATE downloads SET downloadClass = 0 WHERE rowID = 3",
        "UPDATE downloads SET retries = 5 WHERE rowID = 4",
    ]

    /// Makes such a database, in the journal mode of a store.
    static func make(in database: Database) throws {
        try SchemaOne.make(in: database)
        for sql in two + rows { try database.run(sql) }
    }
}
