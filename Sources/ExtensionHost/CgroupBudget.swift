internal import WireProtocol

/// What a launcher's memory cgroup may hold: the launcher itself and a share for each worker.
///
/// Pure arithmetic; the kernel's numbers are handed in.
package struct CgroupBudget: Hashable, Sendable {
    /// One worker's part.
    package struct Share: Hashable, Sendable {
        /// All of it: the promise, the written bytes, and 8 MiB for what the runtime has
        /// mapped and not touched and for kernel memory.
        package let bytes: UInt64

        /// Bytes in files, which stay when the worker has ended, and are memory on a tmpfs.
        package let writtenBytes: UInt64

        package init(memoryBytes: UInt64, writtenBytes: UInt64) {
            bytes = CgroupBudget.sum([
                MemoryPromise.bytes(limit: memoryBytes) ?? .max, 8 << 20, writtenBytes,
            ])
            self.writtenBytes = writtenBytes
        }
    }

    /// Above what was measured: what the kernel counts in advance, and its rounding.
    package static let slackBytes: UInt64 = 4 << 20

    /// For a launcher that has not been measured yet.
    package static func allowance(hasSwiftRuntime: Bool) -> UInt64 {
        hasSwiftRuntime ? 96 << 20 : 32 << 20
    }

    private var baseBytes: UInt64
    private var shares: [UInt32: Share] = [:]

    /// What workers that have ended since the last measurement may have left in files.
    private var leftBytes: UInt64 = 0

    package init(allowance: UInt64) {
        baseBytes = allowance
    }

    /// No worker is there.
    package var isIdle: Bool { shares.isEmpty }

    /// Only the launcher holds this, and what earlier workers have left.
    package mutating func measured(heldBytes: UInt64) {
        baseBytes = CgroupBudget.sum([heldBytes, CgroupBudget.slackBytes])
        leftBytes = 0
    }

    /// The first worker has been forked and has hardly begun: no more than was allowed until then.
    package mutating func measuredFirst(heldBytes: UInt64) {
        baseBytes = min(baseBytes, CgroupBudget.sum([heldBytes, CgroupBudget.slackBytes]))
    }

    package mutating func start(_ run: UInt32, _ share: Share) {
        shares[run] = share
    }

    package mutating func end(_ run: UInt32) {
        guard let share = shares.removeValue(forKey: run) else { return }
        leftBytes = CgroupBudget.sum([leftBytes, share.writtenBytes])
    }

    /// The limit for all together, when so much is held.
    package func limitBytes(heldBytes: UInt64) -> UInt64 {
        let above = heldBytes > baseBytes ? heldBytes - baseBytes : 0
        return CgroupBudget.sum([baseBytes, min(leftBytes, above)] + shares.values.map(\.bytes))
    }

    private static func sum(_ parts: [UInt64]) -> UInt64 {
        parts.reduce(0) { sum, part in
            let (next, overflow) = sum.addingReportingOverflow(part)
            return overflow ? .max : next
        }
    }
}
