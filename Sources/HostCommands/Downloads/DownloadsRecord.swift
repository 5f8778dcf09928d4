internal import Digests
package import DownloadScheduler

/// What `bahost downloads --json` prints; docs/schema/downloads-1.json.
package enum DownloadsRecord {
    /// `list`.
    package struct Listing: Hashable, Sendable, Encodable {
        let schema = 1
        package var folder: String

        /// The process id of the host that holds the folder.
        @Nullable package var holder: Int32?

        /// By state; a state without any is missing.
        package var counts: [String: Int]
        package var downloads: [Download]

        /// False when there are more than are listed.
        package var isComplete: Bool

        /// Sentences on rows that do not make a download.
        package var unreadable: [String]

        package init(
            folder: String, holder: Int32?, counts: [DownloadState: Int],
            downloads: [DownloadRecord], isComplete: Bool, unreadable: [String]
        ) {
            self.folder = folder
            self.holder = holder
            self.counts = Dictionary(
                uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
            self.downloads = downloads.map(Download.init)
            self.isComplete = isComplete
            self.unreadable = unreadable
        }
    }

    /// A line of `watch`.
    package struct News: Hashable, Sendable, Encodable {
        let schema = 1
        package var download: Download

        package init(_ record: DownloadRecord) { download = Download(record) }
    }

    /// `cancel` and `promote`.
    package struct Changes: Hashable, Sendable, Encodable {
        let schema = 1
        package var changed: [Download]

        package init(_ records: [DownloadRecord]) { changed = records.map(Download.init) }
    }

    package struct Download: Hashable, Sendable, Encodable {
        /// Unique in its folder; a smaller one was admitted earlier.
        package var row: Int64
        package var app: String
        package var identifier: String
        package var kind: String
        package var url: String
        package var state: String
        package var downloadClass: String
        package var priority: Int64
        package var bytes: UInt64

        /// The size agreed on, else the one the server named.
        @Nullable package var totalBytes: UInt64?
        package var attempts: Int
        package var retries: Int

        /// Relative to the container, once finished.
        @Nullable package var path: String?
        @Nullable package var sha256: String?
        @Nullable package var error: RunRecord.Failure?

        enum CodingKeys: String, CodingKey {
            case row, app, identifier, kind, url, state, priority, bytes, totalBytes, attempts
            case retries, path, sha256, error
            case downloadClass = "class"
        }

        package init(_ record: DownloadRecord) {
            row = record.rowID
            app = record.app
            identifier = record.identifier
            kind = record.kind.rawValue
            url = record.url
            state = record.state.rawValue
            downloadClass = "\(record.downloadClass)"
            priority = record.priority
            bytes = record.receivedBytes
            _totalBytes = Nullable(wrappedValue: record.sizeBytes ?? record.totalBytes)
            attempts = record.attempts
            retries = record.retries
            let digest = record.resultSha256.map(SHA256Digest.hex)
            _path = Nullable(wrappedValue: record.finishedPath)
            _sha256 = Nullable(wrappedValue: digest)
            _error = Nullable(wrappedValue: record.error.map { RunRecord.Failure($0) })
        }
    }
}
