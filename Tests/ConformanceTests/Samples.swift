import Conformance
import ExtensionHost
import Sandbox
import WireProtocol

/// A case and what was seen of it, to be changed by each test.
enum Sample {
    static func testCase(
        _ expectation: Expectation, walls: [[SandboxLayer]] = [[.seccomp]],
        group: ConformanceGroup = .network
    ) -> ConformanceCase {
        ConformanceCase(
            number: "N1", group: group, word: "socket", limits: CaseLimits(),
            expectation: expectation, walls: walls)
    }

    static func seen(
        _ verdict: Verdict = .ok, _ detail: String = "", attempts: [Attempt] = [],
        missing: [String] = []
    ) -> CaseObservation {
        var seen = CaseObservation()
        seen.verdict = verdict
        seen.detail = detail
        seen.attempts = attempts
        seen.layers = SandboxLayer.allCases.map(\.rawValue).filter { !missing.contains($0) }
        seen.missing = missing.map { MissingLayer(layer: $0, why: "refused") }
        seen.memory.limit = 6 << 20
        return seen
    }
}
