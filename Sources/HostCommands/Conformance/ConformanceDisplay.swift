internal import CommandLineOptions
internal import Conformance

/// Shows outcomes as they come, and keeps them for the record.
final class ConformanceDisplay {
    private let lines: ConformanceLines
    private let cases: [ConformanceCase]
    private let isJSON: Bool
    private var console = Console()
    private var result = ConsoleResult.written
    private(set) var outcomes: [CaseOutcome] = []

    init(_ cases: [ConformanceCase], isJSON: Bool) {
        lines = ConformanceLines(cases)
        self.cases = cases
        self.isJSON = isJSON
    }

    /// Those without an outcome: they are tried in order.
    var notTried: [ConformanceCase] { Array(cases.dropFirst(outcomes.count)) }

    func begin() {
        if !isJSON { write(lines.head) }
    }

    /// False when nobody reads any more.
    func show(_ outcome: CaseOutcome) -> Bool {
        outcomes.append(outcome)
        if !isJSON { write(lines.line(of: outcome)) }
        return result == .written
    }

    /// The totals or the record, and the exit status.
    func finish(_ record: ConformanceRecord, wallTime: Duration) -> ExitStatus {
        let totals = ConformanceTotals(outcomes)
        write(
            isJSON
                ? JSONLine.of(record) ?? ""
                : ConformanceLines.end(
                    totals, of: cases.count, wallTime: wallTime, wasInterrupted: record.interrupted)
        )
        if case .failed(let code) = result {
            HostProgram.complain(
                OptionTable.conformance.program, ConsoleResult.outputMessage(code))
            return .outputFailed
        }
        if record.interrupted { return .interrupted }
        return totals.failed == 0 ? .ok : .failed
    }

    private func write(_ text: String) {
        result = console.write([ConsoleText(.output, text)])
    }
}
