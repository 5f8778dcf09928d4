internal import LinuxSystem

/// How a worker ends by its own decision.
package enum WorkerExit: Int32, Hashable, Sendable {
    case finished = 0

    /// Started by hand, or wrongly. sysexits.h, EX_USAGE.
    case usage = 64

    /// A handler wrote evidence; `BAH_EVIDENCE_EXIT`.
    case evidence = 70

    /// The host sent what is not a message, or went away in the middle of one.
    case protocolBroken = 71

    /// The control pipe was closed: the host has ended.
    case hostGone = 72

    /// `setupFailed` was sent.
    case setupFailed = 73

    /// `loadFailed` was sent.
    case loadFailed = 74

    /// Ends the process at once, without the plugin's exit handlers.
    func end() -> Never {
        ProcessEvidence.endProcess(rawValue)
    }
}

/// The descriptors a worker is started with.
enum WorkerDescriptor {
    static let link: Int32 = 3
    static let control: Int32 = 4
    static let evidence: Int32 = 5

    /// The launcher itself, until the worker is closed in.
    static let launcher: Int32 = 6
}
