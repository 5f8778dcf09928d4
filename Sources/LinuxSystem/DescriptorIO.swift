internal import CLinuxShims
internal import Glibc

/// What one read or write did.
package enum IOResult: Hashable, Sendable {
    case moved(Int)
    case wouldBlock
    case ended
    case failed(Int32)
}

/// Reads and writes that retry on EINTR and, on sockets, never raise SIGPIPE.
///
/// For pipes ``StopSignals/ignoreBrokenPipes()`` sees to that; `write(2)` has no flag for it.
package enum DescriptorIO {
    /// Reads at most `room.count` bytes.
    ///
    /// `read(2)`.
    package static func read(_ raw: Int32, into room: inout [UInt8]) -> IOResult {
        while true {
            let count = unsafe room.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(raw, bytes.baseAddress, bytes.count)
            }
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            let code = errno
            if code == EINTR { continue }
            return code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(code)
        }
    }

    /// Writes a prefix of `bytes`.
    ///
    /// `write(2)`, or `send(2)` with MSG_NOSIGNAL on a socket.
    package static func write(
        _ raw: Int32, _ bytes: ArraySlice<UInt8>, isSocket: Bool = false
    ) -> IOResult {
        guard !bytes.isEmpty else { return .moved(0) }
        while true {
            let count = unsafe bytes.withUnsafeBytes { room in
                isSocket
                    ? unsafe send(raw, room.baseAddress, room.count, Int32(MSG_NOSIGNAL))
                    : unsafe Glibc.write(raw, room.baseAddress, room.count)
            }
            if count >= 0 { return .moved(count) }
            let code = errno
            if code == EINTR { continue }
            return code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(code)
        }
    }

    /// Writes all of `bytes` to a blocking descriptor.
    package static func writeAll(
        _ raw: Int32, _ bytes: [UInt8], subject: String, isSocket: Bool = false
    ) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch write(raw, rest, isSocket: isSocket) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock: try waitUntilWritable(raw, subject: subject)
            case .ended: throw SystemError(call: "write", subject: subject, code: EPIPE)
            case .failed(let code): throw SystemError(call: "write", subject: subject, code: code)
            }
        }
    }

    private static func waitUntilWritable(_ raw: Int32, subject: String) throws(SystemError) {
        var entry = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
        while unsafe Glibc.poll(&entry, 1, -1) < 0 {
            let code = errno
            guard code == EINTR else {
                throw SystemError(call: "poll", subject: subject, code: code)
            }
        }
    }

    /// Lets the kernel begin to write a part of a file, to its end when `count` is 0.
    ///
    /// `sync_file_range(2)`. A hint: it makes nothing durable, and where it fails nothing is lost.
    package static func startWriteBack(_ raw: Int32, from offset: UInt64, count: UInt64) {
        _ = bah_start_write_back(raw, offset, count)
    }

    /// Waits until what the kernel has begun to write of a file is written, and tells of its faults.
    ///
    /// `sync_file_range(2)`. Makes nothing durable.
    package static func finishWriteBack(
        _ raw: Int32, subject: String
    ) throws(SystemError) {
        try SystemError.check(bah_finish_write_back(raw), "sync_file_range", subject)
    }

    /// Makes everything durable that was written to the file's file system.
    ///
    /// `syncfs(2)`.
    package static func syncFileSystem(
        _ raw: Int32, subject: String
    ) throws(SystemError) {
        try SystemError.check(bah_sync_filesystem(raw), "syncfs", subject)
    }

    /// Reads a whole regular file.
    ///
    /// `openat(2)`, `fstat(2)`.
    ///
    /// - Parameters:
    ///   - path: Relative to `folder` when that is given.
    ///   - limit: Of its bytes.
    ///   - flags: `O_...` of `fcntl.h` besides.
    ///   - folder: A descriptor of the folder that `path` is relative to.
    /// - Returns: All bytes.
    /// - Throws: ``SystemError``; EFBIG for a longer one, EISDIR for a folder, ENOTSUP for what else
    ///   is no regular file.
    package static func readRegular(
        _ path: String, limit: Int, flags: Int32 = 0, in folder: Int32? = nil
    ) throws(SystemError) -> [UInt8] {
        // Not blocking: a FIFO is refused by its kind, not waited for.
        let file = try Descriptor.open(path, flags: O_RDONLY | O_NONBLOCK | flags, in: folder)
        var status = stat()
        try SystemError.checkErrno(unsafe fstat(file.raw, &status), "fstat", path)
        switch status.st_mode & S_IFMT {
        case S_IFREG: return try readAll(file.raw, limit: limit, subject: path)
        case S_IFDIR: throw SystemError(call: "open", subject: path, code: EISDIR)
        default: throw SystemError(call: "open", subject: path, code: ENOTSUP)
        }
    }

    /// Reads a whole file, refusing one longer than `limit` with EFBIG.
    package static func readAll(
        _ raw: Int32, limit: Int, subject: String
    ) throws(SystemError) -> [UInt8] {
        var all: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch read(raw, into: &room) {
            case .moved(let count):
                guard all.count + count <= limit else {
                    throw SystemError(call: "read", subject: subject, code: EFBIG)
                }
                all.append(contentsOf: room[0..<count])
            case .ended: return all
            case .wouldBlock: throw SystemError(call: "read", subject: subject, code: EAGAIN)
            case .failed(let code): throw SystemError(call: "read", subject: subject, code: code)
            }
        }
    }
}
