package import CommandLineOptions

/// How a run ended; limits.md §6.
package enum RunResult: String, Hashable, Sendable, CaseIterable, Encodable {
    case ok
    case pluginError = "plugin_error"
    case badReply = "bad_reply"
    case loadError = "load_error"
    case abiMismatch = "abi_mismatch"
    case memoryLimit = "memory_limit"
    case stackOverflow = "stack_overflow"
    case fileLimit = "file_limit"
    case processLimit = "process_limit"
    case cpuLimit = "cpu_limit"
    case wallTimeout = "wall_timeout"
    case policyViolation = "policy_violation"
    case crash
    case exitedEarly = "exited_early"
    case protocolError = "protocol_error"
    case killedExternal = "killed_external"
    case interrupted
    case setupError = "setup_error"
    case internalError = "internal_error"
}

/// How far a run had come.
package enum RunRecordStage: String, Hashable, Sendable, CaseIterable, Encodable {
    case setup, inspect, load, entry, completion, shutdown
}

extension ExitStatus {
    /// The status of a result alone.
    package static func of(_ result: RunResult) -> ExitStatus {
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

    /// The status of a run: a result other than ok wins, then the user's interruption, then a
    /// download that has not finished, then with `strict` a refusal.
    package static func of(
        result: RunResult, downloads: [RunRecord.State], refused: Int, strict: Bool,
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
