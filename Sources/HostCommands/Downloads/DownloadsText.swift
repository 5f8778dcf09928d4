internal import DownloadScheduler
internal import LinuxSystem

/// Downloads as lines for people.
enum DownloadsText {
    /// A table with a line of titles; the app has a column where there are several.
    ///
    /// `columns` is the width of the terminal, or nil for no bound.
    static func table(_ records: [DownloadRecord], columns: Int?) -> String {
        let isOfMany = Set(records.map(\.app)).count > 1
        var rows = [["identifier", "state", "class", "bytes", "attempts", "path or error"]]
        rows += records.map(cells)
        if isOfMany {
            rows = zip(rows, ["app"] + records.map { TerminalText.escape($0.app) }).map {
                [$1] + $0
            }
        }
        let widths = TerminalText.widths(of: rows)
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += TerminalText.pad(cell, to: width) + "  "
            }
            line += row[widths.count]
            return (columns.map { TerminalText.clip(line, to: $0) } ?? line) + "\n"
        }.joined()
    }

    /// One download in one line, without its end.
    static func line(_ record: DownloadRecord) -> String {
        let cells = cells(record)
        let end = cells[5] == "-" ? "" : " (\(cells[5]))"
        return "\(cells[0]): \(cells[1]), \(cells[3])\(end)"
    }

    private static func cells(_ record: DownloadRecord) -> [String] {
        let received = ByteCount(bytes: record.receivedBytes).description
        let total = (record.sizeBytes ?? record.totalBytes).map { ByteCount(bytes: $0).description }
        let failure = record.error.map { RunRecord.Failure($0) }
        let end = record.finishedPath ?? failure?.sentence ?? "-"
        return [
            record.identifier, record.state.rawValue, "\(record.downloadClass)",
            total == nil || total == received ? received : "\(received) of \(total ?? "")",
            String(record.attempts), end,
        ].map(TerminalText.escape)
    }
}
