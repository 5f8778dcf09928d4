package import WireProtocol

/// How a run of a plugin ended; the raw value is the record's word.
///
/// docs/extension-author.md.
package enum Verdict: String, Hashable, Sendable, CaseIterable {
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

/// How far a run had come; the raw value is the record's word.
package enum RunStage: String, Hashable, Sendable, CaseIterable {
    /// The worker closes itself in.
    case setup

    /// The plugin is looked at without running it.
    case inspect

    /// The plugin is mapped and its constructors run.
    case load

    /// `bahost_install`, `bahost_update`, `bahost_check_for_updates` or `bahost_should_download`.
    case entry

    /// `bahost_download_finished` or `bahost_download_failed`.
    case completion

    /// The worker was asked to end.
    case shutdown
}

/// What was running when something happened.
package enum RunPlace: Hashable, Sendable {
    case setup
    case inspect
    case load
    case call(EntryPoint)

    /// Loaded, nothing on the stack.
    case idle
    case shutdown

    package var stage: RunStage {
        switch self {
        case .setup: .setup
        case .inspect: .inspect
        case .load: .load
        case .idle: .entry
        case .call(let entry): entry.isCompletion ? .completion : .entry
        case .shutdown: .shutdown
        }
    }

    /// `in bahost_install`, `while the plugin was loaded`.
    package var phrase: String {
        switch self {
        case .setup: "before the worker was ready"
        case .inspect: "while the plugin was inspected"
        case .load: "while the plugin was loaded"
        case .call(let entry): "in \(entry.symbol)"
        case .idle: "between two calls"
        case .shutdown: "during shutdown"
        }
    }
}

extension EntryPoint {
    package var isCompletion: Bool {
        self == .downloadFinished || self == .downloadFailed
    }

    /// True for the three that answer a content request; their wishes are collected.
    package var isContentRequest: Bool {
        self == .install || self == .update || self == .checkForUpdates
    }

    /// The replies that are not errors.
    ///
    /// SDK/include/bahost.
    package var allowedReplies: ClosedRange<Int32> {
        switch self {
        case .shouldDownload, .downloadFinished, .authenticationChallenge: 0...1
        case .install, .update, .checkForUpdates, .downloadFailed, .willTerminate: 0...0
        }
    }
}
