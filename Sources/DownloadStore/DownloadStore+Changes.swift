internal import DownloadScheduler

extension DownloadStore {
    /// Makes all `changes`, in their order, in one transaction: durable on return.
    ///
    /// A change whose download is gone, or whose state does not allow it, is left out; the others
    /// are made.
    ///
    /// - Returns: the indexes of the changes left out.
    /// - Throws: ``DownloadStoreError``, also with `invalidRecord` for a value out of bounds; then
    ///   nothing is changed.
    package func commit(_ changes: [StoreChange]) throws(DownloadStoreError) -> [Int] {
        for change in changes {
            guard let fault = change.fault else { continue }
            throw DownloadStoreError(
                code: .invalidRecord, subject: "\(fault) of row \(change.rowID)")
        }
        guard let opened, !changes.isEmpty else { return Array(changes.indices) }
        return try opened.transaction { () throws(DownloadStoreError) in
            var leftOut: [Int] = []
            for (index, change) in changes.enumerated()
            where try Self.make(change, in: opened) == 0 {
                leftOut.append(index)
            }
            return leftOut
        }
    }

    /// Makes the downloads wait that an earlier host left in the middle of a transfer, and ends the
    /// foreground of all, because whoever waited for them asked that host.
    ///
    /// - Parameter app: whose downloads, or nil for those of every app.
    /// - Returns: how many were in the middle of a transfer.
    /// - Throws: ``DownloadStoreError``; then nothing is changed.
    @discardableResult
    package func requeueInFlight(app: String? = nil) throws(DownloadStoreError) -> Int {
        guard let opened else { return 0 }
        return try opened.transaction { () throws(DownloadStoreError) in
            guard let app else {
                try opened.run(
                    """
                    UPDATE downloads SET downloadClass = 2 - isEssential WHERE downloadClass = 0
                        AND state IN ('created', 'waiting', 'downloading', 'paused')
                    """)
                return try opened.run(
                    """
                    UPDATE downloads SET state = 'waiting'
                    WHERE state = 'downloading' AND state IN ('downloading', 'paused')
                    """)
            }
            try opened.run(
                """
                UPDATE downloads SET downloadClass = 2 - isEssential
                WHERE app = ?1 AND downloadClass = 0
                    AND state IN ('created', 'waiting', 'downloading', 'paused')
                """, [.text(app)])
            return try opened.run(
                """
                UPDATE downloads SET state = 'waiting'
                WHERE state = 'downloading' AND app = ?1 AND state IN ('downloading', 'paused')
                """, [.text(app)])
        }
    }

    /// Makes one change.
    ///
    /// - Returns: how many rows it touched, 0 or 1.
    private static func make(
        _ change: StoreChange, in database: Database
    ) throws(DownloadStoreError) -> Int {
        let row = SQLValue.integer(change.rowID)
        switch change {
        case .state(_, let state, let attempts, let retries):
            return try move(row, state, attempts, retries, database)
        case .checkpoint(_, let receivedBytes, let validator, let totalBytes):
            return try checkpoint(row, receivedBytes, validator, totalBytes, database)
        case .finished(let file): return try finish(file, database)
        case .failed(_, let failure): return try fail(row, failure, database)
        case .lost(_, let failure): return try lose(row, failure, database)
        case .cancelled:
            return try database.run(
                """
                UPDATE downloads SET state = 'cancelled'
                WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
                """, [row])
        case .delivered:
            return try database.run(
                """
                UPDATE downloads SET isDelivered = 1
                WHERE rowID = ?1 AND state IN ('finished', 'failed', 'cancelled')
                """, [row])
        case .foreground(_, let isForeground):
            return try database.run(
                """
                UPDATE downloads SET downloadClass = CASE ?2 WHEN 1 THEN 0 ELSE 2 - isEssential END
                WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
                """, [row, .integer(isForeground ? 1 : 0)])
        case .first:
            return try database.run(
                """
                UPDATE downloads SET priority = ?2
                WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
                """, [row, .integer(.max)])
        }
    }

    private static func move(
        _ row: SQLValue, _ state: DownloadState, _ attempts: Int?, _ retries: Int?,
        _ database: Database
    ) throws(DownloadStoreError) -> Int {
        try database.run(
            """
            UPDATE downloads SET state = ?2, attempts = ifnull(?3, attempts),
                retries = ifnull(?4, retries)
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """,
            [
                row, .text(state.rawValue), RecordRow.optional(attempts),
                RecordRow.optional(retries),
            ])
    }

    private static func checkpoint(
        _ row: SQLValue, _ receivedBytes: UInt64, _ validator: TransferValidator?,
        _ totalBytes: UInt64?, _ database: Database
    ) throws(DownloadStoreError) -> Int {
        try database.run(
            """
            UPDATE downloads SET receivedBytes = ?2, totalBytes = ?3,
                validatorKind = ?4, validatorText = ?5, validatorTotal = ?6
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """,
            [
                row, RecordRow.optional(receivedBytes), RecordRow.optional(totalBytes),
                RecordRow.optional(validator?.kind.rawValue), RecordRow.optional(validator?.text),
                RecordRow.optional(validator?.total),
            ])
    }

    private static func finish(
        _ file: FinishedDownload, _ database: Database
    ) throws(DownloadStoreError) -> Int {
        let count = try database.run(
            """
            UPDATE downloads SET state = 'finished', isDelivered = 0, finishedPath = ?2,
                receivedBytes = ?3, resultSha256 = ?4, errorDomain = NULL, errorCode = NULL,
                errorHTTPStatus = NULL, errorMessage = NULL
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """,
            [
                .integer(file.rowID), .text(file.path), RecordRow.optional(file.receivedBytes),
                .blob(file.sha256),
            ])
        if count == 1, let place = file.published {
            try PublishedTable.add(file, at: place, to: database)
        }
        return count
    }

    private static func fail(
        _ row: SQLValue, _ failure: DownloadFailure, _ database: Database
    ) throws(DownloadStoreError) -> Int {
        try database.run(
            """
            UPDATE downloads SET state = 'failed', isDelivered = 0, errorDomain = ?2,
                errorCode = ?3, errorHTTPStatus = ?4, errorMessage = ?5
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """, [row] + values(of: failure))
    }

    private static func lose(
        _ row: SQLValue, _ failure: DownloadFailure, _ database: Database
    ) throws(DownloadStoreError) -> Int {
        try database.run(
            """
            UPDATE downloads SET state = 'failed', errorDomain = ?2, errorCode = ?3,
                errorHTTPStatus = ?4, errorMessage = ?5
            WHERE rowID = ?1 AND state = 'finished' AND isDelivered = 0
            """, [row] + values(of: failure))
    }

    private static func values(of failure: DownloadFailure) -> [SQLValue] {
        [
            .text(failure.domain.rawValue), .integer(Int64(failure.code)),
            .integer(Int64(failure.httpStatus)), .text(RecordBounds.clipped(failure.message)),
        ]
    }
}
