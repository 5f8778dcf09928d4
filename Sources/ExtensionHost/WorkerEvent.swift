internal import LinuxSystem
package import WireProtocol

/// The two streams a plugin may print to.
package enum PluginStream: String, Hashable, Sendable {
    case output
    case error
}

/// What a worker tells the engine.
package enum WorkerEvent: Hashable, Sendable {
    /// Closed in; the plugin is not loaded yet.
    case ready(WorkerReady)

    /// Loaded; ``WorkerSession/call(_:now:)`` may be used.
    case loaded(LoadedPlugin)

    /// Answer those that want a reply with ``WorkerSession/reply(_:sequence:)``, now or later.
    case hostCall(HostCall, sequence: UInt32)

    /// What the next packs of the call were answered with.
    ///
    /// The last one may be a number that is not allowed.
    case answered([Int32])

    /// The entry point is off the stack. A reply that is not allowed has already ended the run.
    case returned(EntryPoint, EntryReturn)

    /// One line, without its end, control characters replaced.
    case printed(PluginStream, String)

    /// The last event; the child is reaped and everything is closed.
    case ended(WorkerOutcome)
}

/// Which measurement gave the peak.
package enum PeakSource: String, Hashable, Sendable {
    /// By the host, from `/proc`.
    case sampled

    /// By the worker, of itself.
    case reported

    /// By the kernel, against its limit, when it refused more.
    case counted
}

/// The end of a worker and all that was measured.
package struct WorkerOutcome: Hashable, Sendable {
    package var verdict: Verdict
    package var detail: String
    package var stage: RunStage

    /// What the last entry point that returned gave back.
    package var status: Int32?
    package var exitCode: Int32?
    package var signal: Int32?

    /// From the start to the child's end.
    package var wallTime = Duration.zero

    /// Loading and calls only: what counts as runtime.
    package var pluginTime = Duration.zero
    package var cpuTime = Duration.zero

    /// Held beyond the baseline, page tables included.
    package var peakBytes: UInt64 = 0
    package var baselineBytes: UInt64 = 0
    package var peakSource = PeakSource.sampled
    package var ready: WorkerReady?
    package var loaded: LoadedPlugin?

    /// What an inspection has read.
    package var facts: PluginFacts?

    /// The causes that came after the first.
    package var later: [Judgement] = []

    /// The plugin's log lines, then a line for each of ``later``.
    package var log: [String] = []
    package var hostCalls = 0

    /// The least memory limit that the worker itself can do with, when the limit was below.
    package var minimumMemoryBytes: UInt64?

    package init(_ judgement: Judgement) {
        verdict = judgement.verdict
        detail = judgement.detail
        stage = judgement.stage
    }
}
