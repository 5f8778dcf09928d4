internal import LinuxSystem

/// One mechanism of isolation, by the name that results and settings use.
package enum SandboxLayer: String, Hashable, Sendable, CaseIterable {
    case rlimits
    case seccomp
    case noNewPrivileges = "no-new-privileges"
    case capabilities
    case landlock
    case identity
    case mountNamespace = "mount-namespace"
    case sealing
    case fence
    case userNamespace = "user-namespace"
    case pidNamespace = "pid-namespace"
    case networkNamespace = "network-namespace"
    case ipcNamespace = "ipc-namespace"
    case cgroup

    /// In every mode.
    package var isBasic: Bool {
        switch self {
        case .rlimits, .seccomp, .noNewPrivileges, .capabilities: true
        default: false
        }
    }
}

/// A layer that is not in force, and why.
package struct AbsentLayer: Hashable, Sendable {
    package let layer: SandboxLayer
    package let why: String

    package init(_ layer: SandboxLayer, why: String) {
        self.layer = layer
        self.why = why
    }
}

/// A step that had to succeed and did not.
///
/// The process must end.
package struct SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The kernel or the C library failed a call.
        case callFailed

        /// The worker would run as the host's uid 0, or cannot reach its files as its own user.
        case identityRefused

        /// A layer was asked for without alternative and is not to be had.
        case layerRefused

        /// The process that started the worker has ended.
        case hostGone
    }

    package let code: Code

    /// The step, mostly a layer's name.
    package let step: String
    package let sentence: String

    /// The errno value, if there was one.
    package let systemCode: Int32?

    package init(_ code: Code, step: String, _ sentence: String, systemCode: Int32? = nil) {
        self.code = code
        self.step = step
        self.sentence = sentence
        self.systemCode = systemCode
    }

    init(step: String, _ error: SystemError) {
        self.init(.callFailed, step: step, error.description, systemCode: error.code)
    }

    package var description: String { "\(step): \(sentence)" }
}
