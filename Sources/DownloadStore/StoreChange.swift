package import DownloadScheduler

/// One change of one download, named by its row, for ``DownloadStore/commit(_:)``.
///
/// Every one but `delivered` and `lost` is for a download that is not at an end.
package enum StoreChange: Hashable, Sendable {
    /// Another unfinished state; `attempts` is how many transfers were begun and `retries` how
    /// many of them count as retries, nil leaves the number.
    case state(Int64, DownloadState, attempts: Int? = nil, retries: Int? = nil)

    /// How far the transfer has come; a nil `validator` or `totalBytes` forgets the old one.
    case checkpoint(
        Int64, receivedBytes: UInt64, validator: TransferValidator?, totalBytes: UInt64?)

    case finished(FinishedDownload)

    /// Failed for good; a message over 4 KiB is cut.
    case failed(Int64, DownloadFailure)

    /// Finished, and its file gone before the extension was told: it has failed after all.
    case lost(Int64, DownloadFailure)

    /// Nobody wants it any more.
    case cancelled(Int64)

    /// The extension was told of the end.
    case delivered(Int64)

    /// Whether somebody waits for it.
    case foreground(Int64, Bool)

    /// To the front of its app and class, for good.
    case first(Int64)

    /// The row concerned.
    package var rowID: Int64 {
        switch self {
        case .state(let rowID, _, _, _), .checkpoint(let rowID, _, _, _), .failed(let rowID, _),
            .lost(let rowID, _), .cancelled(let rowID), .delivered(let rowID),
            .foreground(let rowID, _), .first(let rowID):
            rowID
        case .finished(let file): file.rowID
        }
    }

    /// The name of the value that is out of bounds, or nil.
    var fault: String? {
        switch self {
        case .state(_, let state, let attempts, let retries):
            if !state.isUnfinished { return "state \(state.rawValue)" }
            return (attempts ?? 0) < 0 ? "attempts" : (retries ?? 0) < 0 ? "retries" : nil
        case .checkpoint(_, let receivedBytes, let validator, let totalBytes):
            if !RecordBounds.fits(receivedBytes) { return "receivedBytes" }
            if !RecordBounds.fits(totalBytes) { return "totalBytes" }
            return RecordBounds.fits(validator?.total) ? nil : "validator"
        case .finished(let file): return file.fault
        case .failed, .lost, .cancelled, .delivered, .foreground, .first: return nil
        }
    }
}

/// A file that was published, as ``StoreChange/finished(_:)`` stores it.
package struct FinishedDownload: Hashable, Sendable {
    package let rowID: Int64
    /// Relative to the container.
    package let path: String
    package let receivedBytes: UInt64
    /// 32 bytes.
    package let sha256: [UInt8]
    /// What the host needs to take the file back one day; nil makes it the app's own.
    package let published: PublishedPlace?

    package init(
        rowID: Int64, path: String, receivedBytes: UInt64, sha256: [UInt8],
        published: PublishedPlace? = nil
    ) {
        self.rowID = rowID
        self.path = path
        self.receivedBytes = receivedBytes
        self.sha256 = sha256
        self.published = published
    }

    fileprivate var fault: String? {
        if !RecordBounds.isInside(path) { return "path '\(path)'" }
        if !RecordBounds.isDigest(sha256) { return "sha256" }
        if !RecordBounds.fits(receivedBytes) { return "receivedBytes" }
        return published?.fault
    }
}
