internal import WireProtocol
internal import ExtensionHost
internal import Sandbox

/// What came of a case.
package enum CaseResult: Hashable, Sendable {
    case passed
    case failed(String)

    /// Tried or not, it cannot be expected to hold on this machine: why.
    case notApplicable(String)

    /// The record's word.
    package var word: String {
        switch self {
        case .passed: "pass"
        case .failed: "fail"
        case .notApplicable: "not-applicable"
        }
    }

    /// One sentence; nil for a pass.
    package var reason: String? {
        switch self {
        case .passed: nil
        case .failed(let reason), .notApplicable(let reason): reason
        }
    }
}

/// Holds what was seen of a case against what must come of it.
///
/// Pure. A case that is not as it must be has failed, unless all layers of a wall that stops it are missing.
package enum ConformanceJudge {
    package static func judge(
        _ testCase: ConformanceCase, _ seen: CaseObservation
    ) -> CaseResult {
        var expected = testCase.expectation
        let absent = seen.attempts.lazy.compactMap(\.thingNotHere).first
        if absent != nil { expected.attempts = .any }
        guard let fault = fault(of: expected, seen) else {
            return absent.map { .notApplicable("not here: \($0)") } ?? .passed
        }
        let missing = testCase.walls.lazy.compactMap { layersMissing(of: $0, seen) }.first
        guard let missing else { return .failed(fault) }
        let why = missing.map { "\($0.layer) (\($0.why))" }.joined(separator: ", ")
        return .notApplicable("without \(why): \(fault)")
    }

    /// All layers of a wall, when none of them is there; else nil.
    private static func layersMissing(
        of wall: [SandboxLayer], _ seen: CaseObservation
    ) -> [MissingLayer]? {
        let missing = wall.compactMap { layer in
            seen.missing.first { $0.layer == layer.rawValue }
        }
        return missing.isEmpty || missing.count < wall.count ? nil : missing
    }

    /// The first thing that is not as it must be.
    private static func fault(of expected: Expectation, _ seen: CaseObservation) -> String? {
        for case .hole(let what) in seen.attempts { return "it went through: \(what)" }
        if !expected.verdicts.contains(seen.verdict) {
            let sentence = seen.detail.isEmpty ? "" : ": \(seen.detail)"
            return "the verdict is \(seen.verdict.rawValue)\(sentence)"
        }
        if !expected.says.isEmpty, !seen.detail.contains(expected.says) {
            return "the sentence does not say \"\(expected.says)\": \(seen.detail)"
        }
        return attemptFault(expected.attempts, seen.attempts) ?? memoryFault(expected, seen)
            ?? logFault(expected, seen) ?? traceFault(seen)
    }

    private static func attemptFault(_ rule: AttemptRule, _ attempts: [Attempt]) -> String? {
        switch rule {
        case .any: return nil
        case .allowed:
            for case .refused(let what, let code) in attempts {
                return "it was refused and may not be: \(what): \(code)"
            }
            let isTold = attempts.contains { if case .allowed = $0 { true } else { false } }
            return isTold ? nil : "it did not say what it was allowed"
        case .refused(let wanted):
            let codes = attempts.compactMap { attempt -> String? in
                if case .refused(_, let code) = attempt { code } else { nil }
            }
            guard !codes.isEmpty else { return "nothing was refused" }
            guard let wanted, !codes.contains(wanted) else { return nil }
            return "it was refused with \(codes[0]), not with \(wanted)"
        }
    }

    private static func memoryFault(_ expected: Expectation, _ seen: CaseObservation) -> String? {
        let memory = seen.memory
        guard expected.matter == .memory, !memory.isKept else { return nil }
        return """
            held \(memory.held) of at most \(memory.promise) bytes: believed \
            \(memory.believed.map { "\($0)" } ?? "nothing"), sampled \(memory.sampled), outside \
            \(memory.outside), kernel \(memory.kernel)
            """
    }

    private static func logFault(_ expected: Expectation, _ seen: CaseObservation) -> String? {
        guard let most = expected.mostLogBytes, seen.logBytes > most else { return nil }
        return "\(seen.logBytes) bytes of log were kept, of at most \(most)"
    }

    private static func traceFault(_ seen: CaseObservation) -> String? {
        if !seen.isVictimUntouched { return "a file outside the container was changed" }
        return seen.leftovers.isEmpty ? nil : "left: \(seen.leftovers.joined(separator: ", "))"
    }
}
