internal import Glibc

/// The folder of the database, held by this host alone from opening to `deinit`.
///
/// The hold is `flock(2)` on `host.lock`, which the kernel ends with the last copy of the
/// descriptor, however the process ends; the file's text is the holder's process id, for messages.
/// It stays behind only after an unclean end.
final class StateFolder {
    static let lockName = "host.lock"
    static let databaseName = "downloads.sqlite"

    let path: String
    /// Whether the host before us ended without closing the store.
    let wasUnclean: Bool
    /// Whether somebody left a log beside the database; where nobody did, the file is all there is.
    let hadLog: Bool
    /// Set to true when the next opening need not look closely.
    var endsCleanly = false
    let ballast: Ballast
    private let folder: Int32
    private let lock: Int32

    /// Takes hold of the existing folder `path`.
    ///
    /// - Throws: ``DownloadStoreError`` with `heldByHost`, `noSpace` or `folderUnusable`.
    init(path: String) throws(DownloadStoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw DownloadStoreError(code: .folderUnusable, subject: "'\(path)' is not a path")
        }
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure(path) }
        let lockPath = "\(path)/\(Self.lockName)"
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let lock = unsafe openat(folder, Self.lockName, flags, 0o600)
        guard lock >= 0 else {
            let error = Self.failure(lockPath)
            close(folder)
            throw error
        }
        let ballast = Ballast(folder: folder)
        do {
            try Self.take(lock, lockPath)
            wasUnclean = Self.holder(lock) != nil
            // On a full disk there is no room for a number either.
            try ballast.makingRoom { () throws(DownloadStoreError) in
                try Self.sign(lock, lockPath)
            }
        } catch {
            close(lock)
            close(folder)
            throw error
        }
        var log = stat()
        let logName = "\(Self.databaseName)-wal"
        hadLog = unsafe fstatat(folder, logName, &log, AT_SYMLINK_NOFOLLOW) == 0 && log.st_size > 0
        self.path = path
        self.folder = folder
        self.lock = lock
        self.ballast = ballast
    }

    deinit {
        if endsCleanly { ftruncate(lock, 0) }
        close(lock)
        close(folder)
    }

    var databasePath: String { "\(path)/\(Self.databaseName)" }

    /// Whether `number` says that the disk, a quota or a file size limit is used up.
    static func isFull(_ number: Int32) -> Bool {
        number == ENOSPC || number == EDQUOT || number == EFBIG
    }

    // MARK: - The lock

    private static func take(_ lock: Int32, _ path: String) throws(DownloadStoreError) {
        // A holder writes its number right after taking the lock, and whoever looks for a holder
        // has the lock for an instant: 20 × 5 ms are ample for the one, 4 for the other.
        for attempt in 1...20 {
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure(path) }
            if attempt >= 4, let pid = holder(lock) {
                throw DownloadStoreError(code: .heldByHost(pid: pid), subject: path)
            }
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            unsafe nanosleep(&pause, nil)
        }
        throw DownloadStoreError(code: .heldByHost(pid: 0), subject: path)
    }

    /// The process id of the host that holds the folder `path`, or nil.
    ///
    /// Writes nothing. Where the lock says a number, it is shared for an instant to tell a live
    /// holder from one that died.
    static func holder(of path: String) throws(DownloadStoreError) -> Int32? {
        let lockPath = "\(path)/\(lockName)"
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let lock = unsafe open(lockPath, flags)
        guard lock >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(lockPath)
        }
        defer { close(lock) }
        guard let pid = holder(lock) else { return nil }
        if flock(lock, LOCK_SH | LOCK_NB) == 0 { return nil }
        guard errno == EWOULDBLOCK else { throw failure(lockPath) }
        return pid
    }

    /// The process id written in the lock file, if there is one.
    private static func holder(_ lock: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(lock, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let digits = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
        return Int32(String(decoding: digits, as: UTF8.self))
    }

    private static func sign(_ lock: Int32, _ path: String) throws(DownloadStoreError) {
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(lock, 0) == 0, unsafe pwrite(lock, text, text.count, 0) == text.count
        else { throw failure(path) }
    }

    // MARK: - The database file

    /// What the first bytes of the database file say, before SQLite sees it.
    enum Header: Equatable {
        case absent

        /// A file of length 0: SQLite starts it.
        case empty
        case database(schema: Int32, size: Int64)
        case foreign
    }

    // SQLite's locks belong to the process and end when any descriptor of the file is closed
    // (https://sqlite.org/howtocorrupt.html §2.2): nothing below may run while it is open.

    /// Reads the header (`https://sqlite.org/fileformat2.html` §1.3) without changing anything.
    func databaseHeader() throws(DownloadStoreError) -> Header {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = unsafe openat(folder, Self.databaseName, flags)
        guard file >= 0 else {
            if errno == ENOENT { return .absent }
            throw Self.failure(databasePath)
        }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else { throw Self.failure(databasePath) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw DownloadStoreError(code: .folderUnusable, subject: "\(databasePath): not a file")
        }
        guard facts.st_size > 0 else { return .empty }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw Self.failure(databasePath) }
        guard count == 100, bytes.starts(with: "SQLite format 3\0".utf8) else { return .foreign }
        let schema = bytes[60..<64].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return .database(schema: Int32(bitPattern: schema), size: Int64(facts.st_size))
    }

    /// Creates a missing database file so that only its owner can read it: headers hold secrets.
    ///
    /// SQLite gives its log the same mode.
    func makeDatabaseFile() throws(DownloadStoreError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = unsafe openat(folder, Self.databaseName, flags, 0o600)
        guard file >= 0 else { throw Self.failure(databasePath) }
        close(file)
    }

    /// Renames the database, its log with it, so that a fresh one can start.
    ///
    /// - Returns: the new name.
    func setDatabaseAside() throws(DownloadStoreError) -> String {
        let name = try freeName()
        // The log goes first: left alone, it would belong to the fresh database.
        try move("\(Self.databaseName)-wal", "\(name)-wal")
        unsafe unlinkat(folder, "\(Self.databaseName)-shm", 0)
        try move(Self.databaseName, name)
        guard fsync(folder) == 0 else { throw Self.failure(path) }
        return name
    }

    private func freeName() throws(DownloadStoreError) -> String {
        for number in 1...999 {
            let name = "\(Self.databaseName).corrupt-\(number)"
            if unsafe faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT {
                return name
            }
        }
        throw DownloadStoreError(
            code: .folderUnusable, subject: "\(path): 999 damaged databases lie there already")
    }

    private func move(_ name: String, _ newName: String) throws(DownloadStoreError) {
        guard unsafe renameat(folder, name, folder, newName) == 0 || errno == ENOENT else {
            throw Self.failure("\(path)/\(name)")
        }
    }

    static func failure(_ path: String) -> DownloadStoreError {
        let number = errno
        let code: DownloadStoreError.Code =
            isFull(number) ? .noSpace : number == EIO ? .inputOutput : .folderUnusable
        let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown"
        return DownloadStoreError(code: code, subject: "\(path): \(reason)", systemCode: number)
    }
}
