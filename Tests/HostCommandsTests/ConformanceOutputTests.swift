import Conformance
import ExtensionHost
import Foundation
import FoundationXML
import HostCommands
import Testing

/// What `bahost conformance` prints and writes.
@Suite struct ConformanceOutputTests {
    private static func outcome(_ word: String, _ result: CaseResult) -> CaseOutcome {
        let testCase = ConformanceCase(
            number: "P1", group: .processes, word: word, limits: CaseLimits(),
            expectation: Conformance.Expectation(.ok))
        guard case .notApplicable = result else {
            var seen = CaseObservation()
            seen.wallTime = .milliseconds(1_042)
            seen.memory.limit = 6 << 20
            seen.memory.sampled = 3 << 20
            return CaseOutcome(testCase, result, seen)
        }
        return CaseOutcome(testCase, result)
    }

    private static let outcomes = [
        outcome("fork", .passed), outcome("a<b>&\"c\"", .failed("it said \"<&>\"\u{1B}[2J\u{0}")),
        outcome("vfork", .notApplicable("without seccomp")),
    ]

    /// Elements and attributes as a parser sees them.
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [(name: String, attributes: [String: String])] = []

        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
            qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]
        ) {
            elements.append((elementName, attributeDict))
        }
    }

    private func read(_ text: String) throws -> Reader {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        try #require(parser.parse(), "\(text)")
        return reader
    }

    @Test func theReportIsWellFormedWhateverIsInIt() throws {
        let reader = try read(JUnitReport.text(of: Self.outcomes))
        let cases = reader.elements.filter { $0.name == "testcase" }
        #expect(
            cases.map { $0.attributes["name"] } == [
                "P1 fork, entry, bare, 6.0 MiB", "P1 a<b>&\"c\", entry, bare, 6.0 MiB",
                "P1 vfork, entry, bare, 6.0 MiB",
            ])
        #expect(cases[0].attributes["time"] == "1.042")
        let failure = reader.elements.first { $0.name == "failure" }
        #expect(failure?.attributes["message"] == "it said \"<&>\"\\u{1b}[2J\\u{0}")
        let skipped = reader.elements.first { $0.name == "skipped" }
        #expect(skipped?.attributes["message"] == "without seccomp")
    }

    @Test func theReportCounts() throws {
        let reader = try read(JUnitReport.text(of: Self.outcomes))
        for name in ["testsuites", "testsuite"] {
            let attributes = reader.elements.first { $0.name == name }?.attributes ?? [:]
            #expect(attributes["tests"] == "3")
            #expect(attributes["failures"] == "1")
            #expect(attributes["skipped"] == "1")
            #expect(attributes["time"] == "2.084")
        }
        #expect(try read(JUnitReport.text(of: [])).elements.count == 1)
    }

    @Test func whatTheRunDidNotComeToIsSkippedInTheReport() throws {
        let rest = Self.outcomes.dropFirst().map(\.testCase)
        let text = JUnitReport.text(of: Array(Self.outcomes.prefix(1)), notTried: rest)
        let elements = try read(text).elements
        #expect(elements.first?.attributes["tests"] == "3")
        #expect(elements.first?.attributes["skipped"] == "2")
        let skipped = elements.filter { $0.name == "skipped" }
        #expect(skipped.map { $0.attributes["message"] } == ["not tried", "not tried"])
    }

    @Test func aLineSaysAllOfACase() {
        let lines = ConformanceLines(Self.outcomes.map(\.testCase))
        let texts = Self.outcomes.map { lines.line(of: $0) }
        #expect(texts[0].contains("6.0 MiB → 3.0 MiB"))
        #expect(texts[0].hasSuffix("1042 ms   pass\n"))
        #expect(texts[1].hasSuffix("FAIL: it said \"<&>\"\\u{1b}[2J\\u{0}\n"))
        #expect(texts[2].hasSuffix("not applicable (without seccomp)\n"))
        #expect(lines.head.contains("limit → held"))
    }

    @Test func theLastLineCountsAndSaysWhatWasNotTried() {
        let totals = ConformanceTotals(Self.outcomes)
        let whole = ConformanceLines.end(
            totals, of: 3, wallTime: .milliseconds(61_500), wasInterrupted: false)
        #expect(
            whole
                == "3 cases of 1 techniques in 61 s: 1 passed, 1 failed, 1 not applicable\n")
        let part = ConformanceLines.end(
            totals, of: 5, wallTime: .zero, wasInterrupted: true)
        #expect(part.hasSuffix("1 not applicable (interrupted: 2 were not tried)\n"))
    }
}
