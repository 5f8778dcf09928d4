internal import CommandLineOptions
internal import ExtensionHost
internal import HostEngine
internal import LinuxSystem

/// The lines that end a run: a table of all downloads, the refusals, the result.
package enum ResultTable {
    private static let header = ["identifier", "state", "size", "sha256", "path or error"]

    /// - Parameters:
    ///   - record: The run.
    ///   - refusals: Sentences on what was refused, already escaped.
    ///   - columns: The width of the terminal; nil for no bound.
    /// - Returns: Lines without their ends.
    package static func lines(
        of record: RunRecord, refusals: [String], columns: Int?
    ) -> [String] {
        var lines: [String] = []
        if !record.downloads.isEmpty {
            lines += table([header] + record.downloads.map(row), columns: columns)
        }
        if record.event == RunEvent.shouldDownload.rawValue {
            lines += PackLines.lines(of: record.packs, columns: columns)
        }
        lines += refusals + [result(of: record)]
        if record.result == .ok, record.status != 0,
            let status = ExitStatus(rawValue: record.status)
        {
            lines.append("exit status \(status.number): \(status.sentence)")
        }
        return lines
    }

    private static func result(of record: RunRecord) -> String {
        let stage = record.result == .ok ? nil : record.stage.map { " (in \($0.rawValue))" }
        let detail = record.detail.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
        return TerminalText.escape("result: \(record.result.rawValue)\(stage ?? "")\(detail)")
    }

    private static func row(_ download: RunRecord.Download) -> [String] {
        let size = ByteCount(bytes: UInt64(max(0, download.bytes))).description
        let hash = String((download.sha256 ?? "-").prefix(12))
        let end = download.path ?? download.error?.sentence ?? "-"
        return [download.identifier, download.state.rawValue, size, hash, end]
            .map(TerminalText.escape)
    }

    /// Pads every column but the last to its widest cell; shortens the first and the last to fit.
    private static func table(_ rows: [[String]], columns: Int?) -> [String] {
        var widths = TerminalText.widths(of: rows)
        if let columns { widths[0] = min(widths[0], max(12, columns / 3)) }
        let used = widths.reduce(0) { $0 + $1 + 2 }
        return rows.map { row in
            let first = TerminalText.clip(row[0], to: widths[0])
            let cells = [
                TerminalText.pad(first, to: widths[0]), TerminalText.pad(row[1], to: widths[1]),
                TerminalText.padStart(row[2], to: widths[2]),
                TerminalText.pad(row[3], to: widths[3]),
            ]
            let start = cells.joined(separator: "  ") + "  "
            guard let columns else { return start + row[4] }
            let room = columns - used
            let isPath = row[4].hasPrefix("/")
            let end =
                room < 8
                ? ""
                : isPath
                    ? TerminalText.clipStart(row[4], to: room) : TerminalText.clip(row[4], to: room)
            return TerminalText.clip(start + end, to: columns)
        }
    }
}
