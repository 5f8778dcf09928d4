import DownloadScheduler
import DownloadStore
import LinuxSystem
import Testing

/// The rows of published files: made with the end of their download, and what becomes of them.
struct PublishedFileTests {
    private let scratch: ScratchFolder
    private let store: DownloadStore

    init() throws {
        scratch = try ScratchFolder()
        store = try DownloadStore(folder: scratch.path)
    }

    private var files: [PublishedFile] { get throws { try store.publishedFiles(container: "/c") } }

    /// Publishes a new download, with a stamp of its own.
    @discardableResult
    private func publish(
        _ identifier: String, container: String = "/c", replaced: FileStamp? = nil
    ) throws -> DownloadRecord {
        let record = try #require(try store.admit([.sample(identifier)]).first)
        let place = PublishedPlace(
            container: container, stamp: .sample(UInt64(record.rowID)), replaced: replaced,
            publishedAt: 100)
        let file = FinishedDownload.sample(
            record.rowID, path: "Downloads/\(identifier)", published: place)
        #expect(try store.commit([.finished(file)]) == [])
        return record
    }

    // MARK: - Publishing

    @Test func aFinishedDownloadLeavesTheRowOfItsFile() throws {
        let record = try #require(try store.admit([.sample("a")]).first)
        let stamp = FileStamp(
            device: .max, inode: .max - 1, sizeBytes: UInt64(Int64.max), modifiedNanoseconds: -5)
        let place = PublishedPlace(container: "/c", stamp: stamp, publishedAt: 100)
        let file = FinishedDownload.sample(record.rowID, path: "Downloads/ä", published: place)
        #expect(try store.commit([.finished(file)]) == [])
        var expected = PublishedFile(
            app: "app", identifier: "a", uniqueIdentifier: record.uniqueIdentifier,
            container: "/c", path: "Downloads/ä", stamp: stamp, publishedAt: 100, lastUsed: 100)
        expected.rowID = 1
        expected.sha256 = [UInt8](repeating: 9, count: 32)
        #expect(try files == [expected])
        #expect(try files.first?.stamp.device == .max)
        let found = try store.publishedFile(uniqueIdentifier: record.uniqueIdentifier)
        #expect(found == expected)
        #expect(try store.publishedFile(uniqueIdentifier: "none") == nil)
    }

    @Test func withoutAPlaceThereIsNoRow() throws {
        let record = try #require(try store.admit([.sample("a")]).first)
        #expect(try store.commit([.finished(.sample(record.rowID))]) == [])
        #expect(try files == [])
    }

    @Test func whatHadEndedLeavesNoRow() throws {
        let record = try #require(try store.admit([.sample("a")]).first)
        let place = PublishedPlace(container: "/c", stamp: .sample(1), publishedAt: 1)
        let changes: [StoreChange] = [
            .cancelled(record.rowID), .finished(.sample(record.rowID, published: place)),
        ]
        #expect(try store.commit(changes) == [1])
        #expect(try files == [])
    }

    @Test func theRowGoesWithTheFileThatWasReplaced() throws {
        try publish("a")
        try publish("a", container: "/other")
        try publish("b")
        // Row 4: in the place of the file of row 1.
        try publish("a", replaced: .sample(1))
        #expect(try files.map(\.rowID) == [3, 4])
        #expect(try store.publishedFiles(container: "/other").map(\.rowID) == [2])
    }

    /// Many file systems have another number after each mount.
    @Test func theReplacedFileIsKnownAfterItsFileSystemWasMountedAgain() throws {
        try publish("a")
        let old = FileStamp.sample(1)
        try publish("a", replaced: old.with(device: old.device + 1))
        #expect(try files.map(\.rowID) == [2])
    }

    @Test func theRowOfAFileThatWasMovedAwayStays() throws {
        try publish("a")
        try publish("a")
        #expect(try files.map(\.path) == ["Downloads/a", "Downloads/a"])
    }

    @Test func aFileThatOnlyLooksLikeTheReplacedOneKeepsItsRow() throws {
        try publish("a")
        let old = FileStamp.sample(1)
        try publish("c", replaced: old.with(sizeBytes: old.sizeBytes + 1))
        try publish("d", replaced: old.with(modifiedNanoseconds: old.modifiedNanoseconds + 1))
        #expect(try files.count == 3)
    }

    @Test func aRowRebuiltFromAForgedMarkDoesNotStopThePublication() throws {
        let record = try #require(try store.admit([.sample("a")]).first)
        let forged = PublishedFile.sample(record.uniqueIdentifier, path: "Library/forged")
        #expect(try store.changePublished([.rebuilt(forged)]) == [])
        let place = PublishedPlace(container: "/c", stamp: .sample(9), publishedAt: 1)
        let file = FinishedDownload.sample(
            record.rowID, sha256: [UInt8](0..<32), published: place)
        #expect(try store.commit([.finished(file)]) == [])
        #expect(try files.map(\.sha256) == [[UInt8](0..<32)])
        #expect(try files.map(\.stamp) == [.sample(9)])
    }

    @Test func whatBecomesOfTheDownloadDoesNotTouchTheFile() throws {
        let record = try publish("a")
        let before = try files
        _ = try store.commit([.delivered(record.rowID)])
        #expect(try files == before)
        _ = try store.admit([.sample("a")])
        #expect(try files == before)
    }

    // MARK: - Changes

