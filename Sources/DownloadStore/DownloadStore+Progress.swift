package import DownloadScheduler

/// A file that was published, as ``DownloadStore/markFinished(_:)`` stores it.
package struct FinishedDownload: Hashable, Sendable {
    package let rowID: Int64
    /// Relative to the container.
    package let path: String
    package let receivedBytes: UInt64
    /// 32 bytes.
    package let sha256: [UInt8]

    package init(rowID: Int64, path: String, receivedBytes: UInt64, sha256: [UInt8]) {
        self.rowID = rowID
        self.path = path
        self.receivedBytes = receivedBytes
        self.sha256 = sha256
    }
}

/// Changes of one download. Each is durable on return, throws `noSuchRow` when the download is
/// gone or already at an end, and `invalidRecord` for a value out of bounds.
extension DownloadStore {
    /// Moves an unfinished download to another unfinished state.
    ///
    /// `attempts` is how many transfers were begun, or nil to leave the number.
    package func update(
        rowID: Int64, state: DownloadState, attempts: Int? = nil
    ) throws(DownloadStoreError) {
        try require(state.isUnfinished, "state \(state.rawValue)", rowID)
        try require((attempts ?? 0) >= 0, "attempts", rowID)
        let number = attempts.map { SQLValue.integer(Int64($0)) } ?? .null
        try change(
            """
            UPDATE downloads SET state = ?2, attempts = ifnull(?3, attempts)
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """, rowID, [.text(state.rawValue), number])
    }

    /// Notes how far a transfer has come; a nil `validator` or `totalBytes` forgets the old one.
    package func checkpoint(
        rowID: Int64, receivedBytes: UInt64, validator: TransferValidator?, totalBytes: UInt64?
    ) throws(DownloadStoreError) {
        try require(RecordBounds.fits(receivedBytes), "receivedBytes", rowID)
        try require(RecordBounds.fits(totalBytes), "totalBytes", rowID)
        try require(RecordBounds.fits(validator?.total), "validator", rowID)
        try change(
            """
            UPDATE downloads SET receivedBytes = ?2, totalBytes = ?3,
                validatorKind = ?4, validatorText = ?5, validatorTotal = ?6
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """, rowID,
            [
                RecordRow.optional(receivedBytes), RecordRow.optional(totalBytes),
                RecordRow.optional(validator?.kind.rawValue), RecordRow.optional(validator?.text),
                RecordRow.optional(validator?.total),
            ])
    }

    /// Marks a group of published files as finished, in one transaction: all or none.
    package func markFinished(_ files: [FinishedDownload]) throws(DownloadStoreError) {
        for file in files {
            try require(RecordBounds.isInside(file.path), "path '\(file.path)'", file.rowID)
            try require(RecordBounds.isDigest(file.sha256), "sha256", file.rowID)
            try require(RecordBounds.fits(file.receivedBytes), "receivedBytes", file.rowID)
        }
        guard !files.isEmpty else { return }
        try database.transaction { () throws(DownloadStoreError) in
            for file in files { try markFinished(file) }
        }
    }

    /// Marks a published file as finished.
    package func markFinished(
        rowID: Int64, path: String, receivedBytes: UInt64, sha256: [UInt8]
    ) throws(DownloadStoreError) {
        try markFinished([
            FinishedDownload(
                rowID: rowID, path: path, receivedBytes: receivedBytes, sha256: sha256)
        ])
    }

    /// Marks a download as failed for good; a message over 4 KiB is cut.
    package func markFailed(
        rowID: Int64, failure: DownloadFailure
    ) throws(DownloadStoreError) {
        try change(
            """
            UPDATE downloads SET state = 'failed', isDelivered = 0, errorDomain = ?2,
                errorCode = ?3, errorHTTPStatus = ?4, errorMessage = ?5
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """, rowID,
            [
                .text(failure.domain.rawValue), .integer(Int64(failure.code)),
                .integer(Int64(failure.httpStatus)),
                .text(RecordBounds.clipped(failure.message)),
            ])
    }

    /// Notes that the extension was told of the end.
    package func markDelivered(rowID: Int64) throws(DownloadStoreError) {
        try change(
            """
            UPDATE downloads SET isDelivered = 1
            WHERE rowID = ?1 AND state IN ('finished', 'failed', 'cancelled')
            """, rowID, [])
    }

    /// Ends an unfinished download because nobody wants it any more.
    package func cancel(rowID: Int64) throws(DownloadStoreError) {
        try change(
            """
            UPDATE downloads SET state = 'cancelled'
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """, rowID, [])
    }

    /// Makes every download of `app` wait that an earlier host left in the middle of a transfer.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func requeueInFlight(app: String) throws(DownloadStoreError) -> Int {
        try opened?.run(
            """
            UPDATE downloads SET state = 'waiting' WHERE app = ?1 AND state = 'downloading'
                AND state IN ('created', 'waiting', 'downloading', 'paused')
            """, [.text(app)]) ?? 0
    }

    private func markFinished(_ file: FinishedDownload) throws(DownloadStoreError) {
        try change(
            """
            UPDATE downloads SET state = 'finished', isDelivered = 0, finishedPath = ?2,
                receivedBytes = ?3, resultSha256 = ?4, errorDomain = NULL, errorCode = NULL,
                errorHTTPStatus = NULL, errorMessage = NULL
            WHERE rowID = ?1 AND state IN ('created', 'waiting', 'downloading', 'paused')
            """, file.rowID,
            [
                .text(file.path), RecordRow.optional(file.receivedBytes), .blob(file.sha256),
            ])
    }

    private func change(
        _ sql: StaticString, _ rowID: Int64, _ values: [SQLValue]
    ) throws(DownloadStoreError) {
        guard try opened?.run(sql, [.integer(rowID)] + values) == 1 else {
            throw DownloadStoreError(code: .noSuchRow, subject: "row \(rowID)")
        }
    }

    private func require(
        _ holds: Bool, _ field: String, _ rowID: Int64
    ) throws(DownloadStoreError) {
        guard !holds else { return }
        throw DownloadStoreError(code: .invalidRecord, subject: "\(field) of row \(rowID)")
    }
}
