package import ExtensionHost
package import WireProtocol

/// All that was seen of one case, as the judge needs it.
package struct CaseObservation: Hashable, Sendable {
    package var verdict = Verdict.ok
    package var detail = ""
    package var attempts: [Attempt] = []

    /// Other lines of its log that name an error of the kernel's.
    package var complaints: [String] = []
    package var logBytes = 0

    /// Names of the layers in force.
    package var layers: [String] = []
    package var missing: [MissingLayer] = []
    package var memory = HeldMemory()

    /// False when the file that no plugin may touch is not as it was.
    package var isVictimUntouched = true

    /// What was left after the run: processes, files, System V objects, descriptors of the host's.
    package var leftovers: [String] = []
    package var wallTime = Duration.zero

    /// Of the run's workers alone, by the run's own record.
    package var workerTime = Duration.zero
    package var processorTime = Duration.zero

    package init() {}

    func isMissing(_ layer: String) -> Bool { missing.contains { $0.layer == layer } }
}

/// What one run held, measured three ways, in bytes beyond what the worker had at the start.
package struct HeldMemory: Hashable, Sendable {
    package var limit: UInt64 = 0

    /// Writable pages of the runtime that can be dirtied past the limit.
    package var reserve: UInt64 = 0

    /// What the technique itself says it holds; nil when it did not get so far.
    package var believed: UInt64?

    /// The host's samples.
    package var sampled: UInt64 = 0

    /// Whether anybody read it from outside.
    package var wasMetered = false

    /// Read by another process from `/proc`.
    package var outside: UInt64 = 0

    /// The rise of the kernel's own memory, without the worker's page tables and noise.
    package var kernel: UInt64 = 0

    package init() {}

    /// The largest of the three counts.
    package var held: UInt64 { max(believed ?? 0, sampled, outside + kernel) }

    /// Without what others on the machine can disturb.
    package var heldByWorker: UInt64 { max(believed ?? 0, sampled, outside) }

    /// What may be held in all.
    package var promise: UInt64 {
        (MemoryPromise.bytes(limit: limit) ?? .max).addingReportingOverflow(reserve).partialValue
    }

    package var isKept: Bool { held <= promise }
}
