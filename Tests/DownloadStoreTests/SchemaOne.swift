import DownloadStore

/// A database as the hosts of schema 1 made them, and what is in it.
enum SchemaOne {
    /// Word for word what those hosts ran; never to be changed.
    private static let table: [StaticString] = [
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

    /// One row of each state; every column is used by some.
    private static let rows: [StaticString] = [
        """
        INSERT INTO downloads VALUES (3, 'app', 'created',
            '123E4567-E89B-12D3-A456-426614174000', 'url', 'https://example.org/a:b', '', '',
            NULL, NULL, 0, 0, 0, 'group.app', 'created', 0, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, NULL, 3, 0, 0)
        """,
        """
        INSERT INTO downloads VALUES (4, 'app', 'waiting',
            '123E4567-E89B-12D3-A456-426614174001', 'manifest', 'http://example.org:8080/x',
            'https://m.example/1' || char(10) || 'https://m.example/2', 'Accept:text/plain: yes',
            9223372036854775807, x'0001020304050607080910111213141516171819202122232425262728293031',
            1, 1, -5, 'group.app', 'waiting', 17, 18, 'strongETag', '"1"', 18,
            NULL, NULL, 'transport', 7, 0, 'refused', 4, 0, 2)
        """,
        """
        INSERT INTO downloads VALUES (5, 'app', 'downloading',
            '123E4567-E89B-12D3-A456-426614174002', 'url', 'http://[::1]/x', '', '',
            NULL, NULL, 0, 0, 9, 'group.app', 'downloading', 5, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, NULL, 5, 0, 1)
        """,
        """
        INSERT INTO downloads VALUES (6, 'other', 'paused',
            '123E4567-E89B-12D3-A456-426614174003', 'url', 'https://[2001:db8::1]:444/', '', '',
            NULL, NULL, 0, 0, 0, 'group.other', 'paused', 0, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, NULL, 6, 0, 0)
        """,
        """
        INSERT INTO downloads VALUES (7, 'app', 'finished',
            '123E4567-E89B-12D3-A456-426614174004', 'url', 'https://example.org/f', '', '',
            12, NULL, 1, 0, 0, 'group.app', 'finished', 12, 12, NULL, NULL, NULL, 'Downloads/f',
            x'0001020304050607080910111213141516171819202122232425262728293031',
            NULL, NULL, NULL, NULL, 7, 1, 1)
        """,
        """
        INSERT INTO downloads VALUES (8, 'app', 'failed',
            '123E4567-E89B-12D3-A456-426614174005', 'url', 'http://127.0.0.1:8000/f', '', '',
            NULL, NULL, 0, 0, 0, 'group.app', 'failed', 0, NULL, NULL, NULL, NULL, NULL, NULL,
            'http', 404, 404, 'not found', 8, 0, 1)
        """,
        """
        INSERT INTO downloads VALUES (9, 'app', 'cancelled',
            '123E4567-E89B-12D3-A456-426614174006', 'url', 'http://example.org/c', '', '',
            NULL, NULL, 0, 0, 0, 'group.app', 'cancelled', 0, NULL, NULL, NULL, NULL,
            NULL, NULL, NULL, NULL, NULL, NULL, 9, 0, 0)
        """,
        // Row numbers up to 40 were used once.
        "UPDATE sqlite_sequence SET seq = 40",
    ]

    /// The host that each row is to have, by identifier.
    static let hosts = [
        "created": "example.org:443", "waiting": "example.org:8080", "downloading": "::1:80",
        "paused": "2001:db8::1:444", "finished": "example.org:443", "failed": "127.0.0.1:8000",
        "cancelled": "example.org:80",
    ]

    /// Makes such a database, in the journal mode of a store.
    static func make(in database: Database) throws {
        try database.run("PRAGMA journal_mode = WAL")
        for sql in table + rows { try database.run(sql) }
    }

    /// Adds `rows` waiting downloads of the app `app`.
    static func add(rows: Int64, to database: Database) throws {
        try database.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 + 99)
            INSERT INTO downloads SELECT i, 'app', 'item ' || i,
                '123E4567-E89B-12D3-A456-426614174000', 'url', 'https://example.org/' || i,
                '', '', NULL, NULL, 0, 0, 0, 'group.app', 'waiting', 0, NULL, NULL, NULL, NULL,
                NULL, NULL, NULL, NULL, NULL, NULL, i, 0, 0 FROM n
            """, [.integer(rows)])
    }
}
