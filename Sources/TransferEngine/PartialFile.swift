internal import Digests
internal import Glibc
internal import LinuxSystem

/// The file that grows while a transfer runs, and the hash of what is in it.
///
/// Only ever appended to, so its length never runs ahead of its bytes, not even over a power cut.
struct PartialFile: ~Copyable {
    private let path: String
    private let file: OwnedDescriptor
    private var hasher: SHA256Hasher?
    /// Bytes written and hashed.
    private(set) var length: UInt64 = 0
    /// Bytes on disk when it was opened, not hashed yet.
    let foundLength: UInt64

    /// Opens or creates the file; a link or anything but a regular file is refused.
    ///
    /// `open(2)`.
    init(path: String) throws(TransferFailure) {
        let opened = try PartialFile.open(path)
        let found = try PartialFile.length(of: opened.raw, path)
        let hasher = try PartialFile.newHasher()
        self.init(path: path, file: opened, hasher: hasher, foundLength: found)
    }

    private init(
        path: String, file: consuming OwnedDescriptor, hasher: consuming SHA256Hasher,
        foundLength: UInt64
    ) {
        self.path = path
        self.file = file
        self.hasher = consume hasher
        self.foundLength = foundLength
    }

    private static func open(_ path: String) throws(TransferFailure) -> OwnedDescriptor {
        do throws(SystemError) {
            return try Descriptor.open(
                path, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        } catch {
            throw TransferFailure(error)
        }
    }

    private static func length(of raw: Int32, _ path: String) throws(TransferFailure) -> UInt64 {
        var facts = stat()
        guard unsafe fstat(raw, &facts) == 0 else {
            throw TransferFailure(SystemError(call: "fstat", subject: path, code: errno))
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw TransferFailure(SystemError(call: "open", subject: path, code: EINVAL))
        }
        return UInt64(max(facts.st_size, 0))
    }

    /// Hashes up to 8 MiB of what was found, until `end`; true when it is done.
    mutating func rebuild(upTo end: UInt64) throws(TransferFailure) -> Bool {
        let goal = min(end, length + 8 << 20)
        var room = [UInt8](repeating: 0, count: 256 * 1024)
        while length < goal {
            let wanted = Int(min(UInt64(room.count), goal - length))
            let offset = off_t(length)
            let count = unsafe room.withUnsafeMutableBytes { buffer in
                unsafe pread(file.raw, buffer.baseAddress, wanted, offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw TransferFailure(
                    SystemError(call: "pread", subject: path, code: count < 0 ? errno : EIO))
            }
            try hash(unsafe room.span.bytes.extracting(0..<count))
            length += UInt64(count)
        }
        guard length == end else { return false }
        try truncate(to: end)
        return true
    }

    /// Writes and hashes; nothing is kept of a portion that could not be written whole.
    ///
    /// `pwrite(2)`.
    mutating func append(_ bytes: RawSpan) throws(TransferFailure) {
        var written = 0
        while written < bytes.byteCount {
            let offset = off_t(length) + off_t(written)
            let rest = bytes.extracting(written..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe pwrite(file.raw, buffer.baseAddress, buffer.count, offset)
            }
            if count >= 0 {
                written += count
                continue
            }
            let code = errno
            guard code != EINTR else { continue }
            try? truncate(to: length)
            throw TransferFailure(SystemError(call: "write", subject: path, code: code))
        }
        try hash(bytes)
        length += UInt64(bytes.byteCount)
    }

    /// Back to nothing.
    mutating func restart() throws(TransferFailure) {
        try truncate(to: 0)
        length = 0
        hasher = try PartialFile.newHasher()
    }

    /// The digest of everything in it.
    ///
    /// Only `restart` may follow.
    mutating func finishHash() throws(TransferFailure) -> [UInt8] {
        guard let finished = hasher.take() else {
            throw TransferFailure(DigestsError(code: .refused, subject: "hash finished twice"))
        }
        do throws(DigestsError) {
            return try finished.finalize()
        } catch {
            throw TransferFailure(error)
        }
    }

    /// Makes the bytes durable.
    ///
    /// `fdatasync(2)`.
    func sync() throws(TransferFailure) {
        guard fdatasync(file.raw) != 0 else { return }
        throw TransferFailure(SystemError(call: "fdatasync", subject: path, code: errno))
    }

    func remove() {
        unsafe _ = unlink(path)
    }

    private func truncate(to length: UInt64) throws(TransferFailure) {
        guard ftruncate(file.raw, off_t(length)) != 0 else { return }
        throw TransferFailure(SystemError(call: "ftruncate", subject: path, code: errno))
    }

    private mutating func hash(_ bytes: RawSpan) throws(TransferFailure) {
        do throws(DigestsError) {
            try hasher?.update(bytes)
        } catch {
            throw TransferFailure(error)
        }
    }

    private static func newHasher() throws(TransferFailure) -> SHA256Hasher {
        do throws(DigestsError) {
            return try SHA256Hasher()
        } catch {
            throw TransferFailure(error)
        }
    }
}
