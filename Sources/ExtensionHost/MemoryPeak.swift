package import LinuxSystem

/// The most memory a worker held beyond what it held before the plugin, from three sources.
package struct MemoryPeak: Hashable, Sendable {
    /// What the worker held before loading.
    package private(set) var baselineBytes: UInt64 = 0
    private var pageTableBaseline: UInt64?
    private(set) var sampledBytes: UInt64 = 0
    private var reportedBytes: UInt64 = 0
    private var countedBytes: UInt64 = 0
    private var isStarted = false

    package init() {}

    package mutating func start(baselineBytes: UInt64) {
        self.baselineBytes = baselineBytes
        isStarted = true
    }

    /// Takes a sample of ours; the first one also sets the page tables that do not count.
    package mutating func sample(_ memory: ProcessMemory) {
        guard isStarted else { return }
        let tables = pageTableBaseline ?? memory.pageTableBytes
        pageTableBaseline = tables
        let held = memory.heldBytes > baselineBytes ? memory.heldBytes - baselineBytes : 0
        let grown = memory.pageTableBytes > tables ? memory.pageTableBytes - tables : 0
        let (sum, overflow) = held.addingReportingOverflow(grown)
        sampledBytes = max(sampledBytes, overflow ? .max : sum)
    }

    /// Takes what the worker read of itself.
    package mutating func report(heldBytes: UInt64) {
        guard heldBytes > baselineBytes else { return }
        reportedBytes = max(reportedBytes, heldBytes - baselineBytes)
    }

    /// Takes what the kernel counted against the limit when it refused more.
    package mutating func count(_ bytes: UInt64) {
        countedBytes = max(countedBytes, bytes)
    }

    package var bytes: UInt64 { max(sampledBytes, reportedBytes, countedBytes) }
    package var source: PeakSource {
        if countedBytes > max(sampledBytes, reportedBytes) { return .counted }
        return reportedBytes > sampledBytes ? .reported : .sampled
    }
}
