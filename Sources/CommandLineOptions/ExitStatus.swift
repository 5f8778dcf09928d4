/// How a program of this project ends; the numbers are part of the contract and never change.
package enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
    case ok = 0
    case failed = 1
    case downloadUnfinished = 10
    case refusals = 11
    case pluginError = 20
    case badReply = 21
    case loadError = 22
    case abiMismatch = 23
    case memoryLimit = 24
    case stackOverflow = 25
    case fileLimit = 26
    case processLimit = 27
    case cpuLimit = 28
    case wallTimeout = 29
    case policyViolation = 30
    case crash = 31
    case exitedEarly = 32
    case protocolError = 33
    case killedExternal = 34
    case setupError = 35
    case internalError = 36
    case usage = 64
    case inputMissing = 66
    case outputFailed = 73
    case interrupted = 130

    package var number: Int32 { rawValue }

    /// The word that stands for it in records and messages.
    package var name: String {
        switch self {
        case .ok: "ok"
        case .failed: "failed"
        case .downloadUnfinished: "download_unfinished"
        case .refusals: "refusals"
        case .pluginError: "plugin_error"
        case .badReply: "bad_reply"
        case .loadError: "load_error"
        case .abiMismatch: "abi_mismatch"
        case .memoryLimit: "memory_limit"
        case .stackOverflow: "stack_overflow"
        case .fileLimit: "file_limit"
        case .processLimit: "process_limit"
        case .cpuLimit: "cpu_limit"
        case .wallTimeout: "wall_timeout"
        case .policyViolation: "policy_violation"
        case .crash: "crash"
        case .exitedEarly: "exited_early"
        case .protocolError: "protocol_error"
        case .killedExternal: "killed_external"
        case .setupError: "setup_error"
        case .internalError: "internal_error"
        case .usage: "usage"
        case .inputMissing: "input_missing"
        case .outputFailed: "output_failed"
        case .interrupted: "interrupted"
        }
    }

    /// One sentence: what happened, and what to look at.
    package var sentence: String {
        switch self {
        case .ok:
            "The plugin did its work and every download finished, or it wanted none."
        case .failed:
            "Of check, inspect, conformance, doctor and storage purge: something is not as it must be."
        case .downloadUnfinished:
            "The plugin did its work, but a download failed or is still waiting or paused."
        case .refusals:
            "With --strict: the plugin did its work, but some of its wishes were refused."
        case .pluginError:
            "The plugin said by its return value that it failed."
        case .badReply:
            "The plugin returned something that its contract does not allow."
        case .loadError:
            "The plugin could not be loaded: missing, not a library for this machine, or broken."
        case .abiMismatch:
            "The plugin was built for another version of the plugin contract or of the Swift runtime."
        case .memoryLimit:
            "The plugin wanted more memory than --memory allows."
        case .stackOverflow:
            "The plugin ran past the end of a stack: endless recursion, or very large local arrays."
        case .fileLimit:
            "The plugin wrote more than --file-size or --written allows, or made too many files."
        case .processLimit:
            "The plugin started more threads than --threads allows."
        case .cpuLimit:
            "The plugin used more processor time than --cpu-time allows."
        case .wallTimeout:
            "A call into the plugin took longer than --wall-time allows."
        case .policyViolation:
            "The plugin made a system call that is forbidden, such as starting a program."
        case .crash:
            "The plugin crashed: a bad memory access, an abort or a trap."
        case .exitedEarly:
            "The plugin ended its process before it had answered."
        case .protocolError:
            "The plugin's process sent something malformed, or called the host too often."
        case .killedExternal:
            "Something outside killed the plugin's process, such as the kernel short of memory."
        case .setupError:
            "A layer of isolation that was asked for could not be set up."
        case .internalError:
            "The host itself failed; please report it."
        case .usage:
            "The command line was not understood; the message names the word."
        case .inputMissing:
            "A named input other than the plugin is missing or unreadable."
        case .outputFailed:
            "The output or state folder cannot be made, holds other things or is in use, or stdout failed."
        case .interrupted:
            "The user stopped it; the same command again continues."
        }
    }

    /// Reads a number or a name.
    package init?(untrusted text: String) {
        let byName = ExitStatus.allCases.first { $0.name == text }
        let byNumber = Int32(text).flatMap(ExitStatus.init(rawValue:))
        guard let status = byName ?? byNumber else { return nil }
        self = status
    }
}
