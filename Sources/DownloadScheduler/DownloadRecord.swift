/// Everything the host knows about one wanted file: a row of the store, and what moves between
/// broker, scheduler and transfers.
package struct DownloadRecord: Hashable, Sendable {
    /// What kind of wish made the download; the raw values are the words of records.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case url, manifest
    }

    /// One request header field.
    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The row in the store; 0 until the store has admitted the record.
    package var rowID: Int64 = 0
    package var app: String
    package var identifier: String
    /// A UUID in text form, new for every admission.
    package var uniqueIdentifier: String
    package var kind: Kind
    /// The address as parsed and normalised by the broker.
    package var url: String

    /// Host and port of ``url``, `host:port`, as the parser that dials has them.
    package var host = ""
    package var mirrors: [String] = []
    package var headers: [Header] = []
    /// The size agreed on, or nil when it was left open.
    package var sizeBytes: UInt64?
    /// The 32 bytes the content must hash to, or nil when it was left open.
    package var sha256: [UInt8]?
    package var isEssential = false

    /// Whether somebody waits for it; ends with the host that was asked.
    package var isForeground = false
    package var allowsMetered = false
    /// Higher goes first; any value.
    package var priority: Int64 = 0
    package var group: String
    package var state = DownloadState.created
    package var receivedBytes: UInt64 = 0
    /// The size the server named.
    package var totalBytes: UInt64?
    package var validator: TransferValidator?
    /// Where the published file lies, relative to the container.
    package var finishedPath: String?
    /// The 32 bytes the published file hashes to.
    package var resultSha256: [UInt8]?
    package var error: DownloadFailure?
    /// Age: a smaller number was admitted earlier; set by the store.
    package var sequence: Int64 = 0
    /// Whether the extension was told of the end.
    package var isDelivered = false
    /// How many transfers were begun.
    package var attempts = 0

    /// How many of these followed a failure that may pass, since the last byte that was new.
    package var retries = 0

    /// A wish just allowed, nothing fetched yet.
    package init(
        app: String, identifier: String, uniqueIdentifier: String, kind: Kind, url: String,
        group: String
    ) {
        self.app = app
        self.identifier = identifier
        self.uniqueIdentifier = uniqueIdentifier
        self.kind = kind
        self.url = url
        self.group = group
    }

    package var downloadClass: DownloadClass {
        isForeground ? .foreground : isEssential ? .essential : .background
    }

    /// What the scheduler needs to know of this record.
    package var summary: DownloadSummary {
        DownloadSummary(
            id: rowID, app: app, host: host, downloadClass: downloadClass,
            position: DownloadPosition(priority: priority, sequence: sequence),
            allowsMetered: allowsMetered)
    }
}
