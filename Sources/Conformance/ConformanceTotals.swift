/// How many cases came to which end.
package struct ConformanceTotals: Hashable, Sendable {
    package private(set) var cases = 0

    /// Numbers of the catalogue; a technique can have several cases.
    package private(set) var techniques = 0
    package private(set) var passed = 0
    package private(set) var failed = 0
    package private(set) var notApplicable = 0
    private var last = ""

    package init() {}

    package init(_ outcomes: [CaseOutcome]) {
        for outcome in outcomes { add(outcome) }
    }

    /// Cases of one number come one after the other.
    package mutating func add(_ outcome: CaseOutcome) {
        cases += 1
        if outcome.testCase.number != last { techniques += 1 }
        last = outcome.testCase.number
        switch outcome.result {
        case .passed: passed += 1
        case .failed: failed += 1
        case .notApplicable: notApplicable += 1
        }
    }
}
