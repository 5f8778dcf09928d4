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

    package init() {}

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

    /// Reads an open `/proc/PID/status` from its start.
    package static func read(open raw: Int32) -> ProcessMemory? {
        var room = [UInt8](repeating: 0, count: 4096)
        let count = unsafe room.withUnsafeMutableBytes { bytes in
            unsafe pread(raw, bytes.baseAddress, bytes.count, 0)
        }
        return count > 0 ? parse(Array(room[0..<count])) : nil
    }

    /// Picks the lines out of the file's text, which gives each value in kB.
    package static func parse(_ bytes: [UInt8]) -> ProcessMemory? {
        var memory = ProcessMemory()
        var isAlive = false
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = kilobytes(line[(colon + 1)...])
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "RssAnon":
                memory.heldBytes &+= value
                isAlive = true
            case "RssShmem", "VmSwap": memory.heldBytes &+= value
            case "VmData": memory.dataBytes = value
            case "VmSize": memory.addressSpaceBytes = value
            case "VmPTE": memory.pageTableBytes = value
            default: break
            }
        }
        return isAlive ? memory : nil
    }

    private static func kilobytes(_ text: ArraySlice<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for byte in text where (48...57).contains(byte) {
            value = value &* 10 &+ UInt64(byte - 48)
        }
        return value &* 1024
    }
}
