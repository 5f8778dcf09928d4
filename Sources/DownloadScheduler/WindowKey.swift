/// Which part of the store a window shows: the waiting downloads of one app and one class.
package struct WindowKey: Hashable, Sendable {
    package let app: String
    package let downloadClass: DownloadClass

    package init(app: String, downloadClass: DownloadClass) {
        self.app = app
        self.downloadClass = downloadClass
    }

    /// The window that a download belongs to.
    package init(_ summary: DownloadSummary) {
        self.init(app: summary.app, downloadClass: summary.downloadClass)
    }
}
