package import LinuxSystem
package import WireProtocol

/// Why the host ends a worker by itself.
package enum TerminationReason: Hashable, Sendable {
    case wallBudget
    case dailyRuntime
    case hostStopping
    case userInterrupt
    case memoryBudget
    case threadBudget
    case writtenBytes

    /// It has written what the quota of its group left, or too many files.
    case groupQuota(bytes: UInt64)

    /// What lies in the container before any of its code runs cannot be looked through.
    case containerUnseen
    case setupDeadline
    case shutdownDeadline
    case hostCallBound

    /// A frame that is none, or that cannot come now; the sentence says which.
    case protocolError(String)

    /// What `bahost_will_terminate` is told; nil where the plugin is not asked.
    package var controlByte: UInt8? {
        switch self {
        case .wallBudget: 1
        case .dailyRuntime: 2
        case .hostStopping, .userInterrupt: 3
        case .memoryBudget: 4
        case .writtenBytes, .groupQuota, .containerUnseen, .threadBudget: nil
        case .setupDeadline, .shutdownDeadline, .hostCallBound, .protocolError: nil
        }
    }
}

/// One thing that ends a run, in the order it was seen.
///
/// The first decides.
package enum Cause: Hashable, Sendable {
    case setupFailed(SetupFailure)
    case loadFailed(LoadFailure)
    case record(EvidenceRecord)
    case terminated(TerminationReason)

    /// The kernel ended the worker for want of memory in its cgroup.
    case cgroupKill(limitBytes: UInt64)

    /// The launcher ended, and with it the worker.
    case launcherEnded(ChildEnd)

    /// A negative reply, or one that is not allowed.
    case replied(EntryPoint, Int32)

    /// A reply about one pack that is not allowed.
    case answered(PackReply)
}

/// What `bahost_should_download` returned for one pack.
package struct PackReply: Hashable, Sendable {
    package let identifier: String
    package let status: Int32

    package init(identifier: String, status: Int32) {
        self.identifier = identifier
        self.status = status
    }
}

/// A cause and what was running then.
package struct SeenCause: Hashable, Sendable {
    package let cause: Cause
    package let place: RunPlace

    package init(_ cause: Cause, at place: RunPlace) {
        self.cause = cause
        self.place = place
    }
}

/// Everything known about the end of a worker.
package struct Evidence: Hashable, Sendable {
    /// In the order they were seen.
    package var causes: [SeenCause] = []

    /// What was running when the child ended.
    package var place = RunPlace.setup

    /// How the child ended; nil when it never did.
    package var end: ChildEnd?

    /// The last function that starts a process that was called, as the worker named it.
    ///
    /// It is made all the same: some are trapped, which ends the run, and some only fail.
    package var namedCall: String?

    /// True when its first thread ended before the process.
    package var lostFirstThread = false

    /// True once the worker was asked to end, all replies being complete.
    package var wasAskedToEnd = false

    /// Requests that a negative reply threw away.
    package var discardedRequests = 0
    package var wallBudget = Duration.seconds(30)

    /// The pack that the plugin was asked about when it was last heard of.
    package var pack: String?
    package var packBudget = Duration.seconds(1)

    /// Negative replies about packs end nothing by themselves: the first, and how many.
    package var packError: PackReply?
    package var packErrors = 0
    package var limits = WorkerLimits()

    package init() {}
}

/// What is said of the end of a run.
package struct Judgement: Hashable, Sendable {
    package let verdict: Verdict

    /// One sentence for the plugin's author, without a full stop; empty for `ok`.
    package let detail: String
    package let stage: RunStage

    package init(_ verdict: Verdict, _ detail: String, at place: RunPlace) {
        self.verdict = verdict
        self.detail = detail
        stage = place.stage
    }

    /// `crash: SIGSEGV at address 0x0`.
    package var sentence: String { "\(verdict.rawValue): \(detail)" }
}
