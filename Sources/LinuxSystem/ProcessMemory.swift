internal import Glibc

/// A process's memory as the kernel counts it, by `proc_pid_status(5)`.
package struct ProcessMemory: Hashable, Sendable {
    /// `RssAnon` + `RssShmem` + `VmSwap`: what is held and is not a clean page of a file.
    package var heldBytes: UInt64 = 0

    /// `VmData`: what RLIMIT_DATA is compared with, by `getrlimit(2)`.
    package var dataBytes: UInt64 = 0

    /// `VmSize`: what RLIMIT_AS is compared with.
    package var addressSpaceBytes: UInt64 = 0

    /// `VmPTE`: page tables.
    package var pageTableBytes: UInt64 = 0

    /// `Threads`.
    package var threads: UInt64 = 0

    package init() {}

    /// The most of the file that is read: a user in many groups has a long line of them.
    private static let statusBytes = 16_384

    /// Reads `/proc/PID/status`; nil for this process.
    ///
    /// Nil result when it cannot be read or the process is a zombie, whose file has no memory
    /// lines.
    package static func read(pid: Int32? = nil) -> ProcessMemory? {
        let path = pid.map { "/proc/\($0)/status" } ?? "/proc/self/status"
        guard let file = try? Descriptor.open(path, flags: O_RDONLY),
            let bytes = try? DescriptorIO.readAll(file.raw, limit: 65_536, subject: path)
        else { return nil }
        return parse(bytes)
    }

    /// What a look at a process found.
    package enum Look: Hashable, Sendable {
        case held(ProcessMemory)

        /// Its first thread has ended, and with it what the kernel tells; others may live.
        case leaderless

        /// There is nothing to see any more.
        case gone
    }

    /// Reads an open `/proc/PID/status` from its start.
    package static func look(open raw: Int32) -> Look {
        // SAFETY: pread fills what it says it has read.
        let room = unsafe [UInt8](unsafeUninitializedCapacity: statusBytes) { bytes, count in
            count = max(0, unsafe pread(raw, bytes.baseAddress, bytes.count, 0))
        }
        guard !room.isEmpty else { return .gone }
        return parse(room).map { .held($0) } ?? .leaderless
    }

    /// Picks the lines out of the file's text, which gives each value in kB.
    ///
    /// Read every few milliseconds and by every worker: byte by byte, without making strings.
    package static func parse(_ bytes: [UInt8]) -> ProcessMemory? {
        var memory = ProcessMemory()
        var line = StatusLine()
        var isAlive = false
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.add(byte)
                continue
            }
            isAlive = memory.take(line) || isAlive
            line = StatusLine()
        }
        isAlive = memory.take(line) || isAlive
        return isAlive ? memory : nil
    }

    /// True for a line that only a process with memory has.
    private mutating func take(_ line: StatusLine) -> Bool {
        guard line.isPastName else { return false }
        let value = line.number &* 1024
        switch line.name {
        case StatusLine.anonymous:
            heldBytes &+= value
            return true
        case StatusLine.shared, StatusLine.swapped: heldBytes &+= value
        case StatusLine.data: dataBytes = value
        case StatusLine.size: addressSpaceBytes = value
        case StatusLine.pageTables: pageTableBytes = value
        case StatusLine.threads: threads = line.number
        default: break
        }
        return false
    }
}

/// One line, as far as it has been read.
private struct StatusLine {
    /// The last eight bytes before the colon.
    private(set) var name: UInt64 = 0
    private(set) var number: UInt64 = 0
    private(set) var isPastName = false

    static let anonymous = name("RssAnon")
    static let shared = name("RssShmem")
    static let swapped = name("VmSwap")
    static let data = name("VmData")
    static let size = name("VmSize")
    static let pageTables = name("VmPTE")
    static let threads = name("Threads")

    private static func name(_ text: String) -> UInt64 {
        text.utf8.reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func add(_ byte: UInt8) {
        if !isPastName {
            isPastName = byte == UInt8(ascii: ":")
            if !isPastName { name = name << 8 | UInt64(byte) }
        } else if (48...57).contains(byte) {
            number = number &* 10 &+ UInt64(byte - 48)
        }
    }
}