    @Test func aPurgeBeginsOnceAndEndsOneWayOrTheOther() throws {
        for name in ["a", "b", "c"] { try publish(name) }
        #expect(try store.changePublished([.purging(1), .purging(3), .purging(1)]) == [2])
        #expect(try store.purgingFiles(container: "/c").map(\.rowID) == [1, 3])
        #expect(try store.purgingFiles(container: "/c", after: 1).map(\.rowID) == [3])
        #expect(try store.purgingFiles(container: "/other") == [])
        #expect(try files.map(\.isPurging) == [true, false, true])
        #expect(try store.changePublished([.back(1), .back(2), .forgotten(3)]) == [1])
        #expect(try store.purgingFiles(container: "/c") == [])
        #expect(try files.map(\.rowID) == [1, 2])
    }

    @Test func whatIsPinnedIsNotPurged() throws {
        try publish("a")
        #expect(try store.changePublished([.pinned(1, true), .purging(1)]) == [1])
        #expect(try files.first?.isPinned == true)
        #expect(try store.changePublished([.pinned(1, false), .purging(1)]) == [])
        #expect(try store.changePublished([.pinned(1, true)]) == [0])
    }

    @Test func whatHasNoRowIsLeftOut() throws {
        let changes: [PublishedChange] = [
            .purging(1), .back(1), .forgotten(1), .seen(1, path: "a", lastUsed: 1),
            .pinned(1, true),
        ]
        #expect(try store.changePublished(changes) == Array(changes.indices))
        #expect(try store.changePublished([]) == [])
    }

    @Test func aLostRowIsRebuiltOnceAndWhole() throws {
        var file = PublishedFile.sample("123E4567-E89B-12D3-A456-426614174000")
        file.rowID = 77
        file.isPinned = true
        file.sha256 = [UInt8](repeating: 1, count: 32)
        #expect(try store.changePublished([.rebuilt(file), .rebuilt(file)]) == [1])
        file.rowID = 1
        file.sha256 = nil
        #expect(try files == [file])
    }

    @Test func aRebuiltRowIsKeptWhereThereWasNoDatabase() throws {
        let fresh = try ScratchFolder()
        var store: DownloadStore? = try DownloadStore(
            folder: fresh.path, creation: .whenAdmitting)
        #expect(try store?.publishedFiles(container: "/c") == [])
        #expect(try store?.changePublished([.purging(1)]) == [0])
        #expect(store?.hasDatabase == false)
        let file = PublishedFile.sample("123E4567-E89B-12D3-A456-426614174000")
        #expect(try store?.changePublished([.rebuilt(file)]) == [])
        store = nil
        let next = try DownloadStore(folder: fresh.path)
        #expect(try next.publishedFiles(container: "/c").map(\.path) == [file.path])
    }

    // MARK: - Lists

    @Test func pagesOfAContainerJoin() throws {
        for number in 0..<10 { try publish("\(number)", container: number % 2 == 0 ? "/c" : "/d") }
        var rows: [Int64] = []
        while true {
            let page = try store.publishedFiles(container: "/c", after: rows.last ?? 0, limit: 2)
            if page.isEmpty { break }
            rows += page.map(\.rowID)
        }
        #expect(rows == [1, 3, 5, 7, 9])
        #expect(try store.publishedFiles(container: "/c", limit: 0) == [])
    }

    /// No query looks at more rows than it hands out.
    @Test(arguments: [
        (0, "publishedFilesInContainer (container=? AND rowid>?)"),
        (1, "publishedFilesPurging (container=? AND rowid>?)"),
        (2, "publishedFilesByInode (inode=?)"), (3, "(uniqueIdentifier=?)"),
    ])
    func everyQueryIsASearch(query: Int, step: String) throws {
        let queries: [StaticString] = [
            """
            EXPLAIN QUERY PLAN
            SELECT * FROM publishedFiles WHERE container = ?1 AND rowID > ?2 ORDER BY rowID
            """,
            """
            EXPLAIN QUERY PLAN SELECT * FROM publishedFiles
            WHERE isPurging = 1 AND container = ?1 AND rowID > ?2 ORDER BY rowID
            """,
            """
            EXPLAIN QUERY PLAN
            DELETE FROM publishedFiles WHERE inode = ?1 AND +container = ?4
                AND sizeBytes = ?2 AND modifiedNanoseconds = ?3
            """,
            "EXPLAIN QUERY PLAN SELECT * FROM publishedFiles WHERE uniqueIdentifier = ?1",
        ]
        let plan = try scratch.plan(queries[query])
        #expect(plan.count == 1 && plan[0].hasSuffix(step), "\(plan)")
    }
}

extension FileStamp {
    /// A stamp unlike that of any other number.
    static func sample(_ number: UInt64) -> FileStamp {
        FileStamp(
            device: 1, inode: number, sizeBytes: 10,
            modifiedNanoseconds: 1_000_000_000 + Int64(number))
    }

    /// The same but for what is given.
    func with(
        device: UInt64? = nil, sizeBytes: UInt64? = nil, modifiedNanoseconds: Int64? = nil
    ) -> FileStamp {
        FileStamp(
            device: device ?? self.device, inode: inode, sizeBytes: sizeBytes ?? self.sizeBytes,
            modifiedNanoseconds: modifiedNanoseconds ?? self.modifiedNanoseconds)
    }
}

extension PublishedFile {
    /// A file in the container `/c`.
    static func sample(
        _ uniqueIdentifier: String, path: String = "Downloads/a"
    ) -> PublishedFile {
        PublishedFile(
            app: "app", identifier: "a", uniqueIdentifier: uniqueIdentifier, container: "/c",
            path: path, stamp: .sample(1), publishedAt: 3, lastUsed: 4)
    }
}
