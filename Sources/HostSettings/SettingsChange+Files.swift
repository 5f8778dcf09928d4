internal import Glibc
internal import LinuxSystem

extension SettingsChange {
    /// A user's settings may hold the password of a proxy; everybody reads the system's.
    private var modes: (folder: mode_t, file: mode_t) {
        level == .user ? (0o700, 0o600) : (0o755, 0o644)
    }

    func makeFolders(_ folder: String) throws(SystemError) {
        var done = ""
        for part in folder.split(separator: "/") {
            done += "/\(part)"
            if unsafe mkdir(done, modes.folder) == 0 {
                // The umask may have taken rights that everybody needs.
                _ = unsafe chmod(done, modes.folder)
            } else {
                let code = errno
                guard unsafe access(done, F_OK) == 0 else {
                    throw SystemError(call: "mkdir", subject: done, code: code)
                }
            }
        }
    }

    /// Puts a new file in the place of the old one, in one step.
    func replace(
        _ path: String, in folder: String, with text: [UInt8], under lock: borrowing SettingsLock
    ) throws(SystemError) {
        let draft = "\(path).new"
        // Left by a process that ended while it had the lock.
        _ = unsafe unlink(draft)
        do throws(SystemError) {
            let file = try Descriptor.open(
                draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try DescriptorIO.writeAll(file.raw, text, subject: draft)
            try SystemError.checkErrno(fchmod(file.raw, modes.file), "fchmod", draft)
            try SystemError.checkErrno(fsync(file.raw), "fsync", draft)
            try SystemError.checkErrno(unsafe rename(draft, path), "rename", path)
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
        let opened = try Descriptor.open(folder, flags: O_RDONLY | O_DIRECTORY)
        try SystemError.checkErrno(fsync(opened.raw), "fsync", folder)
    }

    /// Root's file in a user's folder would lock the user out.
    func refuseForeign(_ folder: String) throws(HostSettingsError) {
        var place = folder
        var owner = stat()
        while unsafe stat(place, &owner) != 0, place != "/" { place = Paths.folder(of: place) }
        guard geteuid() == 0, owner.st_uid != 0 else { return }
        throw HostSettingsError(
            .cannotWrite, path: path,
            message: "\(place) belongs to user \(owner.st_uid): set it as that user")
    }
}

/// The lock of one settings file, held until it is dropped.
///
/// It is on a file of its own, since the settings file is replaced; only its owner can open it, so
/// that nobody else can hold it. `flock(2)`.
struct SettingsLock: ~Copyable {
    private let file: OwnedDescriptor

    /// Waits 5 s at most.
    ///
    /// - Throws: ``SystemError`` with EWOULDBLOCK of `flock` when somebody else holds it.
    static func take(beside path: String) throws(SystemError) -> SettingsLock {
        let name = "\(path).lock"
        let file = try Descriptor.open(name, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let deadline = BootClock.now() + .seconds(5)
        while true {
            do throws(SystemError) {
                try Descriptor.lock(file.raw, subject: name)
                break
            } catch {
                guard error.code == EWOULDBLOCK, BootClock.now() < deadline else { throw error }
            }
            var nothing = PollSet()
            try nothing.wait(timeout: .milliseconds(5))
        }
        return SettingsLock(file: file)
    }
}
