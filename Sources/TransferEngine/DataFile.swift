internal import Glibc
internal import LinuxSystem
internal import Synchronization

/// The open file of a download, shared by the threads that write, hash and sync it.
final class DataFile: Sendable {
    let path: String
    /// Bytes that were in it when it was opened.
    let foundLength: UInt64
    /// The file system it is on.
    let device: UInt64
    private let file: OwnedDescriptor
    /// The kernel tells of a failed write-back only once.
    private let syncFailure = Mutex<TransferFailure?>(nil)

    /// Opens or creates the file; a link or anything but a regular file is refused.
    ///
    /// `open(2)`.
    init(path: String) throws(TransferFailure) {
        do throws(SystemError) {
            let opened = try Descriptor.open(
                path, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
            var facts = stat()
            try SystemError.checkErrno(unsafe fstat(opened.raw, &facts), "fstat", path)
            guard facts.st_mode & S_IFMT == S_IFREG else {
                throw SystemError(call: "open", subject: path, code: EINVAL)
            }
            foundLength = UInt64(max(facts.st_size, 0))
            device = UInt64(facts.st_dev)
            file = opened
            self.path = path
        } catch {
            throw TransferFailure(error)
        }
    }

    /// Writes all of `bytes`, or fails; how many were written then is not known.
    ///
    /// `pwrite(2)`.
    func write(_ bytes: RawSpan, at offset: UInt64) throws(TransferFailure) {
        var written = 0
        while written < bytes.byteCount {
            let place = off_t(offset) + off_t(written)
            let rest = bytes.extracting(written..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe pwrite(file.raw, buffer.baseAddress, buffer.count, place)
            }
            guard count < 0 else {
                written += count
                continue
            }
            let code = errno
            guard code != EINTR else { continue }
            throw TransferFailure(SystemError(call: "write", subject: path, code: code))
        }
    }

    /// Reads the `wanted` bytes from `offset` on to the front of `room`; fails where there are fewer.
    ///
    /// `pread(2)`.
    func read(
        _ wanted: Int, at offset: UInt64, into room: inout [UInt8]
    ) throws(TransferFailure) {
        var done = 0
        while done < wanted {
            let place = off_t(offset) + off_t(done)
            let part = done..<min(wanted, room.count)
            let count = unsafe room.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[part])
                return unsafe pread(file.raw, rest.baseAddress, rest.count, place)
            }
            let code = errno
            if count < 0, code == EINTR { continue }
            guard count > 0 else {
                throw TransferFailure(
                    SystemError(call: "pread", subject: path, code: count < 0 ? code : EIO))
            }
            done += count
        }
    }

    /// Has the file say which version it is of; false where nothing keeps that.
    func say(_ version: PartialVersion) -> Bool {
        FileMark.version.write(version.text, on: file.raw)
    }

    func forgetVersion() { FileMark.version.remove(from: file.raw) }

    /// `ftruncate(2)`.
    func truncate(to length: UInt64) throws(TransferFailure) {
        guard ftruncate(file.raw, off_t(length)) != 0 else { return }
        throw TransferFailure(SystemError(call: "ftruncate", subject: path, code: errno))
    }

    /// Lets the kernel begin to write a part, so that less is left for ``sync()``; a count of 0 means
    /// to the end.
    func startWriteBack(from offset: UInt64, count: UInt64) {
        DescriptorIO.startWriteBack(file.raw, from: offset, count: count)
    }

    /// Makes the bytes durable; once it has failed it fails always.
    ///
    /// `fdatasync(2)`.
    func sync() throws(TransferFailure) {
        try remembering { () throws(SystemError) in
            try SystemError.checkErrno(fdatasync(file.raw), "fdatasync", path)
        }
    }

    /// After a sync of the whole file system: whether all of this file was written.
    ///
    /// That sync tells of faults that nobody was told of before; this, of the file's own.
    func checkWritten() throws(TransferFailure) {
        try remembering { () throws(SystemError) in
            try DescriptorIO.finishWriteBack(file.raw, subject: path)
        }
    }

    /// Does what may fail once and then never again, unless it has failed before.
    private func remembering(
        _ work: () throws(SystemError) -> Void
    ) throws(TransferFailure) {
        let failure = syncFailure.withLock { earlier in
            if earlier == nil {
                do throws(SystemError) { try work() } catch { earlier = TransferFailure(error) }
            }
            return earlier
        }
        if let failure { throw failure }
    }

    /// Makes its whole file system durable; false where that failed, for whatever file.
    ///
    /// `syncfs(2)`.
    func syncFileSystem() -> Bool {
        (try? DescriptorIO.syncFileSystem(file.raw, subject: path)) != nil
    }

    /// Sets its time back, so that whoever writes to it later changes its stamp; nil where that
    /// cannot be done.
    func setBack() -> FileStamp? { FileStamp(settingBack: file.raw) }

    /// `unlink(2)`.
    func remove() {
        unsafe _ = unlink(path)
    }
}
