import DownloadScheduler
import DownloadStore
import Foundation
import Testing

/// Reading beside a host, after one and without one.
///
/// SQLite's locks belong to the process, so that where both sides matter the host is a child.
struct ReaderTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    private var reader: DownloadStoreReader {
        get throws { try DownloadStoreReader(folder: scratch.path) }
    }

    /// Names, sizes and times of everything in the folder.
    private func traces() throws -> [String] {
        try scratch.names().map { name in
            var facts = stat()
            guard unsafe stat(scratch.file(name), &facts) == 0 else { return name }
            return "\(name) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
        }
    }

    @Test func aFolderWithoutADatabaseHasNoDownloads() throws {
        #expect(try reader.page(limit: 9).records == [])
        #expect(try reader.counts() == [:])
        #expect(try reader.record(rowID: 1) == nil)
        #expect(try reader.holder() == nil)
        #expect(try scratch.names() == [])
        try scratch.write("downloads.sqlite", Data())
        #expect(try reader.page(limit: 9).records == [])
        #expect(try scratch.names() == ["downloads.sqlite"])
    }

    @Test func whatIsNoFolderIsRefused() throws {
        try scratch.write("file", Data("x".utf8))
        for path in ["", "a\u{0}b", scratch.file("none"), scratch.file("file")] {
            let error = storeError { _ = try DownloadStoreReader(folder: path) }
            #expect(error?.code == .folderUnusable)
        }
    }

    @Test func pagesOfAStoppedStoreJoinAndLeaveNoTrace() throws {
        let admitted = try scratch.withStore { store in
            let admitted = try store.admit(
                (0..<10).map { .sample("item \($0)", app: $0 % 2 == 0 ? "even" : "odd") })
            _ = try store.commit([.cancelled(1), .state(3, .downloading)])
            return admitted
        }
        let before = try traces()
        var rows: [Int64] = []
        var page = try reader.page(limit: 3)
        rows += page.records.map(\.rowID)
        while let next = page.next {
            page = try reader.page(after: next, limit: 3)
            rows += page.records.map(\.rowID)
        }
        #expect(rows == admitted.map(\.rowID))
        #expect(try reader.counts() == [.created: 8, .cancelled: 1, .downloading: 1])
        #expect(try reader.counts(app: "even") == [.created: 3, .cancelled: 1, .downloading: 1])
        let even = try reader.page(.init(app: "even", states: [.created]), limit: 9)
        #expect(even.records.map(\.rowID) == [5, 7, 9])
        #expect(even.next == nil)
        #expect(try reader.record(rowID: 5) == admitted[4])
        #expect(try traces() == before)
        #expect(try scratch.names() == ["ballast", "downloads.sqlite", "host.lock"])
    }

    @Test func publishedFilesAreReadBesideTheStore() throws {
        #expect(try reader.publishedFiles(container: nil, limit: 9).files == [])
        let files = try scratch.withStore { (store) throws in
            let rows = try store.admit((0..<6).map { .sample("item \($0)") }).map(\.rowID)
            _ = try store.commit(
                rows.map { row in
                    let place = PublishedPlace(
                        container: row % 2 == 0 ? "/even" : "/odd", stamp: .sample(UInt64(row)),
                        publishedAt: row)
                    return .finished(.sample(row, published: place))
                })
            return try store.publishedFiles(container: "/even")
        }
        let before = try traces()
        let all = try reader.publishedFiles(container: nil, limit: 6)
        #expect(all.files.map(\.rowID) == [1, 2, 3, 4, 5, 6])
        #expect(all.next == nil && all.notes == [])
        let first = try reader.publishedFiles(container: "/even", limit: 2)
        #expect(first.next == 4)
        let second = try reader.publishedFiles(container: "/even", after: first.next, limit: 2)
        #expect(second.next == nil)
        #expect(first.files + second.files == files)
        #expect(try reader.publishedFiles(container: "/", limit: 2).files == [])
        for limit in [0, -1, Int.min] {
            let empty = try reader.publishedFiles(container: nil, after: 1, limit: limit)
            #expect(empty.files == [] && empty.next == nil)
            #expect(try reader.page(after: 1, limit: limit).next == nil)
        }
        #expect(try traces() == before)
    }

    @Test func aPageAsLongAsTheListIsTheLast() throws {
        try scratch.withStore { _ = try $0.admit([.sample("a"), .sample("b")]) }
        #expect(try reader.page(limit: 2).next == nil)
        #expect(try reader.page(limit: 1).next == 1)
        #expect(try reader.page(limit: 0).records == [])
    }

    @Test func aRowThatCannotBeReadIsNotedAndLeftOut() throws {
        try scratch.withStore { _ = try $0.admit([.sample("a"), .sample("b")]) }
        try scratch.withDatabase { database in
            _ = try database.run("UPDATE downloads SET kind = 'x' WHERE rowID = 1")
        }
        let page = try reader.page(limit: 1)
        #expect(page.records.map(\.identifier) == ["b"])
        #expect(page.notes.count == 1)
        #expect(page.notes.first?.hasSuffix("row 1, column kind") == true)
        #expect(storeError { _ = try reader.record(rowID: 1) }?.code == .rowUnreadable)
    }

    @Test func otherSchemasAreNamedAndUntouched() throws {
        try scratch.withDatabase { try SchemaOne.make(in: $0) }
        let before = try traces()
        let older = storeError { _ = try reader.counts() }
        #expect(older?.code == .olderSchema(found: 1, known: 3))
        #expect(try traces() == before)
        try scratch.withDatabase { _ = try $0.run("PRAGMA user_version = 4") }
        let newer = storeError { _ = try reader.counts() }
        #expect(newer?.code == .newerSchema(found: 4, known: 3))
    }

    @Test(arguments: ["this is not a database", ""])
    func whatIsNotOursIsCorrupt(text: String) throws {
        if text.isEmpty {
            try scratch.withDatabase { _ = try $0.run("CREATE TABLE notes (text)") }
        } else {
            try scratch.write("downloads.sqlite", Data(text.utf8))
        }
        #expect(storeError { _ = try reader.counts() }?.code == .corrupt)
        #expect(try scratch.names() == ["downloads.sqlite"])
    }

    /// The child is the host; it dies at once, without closing anything, when it has what to show.
    @Test func afterAKilledHostEverythingItCommittedIsThere() async throws {
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try DownloadStore(folder: path)
            _ = try store.admit((0..<50).map { .sample("item \($0)") })
            _ = try store.commit([.cancelled(7)])
            kill(getpid(), SIGKILL)
        }
        #expect(try scratch.names().contains("downloads.sqlite-wal"))
        let before = try traces()
        #expect(try reader.counts() == [.created: 49, .cancelled: 1])
        #expect(try reader.holder() == nil)
        #expect(try traces() == before)
        try FileManager.default.removeItem(atPath: scratch.file("downloads.sqlite-shm"))
        #expect(storeError { _ = try reader.counts() }?.code == .needsHost)
        try scratch.withStore { (store) throws in
            #expect(try store.counts(app: "app") == [.created: 49, .cancelled: 1])
        }
        #expect(try reader.counts() == [.created: 49, .cancelled: 1])
    }

    /// The child reads all the while; this process is one host after the other.
    @Test func hostsThatComeAndGoAreNeverTakenForAPowerCut() async throws {
        try scratch.withStore { _ = try $0.admit([.sample("a")]) }
        let path = scratch.path
        let child = Task.detached {
            _ = await #expect(processExitsWith: .exitCode(77)) { [path = path as String] in
                let reader = try DownloadStoreReader(folder: path)
                for _ in 0..<100 {
                    let error = storeError { _ = try reader.counts() }
                    if error?.code == .needsHost { exit(1) }
                }
                exit(77)
            }
            try Data().write(to: URL(fileURLWithPath: "\(path)/over"))
        }
        var hosts = 0
        while try !scratch.names().contains("over") {
            hosts += 1
            try scratch.withStore { _ = try $0.commit([.state(1, .created, attempts: hosts)]) }
        }
        try await child.value
        #expect(hosts > 0)
    }

    /// The child reads; this process is the host.
    @Test func besideALiveHostItsCommitsAreSeenAndItsPidIsTold() async throws {
        let path = scratch.path
        let host = getpid()
        var store: DownloadStore? = try DownloadStore(folder: path)
        _ = try store?.admit([.sample("a"), .sample("b")])
        _ = try store?.commit([.cancelled(1)])
        let before = try traces()
        await #expect(processExitsWith: .exitCode(77)) {
            [path = path as String, host = host as Int32] in
            let reader = try DownloadStoreReader(folder: path)
            guard try reader.counts() == [.created: 1, .cancelled: 1] else { exit(1) }
            guard try reader.holder() == host else { exit(2) }
            let error = storeError { _ = try DownloadStore(folder: path) }
            exit(error?.code == .heldByHost(pid: host) ? 77 : 3)
        }
        #expect(try traces() == before)
        #expect(try store?.admit([.sample("c")]).count == 1)
        store = nil
        #expect(try scratch.names() == ["ballast", "downloads.sqlite", "host.lock"])
    }

    @Test func aStaleNumberInTheLockIsNoHolder() throws {
        try scratch.write("host.lock", Data("1\n".utf8))
        #expect(try reader.holder() == nil)
        try scratch.withStore { (_) throws in #expect(try reader.holder() == getpid()) }
        #expect(try reader.holder() == nil)
    }

    @Test func lookingForAHolderRefusesNobodyTheFolder() async throws {
        try scratch.write("host.lock", Data("1\n".utf8))
        let path = scratch.path
        let looking = Task.detached {
            while !Task.isCancelled { _ = try DownloadStoreReader(folder: path).holder() }
        }
        for _ in 0..<50 {
            try scratch.write("host.lock", Data("1\n".utf8))
            let error = storeError { _ = try DownloadStore(folder: path) }
            #expect(error == nil)
        }
        looking.cancel()
        _ = await looking.result
    }

    @Test func aMarkChangesWithEveryCommit() throws {
        try scratch.withStore { (store) throws in
            _ = try store.admit([.sample("a")])
            var marks: Set<DownloadStoreReader.ChangeMark> = [try reader.mark()]
            for number in 1...20 {
                _ = try store.commit([.state(1, .waiting, attempts: number)])
                #expect(try marks.insert(reader.mark()).inserted)
            }
        }
    }

    @Test func aMarkOfAQuietStoreStaysTheSame() throws {
        try scratch.withStore { _ = try $0.admit([.sample("a")]) }
        let past = timespec(tv_sec: 1_000_000, tv_nsec: 0)
        var times = [past, past]
        #expect(unsafe utimensat(AT_FDCWD, scratch.databasePath, &times, 0) == 0)
        let mark = try reader.mark()
        _ = try reader.page(limit: 9)
        #expect(try reader.mark() == mark)
    }

    @Test(.enabled(if: geteuid() != 0, "uid 0 may write to every folder"))
    func aFolderThatMayNotBeWrittenIsRead() throws {
        try scratch.withStore { _ = try $0.admit([.sample("a")]) }
        #expect(unsafe chmod(scratch.path, 0o500) == 0)
        defer { unsafe chmod(scratch.path, 0o700) }
        #expect(try reader.counts() == [.created: 1])
    }
}
