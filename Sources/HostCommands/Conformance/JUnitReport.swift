package import Conformance
internal import LinuxSystem
internal import WireProtocol

/// The outcomes as JUnit's XML: a suite for each group, a test case for each case.
package enum JUnitReport {
    /// - Parameters:
    ///   - outcomes: Of the cases that were tried, or found not to apply.
    ///   - notTried: Those that the run did not come to: skipped.
    /// - Returns: A whole document.
    package static func text(
        of outcomes: [CaseOutcome], notTried: [ConformanceCase] = []
    ) -> String {
        let outcomes =
            outcomes + notTried.map { CaseOutcome($0, .notApplicable("not tried")) }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites name=\"bahost conformance\"\(counts(outcomes))>\n"
        for group in ConformanceGroup.allCases {
            let members = outcomes.filter { $0.testCase.group == group }
            guard !members.isEmpty else { continue }
            text += "  <testsuite name=\"\(escape(group.rawValue))\"\(counts(members))>\n"
            text += members.map(testCase).joined()
            text += "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private static func counts(_ outcomes: [CaseOutcome]) -> String {
        let totals = ConformanceTotals(outcomes)
        let time = outcomes.reduce(Duration.zero) { $0 + ($1.observation?.wallTime ?? .zero) }
        return " tests=\"\(totals.cases)\" failures=\"\(totals.failed)\""
            + " skipped=\"\(totals.notApplicable)\" time=\"\(seconds(time))\""
    }

    private static func testCase(_ outcome: CaseOutcome) -> String {
        let subject = outcome.testCase
        let limit = ByteCount(bytes: subject.limits.worker.memoryBytes)
        let name = [
            "\(subject.number) \(subject.technique)", subject.place.rawValue,
            subject.launcher.rawValue, "\(limit)",
        ].joined(separator: ", ")
        let time = seconds(outcome.observation?.wallTime ?? .zero)
        let start =
            "    <testcase classname=\"\(escape(subject.group.rawValue))\""
            + " name=\"\(escape(name))\" time=\"\(time)\""
        switch outcome.result {
        case .passed: return "\(start)/>\n"
        case .failed(let reason):
            return "\(start)><failure message=\"\(escape(reason))\"/></testcase>\n"
        case .notApplicable(let reason):
            return "\(start)><skipped message=\"\(escape(reason))\"/></testcase>\n"
        }
    }

    /// With three decimals, as JUnit has it.
    private static func seconds(_ time: Duration) -> String {
        let milliseconds = time.wholeMilliseconds
        let rest = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)."
            + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// Fit for an attribute in double quotes; controls, which XML cannot hold, are spelled.
    package static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in TerminalText.escape(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            // XML 1.0, Char.
            case "\u{FFFE}", "\u{FFFF}": escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
