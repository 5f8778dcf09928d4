package import DownloadScheduler
package import ExtensionHost
package import TransferEngine
package import WireProtocol

/// What a person may want to see while a run goes on.
package enum RunNotice: Sendable {
    case note(String)

    /// A line of the plugin's own output.
    case printed(PluginStream, String)

    /// A line of the plugin's log; levels 0 (trace) to 4 (error).
    case logged(level: Int32, String)
    case refused(Refusal)

    /// Admitted; a transfer will begin.
    ///
    /// `received` bytes are there already.
    case added(identifier: String, sizeBytes: UInt64?, receivedBytes: UInt64)
    case progress(identifier: String, TransferProgress)
    case finished(identifier: String, bytes: UInt64)

    /// `retryIn` is nil when it has failed for good.
    case failed(identifier: String, message: String, retryIn: Duration?)
    case cancelled(identifier: String)
}

/// What came of the question whether to download a pack.
package struct PackAnswer: Hashable, Sendable {
    package enum Reply: Hashable, Sendable {
        /// The run ended before.
        case none

        /// The plugin does not have the entry point.
        case absent
        case returned(Int32)
    }

    package let identifier: String
    package var reply = Reply.none

    package init(identifier: String, reply: Reply = .none) {
        self.identifier = identifier
        self.reply = reply
    }

    /// Nil without an answer, and for one that is neither yes nor no.
    package var shouldDownload: Bool? {
        switch reply {
        case .absent, .returned(1): true
        case .returned(0): false
        case .none, .returned: nil
        }
    }
}

/// The end of a run: what the record and the exit status are made of.
package struct RunReport: Sendable {
    package var verdict = Verdict.ok

    /// One sentence; empty when all is well.
    package var detail = ""
    package var stage = RunStage.setup
    package var status: Int32?
    package var exitCode: Int32?
    package var signal: Int32?

    /// True when the user's signal ended it early, whatever the verdict.
    package var wasInterrupted = false

    /// Of all the run's workers together.
    package var wallTime = Duration.zero
    package var cpuTime = Duration.zero

    /// The largest of the run's workers.
    package var peakBytes: UInt64 = 0
    package var baselineBytes: UInt64 = 0
    package var peakSource = PeakSource.sampled

    /// What the first worker said of its isolation; nil when none got that far.
    package var ready: WorkerReady?
    package var loaded: LoadedPlugin?

    /// In the order they were admitted, those of earlier runs first.
    package var downloads: [DownloadRecord] = []

    /// The first of them, in their order; ``unlistedRefusals`` more were only counted.
    package private(set) var refused: [Refusal] = []
    package private(set) var unlistedRefusals = 0
    private var refusedBytes = 0

    /// Their texts, and 64 bytes for each.
    private static let mostRefusedBytes = 8 << 20

    /// The packs of the request, in its order.
    package var packs: [PackAnswer] = []
    package var log: [String] {
        guard unlistedRefusals > 0 else { return logTail.lines }
        return logTail.lines + ["\(unlistedRefusals) more refusals are not listed"]
    }
    private var logTail = LogTail()

    /// The least memory limit that the worker itself can do with, when the limit was below.
    package var minimumMemoryBytes: UInt64?

    package init() {}

    /// Before anything was answered.
    init(packs: [AssetPackDescription]) {
        self.packs = packs.map { PackAnswer(identifier: $0.identifier) }
    }

    /// Takes note of a refusal; false when it is only counted.
    mutating func note(_ refusal: Refusal) -> Bool {
        refusedBytes += refusal.identifier.utf8.count + refusal.message.utf8.count + 64
        guard refusedBytes <= RunReport.mostRefusedBytes else {
            unlistedRefusals += 1
            return false
        }
        refused.append(refusal)
        return true
    }

    /// Takes in one worker's end; the first verdict that is not ok stays.
    mutating func add(_ outcome: WorkerOutcome) {
        wallTime += outcome.wallTime
        cpuTime += outcome.cpuTime
        ready = ready ?? outcome.ready
        loaded = loaded ?? outcome.loaded
        for line in outcome.log { logTail.append(line) }
        minimumMemoryBytes = minimumMemoryBytes ?? outcome.minimumMemoryBytes
        if outcome.peakBytes >= peakBytes {
            peakBytes = outcome.peakBytes
            baselineBytes = outcome.baselineBytes
            peakSource = outcome.peakSource
        }
        guard verdict == .ok else { return }
        verdict = outcome.verdict
        detail = outcome.detail
        stage = outcome.stage
        status = outcome.status
        exitCode = outcome.exitCode
        signal = outcome.signal
    }
}
