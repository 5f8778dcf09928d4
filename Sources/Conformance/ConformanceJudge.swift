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
/// Pure. A case that is not as it must be has failed, unless all layers of a wall that stops it are
/// missing and the fault is one that they stand against: ``CaseFault/isExcused(by:_:)``.
package enum ConformanceJudge {
    package static func judge(
        _ testCase: ConformanceCase, _ seen: CaseObservation
    ) -> CaseResult {
        var testCase = testCase
        let absent = seen.attempts.lazy.compactMap(\.thingNotHere).first
        if absent != nil { testCase.expectation.attempts = .any }
        let faults = CaseFault.all(of: testCase, seen)
        guard let first = faults.first else {
            return absent.map { .notApplicable("not here: \($0)") } ?? .passed
        }
        let missing = testCase.walls.lazy.compactMap { layersMissing(of: $0, seen) }.first
        guard let missing else { return .failed(first.text) }
        let layers = missing.map(\.layer)
        if let fault = faults.first(where: { !$0.isExcused(by: layers, seen) }) {
            return .failed(fault.text)
        }
        let why = missing.map { "\($0.layer) (\($0.why))" }.joined(separator: ", ")
        return .notApplicable("without \(why): \(first.text)")
    }

    /// True when nothing but the kernel's memory, which is the whole machine's, is not as it must be.
    package static func isOnlyKernelMemory(
        _ testCase: ConformanceCase, _ seen: CaseObservation
    ) -> Bool {
        CaseFault.all(of: testCase, seen).map(\.kind) == [.memory]
            && seen.memory.heldByWorker <= seen.memory.promise
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
}
