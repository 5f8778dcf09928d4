internal import LinuxSystem

/// What the whole kernel holds at a moment, in bytes.
///
/// proc_meminfo(5).
package struct KernelMemory: Hashable, Sendable {
    private var slabTablesShared: Int64 = 0
    private var stacks: Int64 = 0
    private var mapped: Int64 = 0

    private init() {}

    /// Reads the text of `/proc/meminfo`.
    package init(meminfo text: String) {
        let lines = KilobyteLines(text)
        slabTablesShared = Int64(clamping: lines.sum("SUnreclaim", "PageTables", "Shmem"))
        stacks = Int64(clamping: lines.sum("KernelStack"))
        mapped = Int64(clamping: lines.sum("VmallocUsed"))
    }

    /// Nil when it cannot be read.
    static func now() -> KernelMemory? {
        ProcFile.text("/proc/meminfo").map { KernelMemory(meminfo: $0) }
    }

    /// Stacks can be among what is mapped, and must not count twice: CONFIG_VMAP_STACK.
    package var unreclaimable: Int64 { slabTablesShared + max(stacks, mapped) }

    package func rise(since start: KernelMemory) -> KernelMemory {
        var rise = KernelMemory()
        rise.slabTablesShared = slabTablesShared - start.slabTablesShared
        rise.stacks = stacks - start.stacks
        rise.mapped = mapped - start.mapped
        return rise
    }
}
