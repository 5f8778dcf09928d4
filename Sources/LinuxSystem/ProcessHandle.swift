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

    /// Readable once the process has ended; for ``PollSet``.
    package var descriptor: Int32 { pidfd.raw }

    /// Sends a signal; false when the process is gone.
    ///
    /// `pidfd_send_signal(2)`.
    @discardableResult
    package borrowing func signal(_ number: Int32) -> Bool {
        bah_signal_process(pidfd.raw, number) == 0
    }

    package borrowing func kill() {
        signal(SIGKILL)
    }

    /// What it holds now.
    package borrowing func memory() -> ProcessMemory.Look {
        guard let raw = statusDescriptor else { return .gone }
        return ProcessMemory.look(open: raw)
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
