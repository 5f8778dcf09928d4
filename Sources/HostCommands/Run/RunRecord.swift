internal import CommandLineOptions
package import ExtensionHost

/// The machine-readable result of one `bahost run`; docs/schema/run-record-1.json describes it.
///
/// Every key is always there; what is not known is null. All numbers are integers, with the unit
/// last in the key.
package struct RunRecord: Hashable, Sendable, Encodable {
    package var schema = 1
    package var plugin: String
    /// ``RunEvent`` as a word.
    package var event: String
    package var result: Verdict
    /// One sentence on the result.
    @Nullable package var detail: String?
    @Nullable package var stage: RunStage?
    /// The exit status; ``settleStatus(strict:interrupted:)`` sets it.
    package var status: Int32
    package var worker = Worker()
    @Nullable package var wallTimeMs: Int64?
    @Nullable package var cpuTimeMs: Int64?
    package var memory: Memory
    package var limits = Limits()
    package var isolation: Isolation
    package var downloads: [Download] = []
    package var refused: [Refusal] = []
    package var packs: [Pack] = []
    /// The plugin's log and later causes, line by line.
    package var log: [String] = []

    package init(
        plugin: String, event: String, result: Verdict, memoryLimitBytes: Int64,
        isolationMode: String
    ) {
        self.plugin = plugin
        self.event = event
        self.result = result
        status = ExitStatus.of(result).number
        memory = Memory(limitBytes: memoryLimitBytes)
        isolation = Isolation(mode: isolationMode)
    }

    /// How the worker's process ended.
    package struct Worker: Hashable, Sendable, Encodable {
        @Nullable package var exitCode: Int32?
        @Nullable package var signal: Int32?

        package init(exitCode: Int32? = nil, signal: Int32? = nil) {
            self.exitCode = exitCode
            self.signal = signal
        }
    }

    package struct Memory: Hashable, Sendable, Encodable {
        package var limitBytes: Int64
        @Nullable package var baselineBytes: Int64?
        @Nullable package var runtimeReserveBytes: Int64?
        @Nullable package var peakBytes: Int64?
        /// Which measurement gave the peak, such as `sampled`.
        @Nullable package var peakSource: String?

        package init(limitBytes: Int64) {
            self.limitBytes = limitBytes
        }
    }

    /// A limit: what was asked for, what was set, and which mechanism holds it.
    package struct Limit: Hashable, Sendable, Encodable {
        @Nullable package var asked: Int64?
        @Nullable package var inForce: Int64?
        @Nullable package var layer: String?

        package init(asked: Int64? = nil, inForce: Int64? = nil, layer: String? = nil) {
            self.asked = asked
            self.inForce = inForce
            self.layer = layer
        }
    }

    package struct Limits: Hashable, Sendable, Encodable {
        package var memoryBytes = Limit()
        package var stackBytes = Limit()
        package var wallTimeMs = Limit()
        package var cpuTimeMs = Limit()
        package var fileSizeBytes = Limit()
        package var writtenBytes = Limit()
        package var openFiles = Limit()
        package var threads = Limit()

        package init() {}
    }

    package struct Isolation: Hashable, Sendable, Encodable {
        package var mode: String
        package var layers: [String]
        package var missing: [MissingLayer]

        package init(mode: String, layers: [String] = [], missing: [MissingLayer] = []) {
            self.mode = mode
            self.layers = layers
            self.missing = missing
        }
    }

    package struct MissingLayer: Hashable, Sendable, Encodable {
        package var layer: String
        package var why: String

        package init(layer: String, why: String) {
            self.layer = layer
            self.why = why
        }
    }
}
