package import CommandLineOptions
package import ExtensionHost
internal import HostEngine

extension Verdict: Encodable {}

extension RunStage: Encodable {}

extension ExitStatus {
    /// The status of a result alone.
    package static func of(_ result: Verdict) -> ExitStatus {
        switch result {
        case .ok: .ok
        case .pluginError: .pluginError
        case .badReply: .badReply
        case .loadError: .loadError
        case .abiMismatch: .abiMismatch
        case .memoryLimit: .memoryLimit
        case .stackOverflow: .stackOverflow
        case .fileLimit: .fileLimit
        case .processLimit: .processLimit
        case .cpuLimit: .cpuLimit
        case .wallTimeout: .wallTimeout
        case .policyViolation: .policyViolation
        case .crash: .crash
        case .exitedEarly: .exitedEarly
        case .protocolError: .protocolError
        case .killedExternal: .killedExternal
        case .interrupted: .interrupted
        case .setupError: .setupError
        case .internalError: .internalError
        }
    }

    /// The status of a command that could not begin.
    static func of(_ code: RunError.Code) -> ExitStatus {
        switch code {
        case .inputMissing: .inputMissing
        case .outputFailed: .outputFailed
        case .hostBroken: .setupError
        }
    }

    /// The status of a run: a result other than ok wins, then the user's interruption, then a
    /// download that has not finished, then with `strict` a refusal.
    package static func of(
        result: Verdict, downloads: [RunRecord.State], refused: Int, strict: Bool,
        interrupted: Bool
    ) -> ExitStatus {
        guard result == .ok else { return of(result) }
        if interrupted { return .interrupted }
        if downloads.contains(where: { $0 != .finished }) { return .downloadUnfinished }
        return strict && refused > 0 ? .refusals : .ok
    }
}

extension RunRecord {
    /// Sets ``status`` from everything else, and returns it.
    @discardableResult
    package mutating func settleStatus(strict: Bool, interrupted: Bool) -> ExitStatus {
        let settled = ExitStatus.of(
            result: result, downloads: downloads.map(\.state), refused: refused.count,
            strict: strict, interrupted: interrupted)
        status = settled.number
        return settled
    }
}
