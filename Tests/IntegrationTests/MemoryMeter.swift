import Glibc
import LinuxSystem
import TestSupport

/// Lines of `NAME: NUMBER kB` in a file of /proc, as bytes.
struct KilobyteLines {
    private let values: [String: Int]

    /// Nil when the file is gone.
    init?(_ path: String) {
        guard let text = ProcFile.text(path) else { return nil }
        var values: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let number = parts[1].split(whereSeparator: { $0 == " " || $0 == "\t" }).first
            if let number, let value = Int(number) { values[String(parts[0])] = value << 10 }
        }
        self.values = values
    }

    func sum(_ names: String...) -> Int { names.reduce(0) { $0 + (values[$1] ?? 0) } }
}

/// Small files of /proc.
enum ProcFile {
    static func text(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, flags: O_RDONLY),
            let bytes = try? DescriptorIO.readAll(file.raw, limit: 1 << 20, subject: path)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The processes below one, at any depth.
    static func descendants(of pid: Int32) -> [Int32] {
        var found: [Int32] = []
        for task in folder("/proc/\(pid)/task") {
            let children = text("/proc/\(pid)/task/\(task)/children") ?? ""
            for child in children.split(separator: " ").compactMap({ Int32($0) }) {
                found += [child] + descendants(of: child)
            }
        }
        return found
    }

    /// True until it is a zombie or gone.
    static func isRunning(_ pid: Int32) -> Bool {
        guard let text = text("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
            return false
        }
        return !text[end...].dropFirst(2).starts(with: ["Z"])
    }

    private static func folder(_ path: String) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { place in
                unsafe String(cString: UnsafeRawPointer(place).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

/// What somebody outside saw of a worker that holds memory, in bytes.
struct MeterReading {
    /// The most anonymous, shared and swapped memory, and page tables since the technique began.
    var held = 0
    var tables = 0

    /// What the technique says it holds; nil when it did not get so far.
    var believed: Int?

    /// The rise of the kernel's own memory from the beginning to the middle of the hold; reclaimable
    /// apart.
    var kernel = 0
    var reclaimable = 0

    /// The rise of all memory that is neither free nor a cache.
    var used = 0
    var wasSeen = false
}

/// Reads the worker of one `bahost run` from outside, again and again, until the run has ended.
///
/// The worker is found by the name that techniques give their thread (`prctl(2)`, PR_SET_NAME):
/// `bah-begin`, `bah-hold KILOBYTES`, `bah-done`. Who its parent is does not matter.
struct MemoryMeter {
    private var reading = MeterReading()
    private var firstTables: Int?
    private var start: Kernel?
    private var rises: [Kernel] = []
    private var worker: Int32?

    private struct Kernel {
        var slabTablesShared = 0
        var stacks = 0
        var mapped = 0
        var reclaimable = 0
        var used = 0

        init() {}

        init?(_ lines: KilobyteLines?) {
            guard let lines else { return nil }
            slabTablesShared = lines.sum("SUnreclaim", "PageTables", "Shmem")
            stacks = lines.sum("KernelStack")
            mapped = lines.sum("VmallocUsed")
            reclaimable = lines.sum("SReclaimable")
            used =
                lines.sum("MemTotal")
                - lines.sum("MemFree", "Buffers", "Cached", "SReclaimable", "SwapCached")
        }

        /// Stacks can be among what is mapped, and must not count twice: CONFIG_VMAP_STACK.
        var unreclaimable: Int { slabTablesShared + max(stacks, mapped) }

        func rise(since start: Kernel) -> Kernel {
            var rise = Kernel()
            rise.slabTablesShared = slabTablesShared - start.slabTablesShared
            rise.stacks = stacks - start.stacks
            rise.mapped = mapped - start.mapped
            rise.reclaimable = reclaimable - start.reclaimable
            rise.used = used - start.used
            return rise
        }
    }

    static func read(_ run: ProgramRun) -> MeterReading {
        var meter = MemoryMeter()
        while ProcFile.isRunning(run.pid) {
            meter.look(below: run.pid)
            var set = PollSet()
            try? set.wait(timeout: .milliseconds(1))
        }
        return meter.result
    }

    private mutating func look(below pid: Int32) {
        worker =
            worker
            ?? ProcFile.descendants(of: pid).first {
                ProcFile.text("/proc/\($0)/comm")?.hasPrefix("bah-") ?? false
            }
        guard let worker, let name = ProcFile.text("/proc/\(worker)/comm") else { return }
        guard let lines = KilobyteLines("/proc/\(worker)/status") else { return }
        reading.wasSeen = true
        reading.held = max(reading.held, lines.sum("RssAnon", "RssShmem", "VmSwap"))
        let tables = lines.sum("VmPTE")
        firstTables = firstTables ?? tables
        reading.tables = max(reading.tables, tables - (firstTables ?? tables))
        if name.hasPrefix("bah-begin") { start = start ?? Kernel(KilobyteLines("/proc/meminfo")) }
        guard name.hasPrefix("bah-hold "), let start else { return }
        reading.believed = Int(name.dropFirst(9).dropLast()).map { $0 << 10 }
        if let now = Kernel(KilobyteLines("/proc/meminfo")) { rises.append(now.rise(since: start)) }
    }

    /// The middle of what was seen while it held: others' work in between does not count.
    private var result: MeterReading {
        func middle(_ values: [Int]) -> Int {
            values.isEmpty ? 0 : values.sorted()[values.count / 2]
        }
        var result = reading
        result.kernel = middle(rises.map(\.unreclaimable))
        result.reclaimable = middle(rises.map(\.reclaimable))
        result.used = middle(rises.map(\.used))
        return result
    }
}
