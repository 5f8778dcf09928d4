internal import Conformance
internal import Glibc
internal import LinuxSystem

/// Where a JUnit report goes: beside an earlier one, which stays whole until the new one is.
///
/// A device, such as a terminal, is written itself. `open(2)`, `rename(2)`.
struct JUnitFile: ~Copyable {
    private let path: String

    /// Nil for a device.
    private let draft: String?
    private let file: OwnedDescriptor

    /// Finds out whether the report can be written, and never waits.
    ///
    /// - Parameter named: Absolute; a link is followed.
    /// - Throws: ``ConformanceError`` of `noRoom`.
    init(_ named: String) throws(ConformanceError) {
        let path = Paths.resolved(named) ?? named
        do throws(SystemError) {
            if let device = try JUnitFile.device(path) {
                file = device
                draft = nil
            } else {
                let draft = "\(path).\(getpid()).new"
                file = try Descriptor.open(
                    draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
                self.draft = draft
            }
        } catch {
            throw JUnitFile.fault("make", named, error)
        }
        self.path = path
    }

    deinit {
        if let draft { _ = unsafe unlink(draft) }
    }

    /// Puts the report in its place.
    ///
    /// - Throws: ``ConformanceError`` of `noRoom`; an earlier report is then as it was.
    func write(_ text: String) throws(ConformanceError) {
        do throws(SystemError) {
            try DescriptorIO.writeAll(file.raw, Array(text.utf8), subject: path)
            guard let draft else { return }
            try SystemError.checkErrno(unsafe rename(draft, path), "rename", path)
        } catch {
            throw JUnitFile.fault("write", path, error)
        }
    }

    /// Nil for a regular file, or none yet.
    private static func device(_ path: String) throws(SystemError) -> OwnedDescriptor? {
        let file: OwnedDescriptor
        do throws(SystemError) {
            file = try Descriptor.open(path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        var status = stat()
        try SystemError.checkErrno(unsafe fstat(file.raw, &status), "fstat", path)
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFCHR: return file
        default: throw SystemError(call: "open", subject: path, code: ENXIO)
        }
    }

    private static func fault(
        _ verb: String, _ path: String, _ error: SystemError
    ) -> ConformanceError {
        // What open(2) says of a FIFO that nobody reads, and of a socket.
        let why =
            error.code == ENXIO
            ? "it is no regular file" : SystemError.message(for: error.code)
        return ConformanceError(.noRoom, "--junit: cannot \(verb) \(path): \(why)")
    }
}
