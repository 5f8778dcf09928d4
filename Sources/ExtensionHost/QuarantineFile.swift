internal import Glibc
package import LinuxSystem

/// The file that keeps a ``LoadQuarantine`` between runs: bounded, replaced as a whole.
package struct QuarantineFile: Hashable, Sendable {
    /// Absolute.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// What a reading found, and what a person should know of it.
    package struct Reading: Hashable, Sendable {
        package var quarantine = LoadQuarantine()

        /// One sentence without a full stop.
        package var note: String?
    }

    /// Reads it; a file that is none is set aside under another name, and what was in it is
    /// forgotten.
    ///
    /// A missing file is an empty quarantine.
    package func read() -> Reading {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try Descriptor.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
            bytes = try DescriptorIO.readAll(
                file.raw, limit: LoadQuarantine.byteBound, subject: path)
        } catch {
            if error.code == ENOENT { return Reading() }
            guard error.code == EFBIG else {
                return Reading(note: "the quarantine is not read: \(error)")
            }
            return setAside("it is too long")
        }
        do throws(QuarantineDamage) {
            return Reading(quarantine: try LoadQuarantine(untrusted: bytes))
        } catch {
            return setAside("line \(error.line) of it is damaged")
        }
    }

    private func setAside(_ why: String) -> Reading {
        let place = "\(path).damaged"
        guard unsafe rename(path, place) == 0 else {
            return Reading(note: "the quarantine \(path) is ignored: \(why)")
        }
        return Reading(note: "the quarantine \(path) is set aside as \(place): \(why)")
    }

    /// Changes what is stored, reading it anew first, so that two hosts lose nothing of each other.
    ///
    /// - Parameter change: Made to what is there now.
    /// - Throws: ``SystemError`` with the path: the folder cannot be made or written, or another
    ///   host holds the lock for more than a second.
    package func update(_ change: (inout LoadQuarantine) -> Void) throws(SystemError) {
        try makeFolder(Paths.folder(of: path))
        let lock = try Descriptor.open(
            "\(path).lock", flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        try wait(for: lock.raw)
        let before = read().quarantine
        var after = before
        change(&after)
        guard after != before else { return }
        try replace(Array(after.text.utf8))
    }

    private func makeFolder(_ folder: String) throws(SystemError) {
        var done = ""
        for part in folder.split(separator: "/") {
            done += "/\(part)"
            guard unsafe mkdir(done, 0o700) != 0, errno != EEXIST else { continue }
            let code = errno
            // Whoever may not make it may still have it.
            guard unsafe access(done, X_OK) != 0 else { continue }
            throw SystemError(call: "mkdir", subject: done, code: code)
        }
    }

    private func wait(for lock: Int32) throws(SystemError) {
        let deadline = BootClock.now() + .seconds(1)
        while true {
            do throws(SystemError) {
                return try Descriptor.lock(lock, subject: "\(path).lock")
            } catch {
                guard error.code == EWOULDBLOCK, BootClock.now() < deadline else { throw error }
                var pause = PollSet()
                try pause.wait(timeout: .milliseconds(10))
            }
        }
    }

    /// `rename(2)` over the old one, after `fsync(2)`.
    private func replace(_ bytes: [UInt8]) throws(SystemError) {
        let place = "\(path).new"
        _ = unsafe unlink(place)
        let file = try Descriptor.open(
            place, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        try DescriptorIO.writeAll(file.raw, bytes, subject: place)
        try SystemError.checkErrno(fsync(file.raw), "fsync", place)
        try SystemError.checkErrno(unsafe rename(place, path), "rename", path)
    }
}
