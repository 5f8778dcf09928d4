/// The part of a download that decides when it starts.
package struct DownloadSummary: Hashable, Sendable, Comparable {
    /// The row in the store.
    package let id: Int64
    package let app: String

    /// What the per-host cap counts by, `host:port`.
    package let host: String
    package let downloadClass: DownloadClass
    package let position: DownloadPosition

    /// Whether it may use a network that is paid by the byte.
    package let allowsMetered: Bool

    package init(
        id: Int64, app: String, host: String, downloadClass: DownloadClass,
        position: DownloadPosition, allowsMetered: Bool = false
    ) {
        self.id = id
        self.app = app
        self.host = host
        self.downloadClass = downloadClass
        self.position = position
        self.allowsMetered = allowsMetered
    }

    /// Whether `left` starts before `right`: class, then position; the row decides between two of
    /// the same place.
    package static func < (left: Self, right: Self) -> Bool {
        if left.downloadClass != right.downloadClass {
            return left.downloadClass < right.downloadClass
        }
        if left.position != right.position { return left.position < right.position }
        return left.id < right.id
    }
}
