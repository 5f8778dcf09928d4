internal import CSQLite

/// One SQLite connection and its prepared statements.
///
/// SQL is a literal of this program, always; every value goes in as a bound parameter. Not
/// thread-safe: one owner at a time.
@safe package final class Database {
    private let handle: OpaquePointer
    private let path: String
    /// By the address of the literal.
    private var statements: [UInt: Statement] = [:]
    /// Whether SQLite has met damage on this connection.
    private(set) var sawDamage = false

    /// Opens the database at `path`, creating it when missing.
    ///
    /// A foreign lock is waited out for `patience`.
    /// - Throws: ``DownloadStoreError``; damage usually shows only at the first statement.
    package convenience init(path: String, patience: Duration) throws(DownloadStoreError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        // A plain path: neither `:memory:` nor a URI.
        let name = path.hasPrefix("/") ? path : "./" + path
        try self.init(name: name, flags: flags, path: path, patience: patience)
    }

    /// Opens the database at `path`, which must be there, to read it and leave no trace.
    ///
    /// `https://sqlite.org/uri.html`. With a log the log's index must be there too; it is read as
    /// it is or, when nobody else has it open, made anew in memory. Without a log the database is
    /// read without locks, which is right only for as long as no log appears.
    /// - Throws: ``DownloadStoreError``.
    convenience init(
        reading path: String, hasLog: Bool, patience: Duration
    ) throws(DownloadStoreError) {
        let mode = hasLog ? "mode=ro&readonly_shm=1" : "mode=ro&immutable=1"
        try self.init(
            name: "file:\(Self.escape(path))?\(mode)",
            flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path: path, patience: patience)
    }

    private init(
        name: String, flags: Int32, path: String, patience: Duration
    ) throws(DownloadStoreError) {
        var opened: OpaquePointer?
        let result = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK, let opened = unsafe opened else {
            let error = unsafe Self.error(result, opened, path)
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        unsafe handle = opened
        self.path = path
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_timeout(handle, Self.milliseconds(patience))
    }

    /// `path` percent-encoded, all but letters, digits and `/._-`.
    private static func escape(_ path: String) -> String {
        var escaped = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                escaped.unicodeScalars.append(UnicodeScalar(byte))
            default: escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return escaped
    }

    deinit {
        statements = [:]
        // SAFETY: `handle` came from sqlite3_open_v2 and its statements are finalised.
        unsafe sqlite3_close_v2(handle)
    }

    /// The prepared form of `sql`, kept for the next time.
    package func statement(_ sql: StaticString) throws(DownloadStoreError) -> Statement {
        let key = UInt(bitPattern: unsafe sql.utf8Start)
        if let kept = statements[key] { return kept }
        var prepared: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            handle, sql.description, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard result == SQLITE_OK, let prepared = unsafe prepared else { throw failure(result) }
        let statement = unsafe Statement(handle: prepared)
        statements[key] = statement
        return statement
    }

    /// Runs `sql` to its end.
    ///
    /// - Returns: how many rows the last change touched.
    @discardableResult
    package func run(
        _ sql: StaticString, _ values: [SQLValue] = []
    ) throws(DownloadStoreError) -> Int {
        try each(sql, values) { (_) throws(DownloadStoreError) in }
        return Int(unsafe sqlite3_changes(handle))
    }

    /// Takes nothing in the file for granted, and maps no part of it.
    ///
    /// `https://sqlite.org/security.html`.
    func distrustFile() throws(DownloadStoreError) {
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA cell_size_check = ON")
        try run("PRAGMA mmap_size = 0")
    }

    /// The number that `sql` gives; 0 when it gives none.
    func integer(_ sql: StaticString) throws(DownloadStoreError) -> Int64 {
        var value: Int64?
        try each(sql) { (row) throws(DownloadStoreError) in value = row.integer(0) }
        return value ?? 0
    }

    /// Runs `sql` and hands over each row; the statement is valid during the call only.
    package func each(
        _ sql: StaticString, _ values: [SQLValue] = [],
        _ body: (Statement) throws(DownloadStoreError) -> Void
    ) throws(DownloadStoreError) {
        try rows(sql, values) { (row) throws(DownloadStoreError) in
            try body(row)
            return true
        }
    }

    /// Runs `sql` and hands over rows for as long as `body` wants another.
    package func rows(
        _ sql: StaticString, _ values: [SQLValue] = [],
        _ body: (Statement) throws(DownloadStoreError) -> Bool
    ) throws(DownloadStoreError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            let result = statement.bind(value, at: Int32(index + 1))
            guard result == SQLITE_OK else { throw failure(result) }
        }
        while true {
            let result = statement.step()
            if result == SQLITE_DONE { return }
            guard result == SQLITE_ROW else { throw failure(result) }
            guard try body(statement) else { return }
        }
    }

    /// Runs `body` in one write transaction: all of it is durable on return, or none of it.
    ///
    /// - Throws: what `body` throws, or the database's own error; then nothing is kept.
    package func transaction<Result>(
        _ body: () throws(DownloadStoreError) -> Result
    ) throws(DownloadStoreError) -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some errors have rolled back already; then there is nothing left to undo.
            if unsafe sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    // MARK: - Errors

    private func failure(_ result: Int32) -> DownloadStoreError {
        let error = unsafe Self.error(result, handle, path)
        if error.code == .corrupt { sawDamage = true }
        return error
    }

    /// Sorts a result code (`https://sqlite.org/rescode.html`); extended codes keep their primary
    /// code in the low byte.
    private static func error(
        _ result: Int32, _ handle: OpaquePointer?, _ path: String
    ) -> DownloadStoreError {
        let message = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) }
            .map { unsafe String(cString: $0) }
        let system = unsafe handle.map { unsafe systemCode(result, $0) } ?? 0
        let code: DownloadStoreError.Code =
            switch result & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .noSpace
            case SQLITE_IOERR: StateFolder.isFull(system) ? .noSpace : .inputOutput
            case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .folderUnusable
            case SQLITE_NOMEM: .outOfMemory
            default: .unexpected(result: result)
            }
        return DownloadStoreError(
            code: code, subject: "\(path): \(message ?? "no memory")",
            systemCode: system == 0 ? nil : system)
    }

    /// The errno value behind `result`, or 0.
    ///
    /// A failed commit leaves none in `sqlite3_system_errno` (seen with 3.40.1); the log file still
    /// knows it: `https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html`.
    private static func systemCode(_ result: Int32, _ handle: OpaquePointer) -> Int32 {
        var code = unsafe sqlite3_system_errno(handle)
        guard code == 0, result & 0xFF == SQLITE_IOERR else { return code }
        var log: UnsafeMutablePointer<sqlite3_file>?
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        // SAFETY: the file belongs to the connection; one that is not open has no methods.
        if let log = unsafe log, let methods = unsafe log.pointee.pMethods {
            unsafe _ = methods.pointee.xFileControl?(log, SQLITE_FCNTL_LAST_ERRNO, &code)
        }
        if code == 0 {
            unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &code)
        }
        return code
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        let parts = duration.components
        let whole = min(max(parts.seconds, 0), 86_400) * 1000
        return Int32(clamping: whole + parts.attoseconds / 1_000_000_000_000_000)
    }
}
