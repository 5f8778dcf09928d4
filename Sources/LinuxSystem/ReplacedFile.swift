internal import Glibc

/// A small file that is read as a whole, replaced in one step, and changed by one process at a time.
///
/// It is where links lead, which stay. Root goes through no folder and no link of a user's.
/// `flock(2)`, `fsync(2)`, `renameat(2)`.
package struct ReplacedFile: ~Copyable {
    /// Absolute, without links.
    package let path: String
    private let folder: OwnedDescriptor
    private let name: String

    /// Finds the place of a file that may be missing.
    ///
    /// - Parameters:
    ///   - path: Absolute.
    ///   - newMode: Of folders that are missing and are made; nil to make none.
    /// - Throws: ``ReplacedFileError``; `ENOENT` for a folder that is missing and not made.
    package init(_ path: String, makingFolders newMode: UInt32?) throws(ReplacedFileError) {
        var walk: FolderWalk
        do throws(SystemError) {
            walk = try FolderWalk(path, making: newMode.map { mode_t($0) })
        } catch {
            throw .system(error)
        }
        name = try walk.name()
        self.path = walk.path(of: name)
        folder = walk.end()
    }

    /// Its bytes; nil when it is missing.
    ///
    /// - Throws: ``ReplacedFileError``; `EFBIG` for a file longer than `limit`.
    package func read(limit: Int) throws(ReplacedFileError) -> [UInt8]? {
        do throws(SystemError) {
            return try DescriptorIO.readRegular(
                name, limit: limit, flags: O_NOFOLLOW, in: folder.raw)
        } catch {
            if error.code == ENOENT { return nil }
            if error.isIrregularFile { throw .irregular(path: path) }
            throw named(error)
        }
    }

    /// Takes the lock that every change is made under.
    ///
    /// It is on a file of its own, since this one is replaced; only its owner can open it, so that
    /// nobody else can hold it.
    ///
    /// - Throws: ``ReplacedFileError``; `held` when somebody else has it for that long.
    package func lock(within bound: Duration) throws(ReplacedFileError) -> FileLock {
        let deadline = BootClock.now() + bound
        do throws(SystemError) {
            let file = try Descriptor.open(
                "\(name).lock", flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600, in: folder.raw)
            var isTaken = try FileLock.take(file.raw, "\(path).lock")
            while !isTaken, BootClock.now() < deadline {
                var nothing = PollSet()
                try nothing.wait(timeout: .milliseconds(5))
                isTaken = try FileLock.take(file.raw, "\(path).lock")
            }
            if isTaken { return FileLock(file: file) }
        } catch {
            throw named(error)
        }
        throw .held(path: path)
    }

    /// Puts a new file in the place of the old one.
    ///
    /// - Parameters:
    ///   - bytes: All that is in it.
    ///   - mode: Its permissions, whatever the umask.
    ///   - lock: What ``lock(within:)`` gave.
    /// - Throws: ``ReplacedFileError``; the old file is still there then.
    package func replace(
        with bytes: [UInt8], mode: UInt32, under lock: borrowing FileLock
    ) throws(ReplacedFileError) {
        let draft = "\(name).new"
        // Left by a process that ended while it had the lock.
        _ = unsafe unlinkat(folder.raw, draft, 0)
        do throws(SystemError) {
            let file = try Descriptor.open(
                draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, in: folder.raw)
            try DescriptorIO.writeAll(file.raw, bytes, subject: "\(path).new")
            try SystemError.checkErrno(fchmod(file.raw, mode_t(mode)), "fchmod", draft)
            try SystemError.checkErrno(fsync(file.raw), "fsync", draft)
            try SystemError.checkErrno(
                unsafe renameat(folder.raw, draft, folder.raw, name), "rename", path)
            let opened = try Descriptor.open(".", flags: O_RDONLY | O_DIRECTORY, in: folder.raw)
            try SystemError.checkErrno(fsync(opened.raw), "fsync", path)
        } catch {
            _ = unsafe unlinkat(folder.raw, draft, 0)
            throw named(error)
        }
    }

    /// Gives it another name in its folder; false when that cannot be done.
    package func rename(adding ending: String) -> Bool {
        unsafe renameat(folder.raw, name, folder.raw, "\(name)\(ending)") == 0
    }

    /// With the whole path for a name in the folder.
    private func named(_ error: SystemError) -> ReplacedFileError {
        let isName = !Paths.isAbsolute(error.subject)
        let whole = "\(Paths.folder(of: path))/\(error.subject)"
        return .system(
            SystemError(
                call: error.call, subject: isName ? whole : error.subject, code: error.code))
    }
}

/// The lock of a ``ReplacedFile``, held until it is dropped.
package struct FileLock: ~Copyable {
    private let file: OwnedDescriptor

    fileprivate init(file: consuming OwnedDescriptor) {
        self.file = file
    }

    /// False when somebody else has it.
    fileprivate static func take(_ raw: Int32, _ subject: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try Descriptor.lock(raw, subject: subject)
            return true
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return false
        }
    }
}
