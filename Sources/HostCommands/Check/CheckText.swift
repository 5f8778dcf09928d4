internal import ExtensionHost
internal import LinuxSystem
internal import PluginCheck
internal import WireProtocol

/// A checked file for people.
enum CheckText {
    static func lines(_ file: CheckedFile) -> String {
        let name = TerminalText.escape(file.target.name)
        switch file.outcome {
        case .skipped(let entry):
            return """
                \(name)
                ✘ skipped: it ended badly while it was loaded the last time, and has not changed
                    \(entry.verdict.rawValue): \(TerminalText.escape(entry.sentence))
                    --retry tries it all the same

                """
        case .notChecked(let reason):
            return "\(name)\n✘ not checked: \(TerminalText.escape(reason))\n"
        case .checked(let report):
            return ([name + about(report)] + report.results.map(line)).joined(separator: "\n")
                + "\n" + table(report) + "\n" + totals(report) + "\n"
        }
    }

    private static func about(_ report: CheckReport) -> String {
        guard let plugin = report.plugin, !plugin.name.isEmpty else { return "" }
        let version = plugin.version.isEmpty ? "" : " \(plugin.version)"
        return ": " + TerminalText.escape(plugin.name + version)
    }

    private static func line(_ result: RuleResult) -> String {
        let number = TerminalText.pad(result.rule.name, to: 4)
        let seen = TerminalText.escape(result.seen)
        switch result.level {
        case .passed: return "✔ \(number) \(result.rule.title)"
        case .notTried: return "– \(number) not tried: \(seen)"
        case .warning, .failed:
            let mark = result.level == .failed ? "✘" : "!"
            return ["\(mark) \(number) \(result.rule.title)", seen, result.rule.page]
                .joined(separator: "\n       ")
        }
    }

    private static func table(_ report: CheckReport) -> String {
        guard !report.figures.isEmpty else { return "" }
        let head = row(["", "calls", "longest", "of", "held", "of"])
        let rows = report.figures.map { figure in
            row([
                figure.entry.symbol, "\(figure.calls)", time(figure.longest), time(figure.budget),
                "\(ByteCount(bytes: figure.peakBytes))",
                "\(ByteCount(bytes: report.memoryBytes))",
            ])
        }
        return "\n" + ([head] + rows).joined(separator: "\n") + "\n"
    }

    private static func row(_ cells: [String]) -> String {
        let widths = [32, 7, 10, 8, 11, 10]
        return zip(cells, widths).enumerated().map { place, cell in
            place == 0
                ? TerminalText.pad(cell.0, to: cell.1) : TerminalText.padStart(cell.0, to: cell.1)
        }.joined()
    }

    /// `0.4 ms`, `10.0 s`.
    static func time(_ duration: Duration) -> String {
        let tenths = duration.wholeNanoseconds / 100_000
        guard tenths >= 10_000 else { return "\(tenths / 10).\(tenths % 10) ms" }
        return "\(tenths / 10_000).\(tenths / 1_000 % 10) s"
    }

    private static func totals(_ report: CheckReport) -> String {
        let warnings = report.count(.warning)
        let parts = [
            "\(report.count(.passed)) passed", warnings == 1 ? "1 warning" : "\(warnings) warnings",
            "\(report.count(.failed)) failed", "\(report.count(.notTried)) not tried",
        ]
        return parts.joined(separator: ", ") + " in \(time(report.wallTime))"
    }
}
