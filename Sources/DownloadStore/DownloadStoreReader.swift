package import DownloadScheduler
internal import Glibc

/// Reads the store in a folder that another host may hold.
///
/// Creates nothing and writes nothing; every call opens the database anew and closes it, so that
/// a host that ends meanwhile can tidy up. Not for a process that has a ``DownloadStore`` open on
/// the same folder.
///
/// While a host has the database open, or after one died, there is a log with an index, and SQLite
/// reads both under its locks without changing the index (`readonly_shm`). Without a log the file
/// is read as it lies there (`immutable`), and once more if a host came meanwhile. A log without an
/// index, which only a power cut leaves, is `needsHost`.
package struct DownloadStoreReader: Sendable {
    private let folder: String
    private let patience: Duration

    /// - Parameters:
    ///   - folder: the state folder.
    ///   - patience: how long another program's lock is waited out.
    /// - Throws: ``DownloadStoreError`` with `folderUnusable` when there is no such folder.
    package init(
        folder: String, patience: Duration = .seconds(5)
    ) throws(DownloadStoreError) {
        guard !folder.isEmpty, !folder.utf8.contains(0) else {
            throw DownloadStoreError(
                code: .folderUnusable, subject: "'\(folder)' is not a path")
        }
        var facts = stat()
        guard unsafe stat(folder, &facts) == 0 else { throw StateFolder.failure(folder) }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw DownloadStoreError(code: .folderUnusable, subject: "\(folder): not a folder")
        }
        self.folder = folder
        self.patience = patience
    }

    /// The process id of the host that holds the folder, or nil.
    ///
    /// - Throws: ``DownloadStoreError`` when its lock cannot be read.
    package func holder() throws(DownloadStoreError) -> Int32? {
        try StateFolder.holder(of: folder)
    }

    // MARK: - Reading

    /// Which downloads a page has.
    package struct Filter: Hashable, Sendable {
        /// Nil for those of every app.
        package var app: String?
        package var states: Set<DownloadState>

        package init(app: String? = nil, states: Set<DownloadState> = Set(DownloadState.allCases)) {
            self.app = app
            self.states = states
        }
    }

    /// Some downloads, by row.
    package struct Page: Hashable, Sendable {
        package fileprivate(set) var records: [DownloadRecord] = []

        /// Sentences on rows that could not be read, at most ``DownloadStore/noteLimit``.
        package fileprivate(set) var notes: [String] = []

        /// What the next page comes after; nil when there is none.
        package fileprivate(set) var next: Int64?
    }

    /// The downloads that pass `filter`, by age, after row `rowID`.
    ///
    /// - Parameters:
    ///   - filter: a page costs as much as the rows looked at, also those left out.
    ///   - rowID: ``Page/next`` of the page before, or nil for the first.
    ///   - limit: the most records; with none the page is the last.
    /// - Returns: the page; an empty one when there is no database yet.
    /// - Throws: ``DownloadStoreError``, also with `newerSchema`, `olderSchema` and `needsHost`.
    package func page(
        _ filter: Filter = Filter(), after rowID: Int64? = nil, limit: Int
    ) throws(DownloadStoreError) -> Page {
        guard limit > 0 else { return Page() }
        return try read(otherwise: Page()) { (database) throws(DownloadStoreError) in
            var page = Page()
            try database.rows(
                """
                SELECT * FROM downloads WHERE rowID > ?1 AND (?2 IS NULL OR app = ?2)
                ORDER BY rowID
                """, [.integer(rowID ?? .min), RecordRow.optional(filter.app)]
            ) { (row) throws(DownloadStoreError) in
                guard page.records.count < limit else {
                    page.next = page.records.last?.rowID
                    return false
                }
                try Self.add(row, to: &page, filter)
                return true
            }
            return page
        }
    }

    /// The download of row `rowID`, or nil.
    ///
    /// - Throws: ``DownloadStoreError``, also with `rowUnreadable`.
    package func record(rowID: Int64) throws(DownloadStoreError) -> DownloadRecord? {
        try read(otherwise: nil) { (database) throws(DownloadStoreError) in
            try DownloadTable.record(rowID, in: database)
        }
    }

    /// How many downloads are in each state, of one app or of all; a state without any is missing.
    ///
    /// - Throws: ``DownloadStoreError``.
    package func counts(app: String? = nil) throws(DownloadStoreError) -> [DownloadState: Int] {
        try read(otherwise: [:]) { (database) throws(DownloadStoreError) in
            try DownloadTable.counts(app: app, in: database)
        }
    }

    private static func add(
        _ row: Statement, to page: inout Page, _ filter: Filter
    ) throws(DownloadStoreError) {
        let word = row.text(DownloadTable.Column.state.rawValue) ?? ""
        if let state = DownloadState(rawValue: word), !filter.states.contains(state) { return }
        do {
            page.records.append(try RecordRow.record(row))
        } catch let error where error.code == .rowUnreadable {
            if page.notes.count < DownloadStore.noteLimit { page.notes.append("\(error)") }
        }
    }

    // MARK: - Opening

    /// What `body` makes of the database, or `otherwise` when there is none yet.
    func read<Result>(
        otherwise: Result, _ body: (Database) throws(DownloadStoreError) -> Result
    ) throws(DownloadStoreError) -> Result {
        var attempt = 1
        while true {
            let before = try files()
            guard before.database?.size ?? 0 > 0 else { return otherwise }
            let hasLog = before.log?.size ?? 0 > 0
            guard !hasLog || before.hasIndex else {
                // A host that ends removes the index first, and the log a moment later.
                usleep(Self.endingMicroseconds)
                guard attempt < Self.attempts, try files() != before else {
                    throw DownloadStoreError(code: .needsHost, subject: databasePath)
                }
                attempt += 1
                continue
            }
            do {
                let result = try body(open(hasLog: hasLog))
                // A host that came or went meanwhile: what was read may be half old, half new.
                let after = try files()
                let isSame = hasLog || after == before
                if isSame || attempt == Self.attempts { return result }
            } catch {
                let after = try files()
                guard attempt < Self.attempts, after != before else { throw error }
            }
            attempt += 1
        }
    }

    private static let attempts = 5
    private static let endingMicroseconds: UInt32 = 10_000

    private func open(hasLog: Bool) throws(DownloadStoreError) -> Database {
        let database = try Database(reading: databasePath, hasLog: hasLog, patience: patience)
        try database.distrustFile()
        try database.run("PRAGMA temp_store = MEMORY")
        let (found, known) = (try DownloadSchema.version(of: database), DownloadSchema.current)
        guard found <= known else {
            throw DownloadStoreError(
                code: .newerSchema(found: found, known: known), subject: databasePath)
        }
        guard found < 1 || found == known else {
            throw DownloadStoreError(
                code: .olderSchema(found: found, known: known), subject: databasePath)
        }
        guard try DownloadTable.isPresent(in: database),
            try PublishedTable.isPresent(in: database)
        else {
            throw DownloadStoreError(
                code: .corrupt,
                subject: "\(databasePath): it does not hold the tables of downloads")
        }
        return database
    }

    private var databasePath: String { "\(folder)/\(StateFolder.databaseName)" }

    // MARK: - Watching

    /// Two marks that are equal say that nothing has changed between them.
    ///
    /// Sizes and times of the database and its log: no lock, no page is read. A file changed less
    /// than 50 ms ago may change again without its time moving, so that such a mark equals none.
    package struct ChangeMark: Hashable, Sendable {
        fileprivate struct File: Hashable, Sendable {
            let size: Int64
            let seconds: Int
            let nanoseconds: Int
        }

        fileprivate var database: File?
        fileprivate var log: File?
        fileprivate var hasIndex = false
        fileprivate var moment: Int?
    }

    /// - Throws: ``DownloadStoreError`` when the folder cannot be looked into.
    package func mark() throws(DownloadStoreError) -> ChangeMark {
        var mark = try files()
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let isFresh = [mark.database, mark.log].contains { file in
            guard let file else { return false }
            let seconds = Duration.seconds(now.tv_sec - file.seconds)
            return seconds + .nanoseconds(now.tv_nsec - file.nanoseconds) < .milliseconds(50)
        }
        if isFresh { mark.moment = now.tv_sec &* 1_000_000_000 &+ now.tv_nsec }
        return mark
    }

    private func files() throws(DownloadStoreError) -> ChangeMark {
        ChangeMark(
            database: try file(""), log: try file("-wal"), hasIndex: try file("-shm") != nil)
    }

    private func file(_ suffix: String) throws(DownloadStoreError) -> ChangeMark.File? {
        let path = databasePath + suffix
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else {
            if errno == ENOENT { return nil }
            throw StateFolder.failure(path)
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw DownloadStoreError(code: .folderUnusable, subject: "\(path): not a file")
        }
        return ChangeMark.File(
            size: Int64(facts.st_size), seconds: facts.st_mtim.tv_sec,
            nanoseconds: facts.st_mtim.tv_nsec)
    }
}
