internal import ExtensionHost
internal import LinuxSystem
internal import Sandbox

/// One thing that is not as it must be.
struct CaseFault: Hashable {
    enum Kind: Hashable {
        /// It went through, came to another verdict, or was refused by another error.
        case result

        case memory

        /// The file that no plugin may touch is not as it was.
        case victim

        /// What no layer stands against: the host's own faults, its time, its log, leftovers.
        case host
    }

    let kind: Kind
    let text: String

    /// Past the promise: what a run may hold without sealing when nothing ended it.
    ///
    /// The host's samples are then all there is; the threat model has what they came to.
    private static let mostUnsealed: UInt64 = 64 << 20

    /// Whether it cannot be held against a machine without these layers.
    ///
    /// - Parameters:
    ///   - layers: All of one wall.
    ///   - seen: The run.
    /// - Returns: Never true of what the host owes whatever the machine gives.
    func isExcused(by layers: [String], _ seen: CaseObservation) -> Bool {
        switch kind {
        case .result: return true
        case .memory:
            guard layers.contains(SandboxLayer.sealing.rawValue), seen.verdict == .ok else {
                return true
            }
            return seen.memory.held <= seen.memory.promise + CaseFault.mostUnsealed
        case .victim:
            return layers.contains(SandboxLayer.landlock.rawValue)
                && seen.attempts.contains { $0.isHole }
        case .host: return false
        }
    }

    /// In the order in which they are told.
    static func all(of testCase: ConformanceCase, _ seen: CaseObservation) -> [CaseFault] {
        let expected = testCase.expectation
        let faults = [
            hole(seen), unready(seen), verdict(expected, seen),
            attempts(expected.attempts, seen.attempts).map { CaseFault(kind: .result, text: $0) },
            memory(expected, seen), unseen(testCase, seen), time(testCase.limits, seen),
            log(expected, seen), victim(seen), leftovers(seen),
        ]
        return faults.compactMap { $0 }
    }

    private static func hole(_ seen: CaseObservation) -> CaseFault? {
        for case .hole(let what) in seen.attempts {
            return CaseFault(kind: .result, text: "it went through: \(what)")
        }
        return nil
    }

    private static func verdict(_ expected: Expectation, _ seen: CaseObservation) -> CaseFault? {
        guard expected.verdicts.contains(seen.verdict) else {
            let sentence = seen.detail.isEmpty ? "" : ": \(seen.detail)"
            let isHosts = [Verdict.internalError, .setupError].contains(seen.verdict)
            return CaseFault(
                kind: isHosts ? .host : .result,
                text: "the verdict is \(seen.verdict.rawValue)\(sentence)")
        }
        // A row with other verdicts besides has its sentence for the first one.
        guard seen.verdict == expected.verdicts.first, !expected.says.isEmpty,
            !seen.detail.contains(expected.says)
        else { return nil }
        return CaseFault(
            kind: .result,
            text: "the sentence does not say \"\(expected.says)\": \(seen.detail)")
    }

    /// Nothing was tried by a worker that did not say what it is confined by.
    private static func unready(_ seen: CaseObservation) -> CaseFault? {
        guard seen.layers.isEmpty, ![Verdict.loadError, .abiMismatch].contains(seen.verdict) else {
            return nil
        }
        return CaseFault(
            kind: .host,
            text: "the worker was not ready: \(seen.verdict.rawValue): \(seen.detail)")
    }

    private static func memory(_ expected: Expectation, _ seen: CaseObservation) -> CaseFault? {
        let memory = seen.memory
        guard expected.matter == .memory, !memory.isKept else { return nil }
        return CaseFault(
            kind: .memory,
            text: """
                held \(memory.held) of at most \(memory.promise) bytes: believed \
                \(memory.believed.map { "\($0)" } ?? "nothing"), sampled \(memory.sampled), outside \
                \(memory.outside), kernel \(memory.kernel)
                """)
    }

    /// Without a reading from outside the host's own word would be all.
    ///
    /// What is ended by its first wrong step can be gone before the first reading.
    private static func unseen(
        _ testCase: ConformanceCase, _ seen: CaseObservation
    ) -> CaseFault? {
        let isQuick =
            switch seen.verdict {
            case .loadError, .abiMismatch, .policyViolation, .stackOverflow: true
            case .memoryLimit: seen.detail.contains("asked for")
            default: false
            }
        guard testCase.group == .memory, !seen.memory.wasMetered, !isQuick else { return nil }
        return CaseFault(kind: .host, text: "the meter did not see it")
    }

    private static func time(_ limits: CaseLimits, _ seen: CaseObservation) -> CaseFault? {
        switch seen.verdict {
        case .wallTimeout, .cpuLimit, .memoryLimit, .stackOverflow, .fileLimit, .processLimit,
            .policyViolation:
            break
        default: return nil
        }
        if seen.workerTime > limits.mostWall {
            let (took, most) = (
                seen.workerTime.wholeMilliseconds, limits.mostWall.wholeMilliseconds
            )
            return CaseFault(kind: .host, text: "it ended after \(took) ms, of at most \(most)")
        }
        guard seen.verdict == .cpuLimit, seen.processorTime > limits.mostProcessorTime else {
            return nil
        }
        let (took, most) = (
            seen.processorTime.wholeMilliseconds, limits.mostProcessorTime.wholeMilliseconds
        )
        return CaseFault(
            kind: .host, text: "it took \(took) ms of processor time, of at most \(most)")
    }

    private static func log(_ expected: Expectation, _ seen: CaseObservation) -> CaseFault? {
        guard let most = expected.mostLogBytes, seen.logBytes > most else { return nil }
        return CaseFault(
            kind: .host, text: "\(seen.logBytes) bytes of log were kept, of at most \(most)")
    }

    private static func victim(_ seen: CaseObservation) -> CaseFault? {
        seen.isVictimUntouched
            ? nil : CaseFault(kind: .victim, text: "a file outside the container was changed")
    }

    private static func leftovers(_ seen: CaseObservation) -> CaseFault? {
        seen.leftovers.isEmpty
            ? nil : CaseFault(kind: .host, text: "left: \(seen.leftovers.joined(separator: ", "))")
    }
}

extension CaseFault {
    /// What the technique's lines do not say as they must; nil when all is well.
    private static func attempts(_ rule: AttemptRule, _ attempts: [Attempt]) -> String? {
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
}
