/// The durable list of downloads, in one SQLite database of one folder.
///
/// What a call has stored is on the disk when it returns (`synchronous=FULL`), and survives
/// `kill -9` and a power cut. One owner at a time; the folder belongs to one host at a time.
package final class DownloadStore {
    /// A database up to this size is checked at every opening; a larger one only after an unclean
    /// end or with a log left beside it, because the check reads all of it.
    package static let alwaysCheckedSize: Int64 = 1024 * 1024
    /// The most notes that are kept.
    package static let noteLimit = 100

    /// What the operator should know: a database set aside, rows that could not be read.
    package private(set) var notes: [String] = []
    private var notedRows: Set<String> = []
    /// Nil until the first download is admitted, where the folder holds no database.
    private(set) var opened: Database?
    private let patience: Duration
    // Declared after the database: the lock is let go last (see `deinit`).
    let folder: StateFolder

    /// When a folder without a database gets one.
    package enum Creation: Sendable {
        case atOnce

        /// With the first download that is admitted: until then there is nothing to keep.
        case whenAdmitting
    }

    /// Opens the store in the existing folder `folder`, or starts one there.
    ///
    /// A damaged database is renamed to `downloads.sqlite.corrupt-<n>` and a fresh one started;
    /// ``notes`` says so.
    ///
    /// - Parameters:
    ///   - path: the folder; never inside a container.
    ///   - patience: how long another program's lock on the database is waited out.
    ///   - creation: what throws then instead, ``admit(_:)``, throws the same.
    /// - Throws: ``DownloadStoreError`` with `heldByHost`, `newerSchema`, `folderUnusable`,
    ///   `busy`, `noSpace` or `inputOutput`.
    package init(
        folder path: String, patience: Duration = .seconds(5), creation: Creation = .atOnce
    ) throws(DownloadStoreError) {
        let folder = try StateFolder(path: path)
        self.patience = patience
        needsLook = folder.wasUnclean
        let header = try folder.databaseHeader()
        var damage: String?
        switch header {
        case .database(let schema, _) where schema > DownloadSchema.current:
            throw Self.newer(schema, folder)
        case .absent where creation == .whenAdmitting:
            self.folder = folder
            return
        case .foreign: damage = "not a database"
        case .absent, .empty, .database: break
        }
        if damage == nil {
            do {
                opened = try Self.open(folder, header, patience)
                self.folder = folder
                return
            } catch let error where error.code == .corrupt {
                damage = error.subject
            }
        }
        let name = try folder.setDatabaseAside()
        opened = try Self.open(folder, .empty, patience)
        self.folder = folder
        notes = ["damaged database set aside as \(name): \(damage ?? "")"]
    }

    deinit {
        folder.endsCleanly = !needsLook && !(opened?.sawDamage ?? false)
        guard opened != nil else { return }
        // Closed first: its log gives space back.
        opened = nil
        folder.ballast.make()
    }

    /// Whether the host before this one ended without closing the store, and nobody has held rows and
    /// files against each other since.
    package var wasUnclean: Bool { folder.wasUnclean }

    /// True when the next opening counts as one after an unclean end: until whoever opened this store
    /// after one has said that rows and files agree, and after a failure.
    package var needsLook = false

    /// False until the first download is admitted, where the folder holds no database.
    package var hasDatabase: Bool { opened != nil }

    /// The database, made if there is none yet.
    var database: Database {
        get throws(DownloadStoreError) {
            if let opened { return opened }
            let made = try Self.open(folder, .empty, patience)
            opened = made
            return made
        }
    }

    /// What is wanting of the ballast, in bytes.
    ///
    /// - Parameter device: Of a file system, as `stat(2)` has it.
    /// - Returns: 0 where the state folder is on another one, and without a database.
    package func missingBallastBytes(onDevice device: UInt64) -> UInt64 {
        opened != nil && folder.ballast.device == device ? folder.ballast.missingBytes : 0
    }

    /// Makes the ballast again that a full disk has cost, as far as there is room by now.
    ///
    /// Closing does so too. Without a database there is none.
    package func restoreBallast() {
        if opened != nil { folder.ballast.make() }
    }

    /// Adds a note about a row that could not be read, once per row.
    func note(unreadable error: DownloadStoreError) {
        guard notes.count < Self.noteLimit, notedRows.insert(error.subject).inserted else { return }
        notes.append("\(error)")
    }

    // MARK: - Opening

    private static func open(
        _ folder: StateFolder, _ header: StateFolder.Header, _ patience: Duration
    ) throws(DownloadStoreError) -> Database {
        let database = try folder.ballast.makingRoom { () throws(DownloadStoreError) in
            try openOnce(folder, header, patience)
        }
        folder.ballast.make()
        return database
    }

    private static func openOnce(
        _ folder: StateFolder, _ header: StateFolder.Header, _ patience: Duration
    ) throws(DownloadStoreError) -> Database {
        try folder.makeDatabaseFile()
        let database = try Database(path: folder.databasePath, patience: patience)
        try database.distrustFile()
        let schema = try DownloadSchema.version(of: database)
        guard schema <= DownloadSchema.current else { throw newer(schema, folder) }
        try database.run("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA journal_size_limit = 4194304")
        // 8 MiB of pages at most.
        try database.run("PRAGMA cache_size = -8192")
        if isCheckDue(folder, header) { try check(database, folder) }
        let isEmpty = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
        if schema > 0 || isEmpty { try migrate(database, from: schema, folder) }
        // Only now: the sorting of a migration may use a file.
        try database.run("PRAGMA temp_store = MEMORY")
        guard try DownloadTable.isPresent(in: database) else {
            throw damaged(folder, "it does not hold the table of downloads")
        }
        guard try PublishedTable.isPresent(in: database) else {
            throw damaged(folder, "it does not hold the table of published files")
        }
        return database
    }

    private static func migrate(
        _ database: Database, from schema: Int32, _ folder: StateFolder
    ) throws(DownloadStoreError) {
        do {
            try DownloadSchema.migrate(database, from: schema)
        } catch {
            // Nothing but a table that is not ours makes a step fail for its SQL.
            guard case .unexpected = error.code, schema > 0 else { throw error }
            throw damaged(folder, "it cannot be brought to schema \(DownloadSchema.current)")
        }
    }

    private static func isCheckDue(_ folder: StateFolder, _ header: StateFolder.Header) -> Bool {
        guard case .database(_, let size) = header else { return true }
        return folder.wasUnclean || folder.hadLog || size <= alwaysCheckedSize
    }

    private static func check(
        _ database: Database, _ folder: StateFolder
    ) throws(DownloadStoreError) {
        var answer = ""
        try database.each("PRAGMA quick_check(1)") { (row) throws(DownloadStoreError) in
            answer = row.text(0) ?? "unreadable"
        }
        guard answer == "ok" else { throw damaged(folder, answer) }
    }

    private static func newer(_ found: Int32, _ folder: StateFolder) -> DownloadStoreError {
        DownloadStoreError(
            code: .newerSchema(found: found, known: DownloadSchema.current),
            subject: folder.databasePath)
    }

    private static func damaged(_ folder: StateFolder, _ fact: String) -> DownloadStoreError {
        DownloadStoreError(code: .corrupt, subject: "\(folder.databasePath): \(fact)")
    }
}
