import DownloadScheduler

extension DownloadSummary {
    /// A download whose age is its row.
    static func sample(
        _ id: Int64, app: String = "a", host: String = "a",
        _ downloadClass: DownloadClass = .background, priority: Int64 = 0,
        allowsMetered: Bool = false
    ) -> DownloadSummary {
        DownloadSummary(
            id: id, app: app, host: host, downloadClass: downloadClass,
            position: DownloadPosition(priority: priority, sequence: id),
            allowsMetered: allowsMetered)
    }

    static func samples(_ ids: ClosedRange<Int64>, host: String = "a") -> [DownloadSummary] {
        ids.map { sample($0, host: host) }
    }
}
