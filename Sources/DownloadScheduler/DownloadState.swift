/// Where a download stands.
///
/// The raw values are the words of records, messages and the database.
package enum DownloadState: String, CaseIterable, Hashable, Sendable {
    case created, waiting, downloading, paused, finished, failed, cancelled

    /// The number Apple's `BADownloadState` has for this state: paused shows as waiting, cancelled
    /// as failed.
    package var appleState: Int32 {
        switch self {
        case .created: 0
        case .waiting, .paused: 1
        case .downloading: 2
        case .finished: 3
        case .failed, .cancelled: -1
        }
    }

    /// Whether the download is still wanted: neither finished, failed nor cancelled.
    package var isUnfinished: Bool {
        switch self {
        case .created, .waiting, .downloading, .paused: true
        case .finished, .failed, .cancelled: false
        }
    }
}
