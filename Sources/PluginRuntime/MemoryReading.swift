internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import Synchronization

/// Reads this process's memory without holding much itself: what it uses counts for the plugin.
enum MemoryReading {
    /// sysconf(3), _SC_PAGESIZE.
    static var pageBytes: UInt64 { UInt64(sysconf(Int32(_SC_PAGESIZE))) }

    /// Nil when /proc cannot be read.
    static func current() -> ProcessMemory? {
        guard let file = try? Descriptor.open("/proc/self/status", flags: O_RDONLY) else {
            return nil
        }
        guard case .held(let memory) = ProcessMemory.look(open: file.raw) else { return nil }
        return memory
    }

    /// What the kernel's limits count now; nil when /proc cannot be read.
    static func mark() -> MemoryMark? {
        current().map { mark($0) }
    }

    /// What the kernel's limits counted when this was read.
    static func mark(_ memory: ProcessMemory) -> MemoryMark {
        MemoryMark(
            dataBytes: memory.dataBytes, addressSpaceBytes: memory.addressSpaceBytes,
            relroBytes: LoadedImages.relroBytes)
    }

    /// Writable private pages that are mapped but not yet held: they can be written past the limit
    /// on data, which counts them already.
    ///
    /// In a worker whose launcher has noted its own, which spares it reading all its maps, this is
    /// an upper bound: what the worker has written to since it was forked still counts.
    static func reserveBytes() -> UInt64 {
        guard let noted = launcherReserve.withLock({ $0 }), let data = mappedBytes() else {
            return exactReserveBytes()
        }
        return noted.reserve + (data > noted.data ? data - noted.data : 0)
    }

    /// Notes the reserve of a launcher that is ready, for the workers it forks.
    static func noteReserve() {
        guard let data = mappedBytes() else { return }
        let reserve = exactReserveBytes()
        launcherReserve.withLock { $0 = (reserve, data) }
    }

    private static let launcherReserve = Mutex<(reserve: UInt64, data: UInt64)?>(nil)

    /// Data and stack: the sixth number of proc_pid_statm(5), which is in pages.
    private static func mappedBytes() -> UInt64? {
        guard let file = try? Descriptor.open("/proc/self/statm", flags: O_RDONLY) else {
            return nil
        }
        var room = [UInt8](repeating: 0, count: 256)
        guard case .moved(let count) = DescriptorIO.read(file.raw, into: &room) else { return nil }
        var place = 1
        var pages: UInt64 = 0
        for byte in room[0..<count] {
            if byte == UInt8(ascii: " ") {
                place += 1
            } else if place == 6 {
                pages = pages * 10 + UInt64(byte & 15)
            }
        }
        return place < 6 ? nil : pages * pageBytes
    }

    /// proc_pid_smaps(5).
    private static func exactReserveBytes() -> UInt64 {
        guard let file = try? Descriptor.open("/proc/self/smaps", flags: O_RDONLY) else {
            return 0
        }
        var sum = ReserveSum()
        var room = [UInt8](repeating: 0, count: 4096)
        while case .moved(let count) = DescriptorIO.read(file.raw, into: &room) {
            sum.add(room[0..<count])
        }
        return sum.bytes
    }
}

/// Adds up `Size` less `Anonymous` over the writable private maps of an smaps text but the stack,
/// fed in pieces.
package struct ReserveSum: Sendable {
    package private(set) var bytes: UInt64 = 0
    private var line: [UInt8] = []
    private var counts = false

    package init() {}

    package mutating func add(_ piece: ArraySlice<UInt8>) {
        for byte in piece {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            take()
            line.removeAll(keepingCapacity: true)
        }
    }

    private mutating func take() {
        // A map begins with its addresses in lower case, a field with a capital letter.
        guard let first = line.first else { return }
        guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
            let fields = line.split(separator: UInt8(ascii: " "))
            counts = fields.count >= 2 && fields[1].elementsEqual("rw-p".utf8)
            if fields.last?.elementsEqual("[stack]".utf8) ?? false { counts = false }
            return
        }
        guard counts else { return }
        if line.starts(with: "Size:".utf8) { bytes &+= kilobytes << 10 }
        if line.starts(with: "Anonymous:".utf8) { bytes &-= min(bytes, kilobytes << 10) }
    }

    private var kilobytes: UInt64 {
        line.lazy.filter { (48...57).contains($0) }.reduce(0) { $0 &* 10 &+ UInt64($1 - 48) }
    }
}
