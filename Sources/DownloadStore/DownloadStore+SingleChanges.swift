package import DownloadScheduler

/// ``DownloadStore/commit(_:)`` for a caller with one change.
///
/// Each throws `noSuchRow` where `commit` leaves the change out.
extension DownloadStore {
    package func update(
        rowID: Int64, state: DownloadState, attempts: Int? = nil
    ) throws(DownloadStoreError) {
        try make(.state(rowID, state, attempts: attempts))
    }

    package func checkpoint(
        rowID: Int64, receivedBytes: UInt64, validator: TransferValidator?, totalBytes: UInt64?
    ) throws(DownloadStoreError) {
        try make(
            .checkpoint(
                rowID, receivedBytes: receivedBytes, validator: validator, totalBytes: totalBytes))
    }

    package func markFinished(
        rowID: Int64, path: String, receivedBytes: UInt64, sha256: [UInt8]
    ) throws(DownloadStoreError) {
        try make(
            .finished(
                FinishedDownload(
                    rowID: rowID, path: path, receivedBytes: receivedBytes, sha256: sha256)))
    }

    package func markFailed(rowID: Int64, failure: DownloadFailure) throws(DownloadStoreError) {
        try make(.failed(rowID, failure))
    }

    package func markDelivered(rowID: Int64) throws(DownloadStoreError) {
        try make(.delivered(rowID))
    }

    package func cancel(rowID: Int64) throws(DownloadStoreError) {
        try make(.cancelled(rowID))
    }

    private func make(_ change: StoreChange) throws(DownloadStoreError) {
        guard try commit([change]).isEmpty else {
            throw DownloadStoreError(code: .noSuchRow, subject: "row \(change.rowID)")
        }
    }
}
