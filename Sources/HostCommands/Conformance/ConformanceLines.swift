package import Conformance
internal import ExtensionHost
internal import LinuxSystem

/// The table of a suite as text, line by line as outcomes come.
package struct ConformanceLines {
    /// Wide enough for all that will come: number, technique, place.
    private let widths: [Int]

    package init(_ cases: [ConformanceCase]) {
        let texts: [(ConformanceCase) -> String] = [
            { $0.number }, { $0.technique }, { $0.place.rawValue },
        ]
        widths = texts.map { text in
            min(40, cases.map { TerminalText.width(text($0)) }.max() ?? 0)
        }
    }

    package var head: String {
        let cells = ["no.", "technique", "where"].enumerated().map { column, name in
            TerminalText.pad(name, to: widths[column])
        }
        return ConformanceLines.join(
            cells, "launcher", "limit → held", "stopped by", "verdict", "time", "result")
    }

    package func line(of outcome: CaseOutcome) -> String {
        let testCase = outcome.testCase
        let texts = [testCase.number, testCase.technique, testCase.place.rawValue]
        let cells = texts.enumerated().map { column, text in
            TerminalText.pad(
                TerminalText.clip(TerminalText.escape(text), to: widths[column]),
                to: widths[column])
        }
        let seen = outcome.observation
        return ConformanceLines.join(
            cells, testCase.launcher.rawValue, ConformanceLines.memory(of: outcome),
            outcome.stopper ?? "–", seen?.verdict.rawValue ?? "–",
            seen.map { "\($0.wallTime.wholeMilliseconds) ms" } ?? "–",
            ConformanceLines.result(outcome.result))
    }

    /// The lines after the table.
    package static func end(
        _ totals: ConformanceTotals, of count: Int, wallTime: Duration, wasInterrupted: Bool
    ) -> String {
        let seconds = wallTime.wholeMilliseconds / 1_000
        let part = wasInterrupted ? " (interrupted: \(count - totals.cases) were not tried)" : ""
        return """
            \(totals.cases) cases of \(totals.techniques) techniques in \(seconds) s: \
            \(totals.passed) passed, \(totals.failed) failed, \
            \(totals.notApplicable) not applicable\(part)

            """
    }

    private static func join(_ start: [String], _ rest: String...) -> String {
        let columns = [8, 19, 17, 16, 8, 0]
        let cells = zip(rest, columns).map { text, column in
            TerminalText.pad(text, to: column)
        }
        return (start + cells).joined(separator: "  ") + "\n"
    }

    private static func memory(of outcome: CaseOutcome) -> String {
        guard let memory = outcome.observation?.memory else { return "–" }
        let limit = ByteCount(bytes: memory.limit)
        return "\(limit) → \(ByteCount(bytes: memory.held))"
    }

    private static func result(_ result: CaseResult) -> String {
        switch result {
        case .passed: "pass"
        case .failed(let reason): "FAIL: \(TerminalText.escape(reason))"
        case .notApplicable(let reason): "not applicable (\(TerminalText.escape(reason)))"
        }
    }
}
