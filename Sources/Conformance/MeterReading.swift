/// What somebody outside saw of a worker that holds memory, in bytes.
package struct MeterReading: Hashable, Sendable {
    /// Other processes of the machine.
    private static let noise: Int64 = 1 << 20

    /// The most anonymous, shared and swapped memory.
    private var mostHeld: UInt64 = 0
    private var firstTables: UInt64?

    /// The most page tables since the technique began.
    private var mostTables: UInt64 = 0
    private var start: KernelMemory?
    private var rises: [KernelMemory] = []

    /// Most samples that are kept; a hold of 60 ms gives fewer.
    private static let mostRises = 4096

    /// What the technique says it holds; nil when it did not get so far.
    package private(set) var believed: UInt64?
    package private(set) var wasSeen = false

    package init() {}

    /// Takes in one look.
    ///
    /// - Parameters:
    ///   - name: The worker's `comm`: `bah-begin`, `bah-hold KILOBYTES` or `bah-done`.
    ///   - held: Its anonymous, shared and swapped memory.
    ///   - tables: Its page tables.
    ///   - kernel: What the kernel holds; asked for only while it begins and while it holds.
    package mutating func add(
        name: String, held: UInt64, tables: UInt64, kernel: () -> KernelMemory?
    ) {
        wasSeen = true
        mostHeld = max(mostHeld, held)
        firstTables = firstTables ?? tables
        mostTables = max(mostTables, tables - min(tables, firstTables ?? tables))
        if name.hasPrefix("bah-begin") { start = start ?? kernel() }
        guard name.hasPrefix("bah-hold ") else { return }
        let digits = name.dropFirst(9).prefix { $0.isNumber }
        believed = UInt64(digits).map { $0 << 10 }
        guard let start, rises.count < MeterReading.mostRises, let now = kernel() else { return }
        rises.append(now.rise(since: start))
    }

    /// Beyond what the worker held before the plugin was loaded.
    package func outside(baseline: UInt64) -> UInt64 {
        guard wasSeen else { return 0 }
        return mostHeld - min(mostHeld, baseline) + mostTables
    }

    /// The middle rise of the kernel's memory while it held, without the worker's page tables and
    /// noise: others' work in between does not count.
    package var kernel: UInt64 {
        let rise = MeterReading.middle(rises.map(\.unreclaimable))
        return UInt64(max(0, rise - Int64(clamping: mostTables) - MeterReading.noise))
    }

    private static func middle(_ values: [Int64]) -> Int64 {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }
}
