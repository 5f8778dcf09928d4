internal import DownloadScheduler

/// A row as the summary of a download.
///
/// The columns are those of the queries of windows: `rowID, app, host, downloadClass, priority,
/// sequence, allowsMetered`.
enum SummaryRow {
    /// The summary of the row that `row` stands on.
    ///
    /// - Throws: ``DownloadStoreError`` with `rowUnreadable`, naming row and column.
    static func summary(_ row: Statement) throws(DownloadStoreError) -> DownloadSummary {
        guard let rowID = row.integer(0) else { throw unreadable(row, "rowID") }
        guard let app = row.text(1), RecordBounds.isName(app) else { throw unreadable(row, "app") }
        guard let host = row.text(2), RecordBounds.isHost(host) else {
            throw unreadable(row, "host")
        }
        guard let downloadClass = row.integer(3).flatMap(DownloadClass.init(rawValue:)) else {
            throw unreadable(row, "downloadClass")
        }
        guard let priority = row.integer(4) else { throw unreadable(row, "priority") }
        guard let sequence = row.integer(5) else { throw unreadable(row, "sequence") }
        guard let allowsMetered = row.integer(6), (0...1).contains(allowsMetered) else {
            throw unreadable(row, "allowsMetered")
        }
        return DownloadSummary(
            id: rowID, app: app, host: host, downloadClass: downloadClass,
            position: DownloadPosition(priority: priority, sequence: sequence),
            allowsMetered: allowsMetered == 1)
    }

    private static func unreadable(_ row: Statement, _ column: String) -> DownloadStoreError {
        let number = row.integer(0).map(String.init) ?? "?"
        return DownloadStoreError(code: .rowUnreadable, subject: "row \(number), column \(column)")
    }
}
