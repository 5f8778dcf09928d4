internal import CLinuxShims
internal import Glibc

/// A process that somebody else waits for, held by its pidfd and killed when its owner is done.
///
/// `pidfd_open(2)`.
package struct ProcessHandle: ~Copyable {
    /// Its number as this process's `/proc` has it.
    package let pid: Int32
    private let pidfd: OwnedDescriptor
    private let status: OwnedDescriptor?

    /// Takes over a pidfd.
    ///
    /// - Throws: ``SystemError`` with ESRCH when it is not one, or its process has been reaped.
    package init(adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
        let number = try ProcessHandle.number(of: descriptor.raw)
        pid = number
        status = try? Descriptor.open("/proc/\(number)/status", flags: O_RDONLY)
        pidfd = descriptor
    }

    deinit {
        kill()
    }

    /// `pidfd_send_signal(2)`; nothing when the process is gone.
    package borrowing func kill() {
        _ = bah_signal_process(pidfd.raw, SIGKILL)
    }

    /// What it holds now.
    package borrowing func memory() -> ProcessMemory.Look {
        guard let raw = statusDescriptor else { return .gone }
        return ProcessMemory.look(open: raw)
    }

    /// True when a thread of it lives that nothing has killed, though the first one has ended.
    ///
    /// `proc_pid_status(5)`: a thread of a process that is being killed has SIGKILL pending.
    package borrowing func outlivesFirstThread() -> Bool {
        let folder = "/proc/\(pid)/task"
        var isAlive = false
        FolderNames.each(in: folder) { name in
            guard name != "\(pid)",
                let file = try? Descriptor.open("\(folder)/\(name)/status", flags: O_RDONLY),
                let text = try? DescriptorIO.readAll(file.raw, limit: 65_536, subject: name)
            else { return .no }
            isAlive = ProcessMemory.parse(text) != nil && !ProcessHandle.isKilled(text)
            return isAlive ? .yes : .no
        }
        return isAlive
    }

    private static func isKilled(_ status: [UInt8]) -> Bool {
        for line in status.split(separator: UInt8(ascii: "\n")) {
            guard line.starts(with: "SigPnd:".utf8) || line.starts(with: "ShdPnd:".utf8) else {
                continue
            }
            let digits = String(decoding: line.dropFirst(7), as: UTF8.self)
                .filter { $0.isHexDigit }
            if let set = UInt64(digits, radix: 16), set & 1 << UInt64(SIGKILL - 1) != 0 {
                return true
            }
        }
        return false
    }

    private var statusDescriptor: Int32? {
        switch status {
        case .some(let file): file.raw
        case .none: nil
        }
    }

    /// The line `Pid:` of a pidfd, whose value is 0 or less without a process to see.
    ///
    /// `proc_pid_fdinfo(5)`.
    private static func number(of pidfd: Int32) throws(SystemError) -> Int32 {
        let path = "/proc/self/fdinfo/\(pidfd)"
        let file = try Descriptor.open(path, flags: O_RDONLY)
        let text = try DescriptorIO.readAll(file.raw, limit: 4096, subject: path)
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard line.starts(with: "Pid:".utf8) else { continue }
            let digits = line.filter { (48...57).contains($0) }
            guard !line.contains(UInt8(ascii: "-")),
                let number = Int32(String(decoding: digits, as: UTF8.self)), number > 0
            else { continue }
            return number
        }
        throw SystemError(call: "pidfd", subject: "descriptor \(pidfd)", code: ESRCH)
    }
}
