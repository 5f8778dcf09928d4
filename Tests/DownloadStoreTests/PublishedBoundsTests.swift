import DownloadScheduler
import DownloadStore
import LinuxSystem
import Testing

/// What a row of a published file may hold, written or read.
struct PublishedBoundsTests {
    private static let uniqueIdentifier = "123E4567-E89B-12D3-A456-426614174000"
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    private func fault(_ change: (inout PublishedFile) -> Void) -> String? {
        var file = PublishedFile.sample(Self.uniqueIdentifier)
        change(&file)
        return RecordBounds.fault(in: file)
    }

    private func text(_ length: Int) -> String { String(repeating: "x", count: length) }

    @Test func aPlainFileIsInBounds() {
        #expect(fault { _ in } == nil)
    }

    @Test(arguments: [(0, false), (1, true), (255, true), (256, false)])
    func namesHave1To255Bytes(length: Int, fits: Bool) {
        #expect(fault { $0.app = text(length) } == (fits ? nil : "app"))
        #expect(fault { $0.identifier = text(length) } == (fits ? nil : "identifier"))
    }

    @Test(arguments: [
        ("/", true), ("/c", true), ("", false), ("c", false), ("./c", false), ("/a\u{0}", false),
        ("/\u{301}c", true), ("\u{600}/c", false),
    ])
    func aContainerIsAnAbsolutePath(path: String, fits: Bool) {
        #expect(fault { $0.container = path } == (fits ? nil : "container"))
    }

    @Test func pathsHaveUpTo4096Bytes() {
        #expect(fault { $0.container = "/" + text(4095) } == nil)
        #expect(fault { $0.container = "/" + text(4096) } == "container")
        #expect(fault { $0.path = text(4096) } == nil)
        #expect(fault { $0.path = text(4097) } == "path")
    }

    @Test(arguments: ["", "/a", "../a", "a/../b", "a//b", "a/", ".", "a\u{0}"])
    func aPathStaysInTheContainer(path: String) {
        #expect(fault { $0.path = path } == "path")
    }

    @Test func numbersHaveTheirBounds() {
        let end = RecordBounds.times.upperBound
        #expect(fault { $0.rowID = -1 } == "rowID")
        #expect(fault { $0.uniqueIdentifier = "x" } == "uniqueIdentifier")
        #expect(fault { $0.publishedAt = -1 } == "publishedAt")
        #expect(fault { $0.lastUsed = end + 1 } == "lastUsed")
        #expect(fault { $0.lastUsed = end } == nil)
        #expect(fault { $0.sha256 = [UInt8](repeating: 1, count: 32) } == nil)
        for count in [0, 31, 33] {
            #expect(fault { $0.sha256 = [UInt8](repeating: 1, count: count) } == "sha256")
        }
        #expect(fault { $0.stamp = $0.stamp.with(sizeBytes: UInt64(Int64.max)) } == nil)
        #expect(fault { $0.stamp = $0.stamp.with(sizeBytes: 1 << 63) } == "sizeBytes")
    }

    @Test(arguments: [(Int64.min, Int64(0)), (-1, 0), (5, 5), (.max, 253_402_300_799)])
    func anyTimeOfAFileIsCutToFit(time: Int64, kept: Int64) {
        let file = PublishedFile(
            app: "app", identifier: "a", uniqueIdentifier: Self.uniqueIdentifier, container: "/c",
            path: "a", stamp: .sample(1), publishedAt: time, lastUsed: time)
        #expect(file.publishedAt == kept)
        #expect(file.lastUsed == kept)
        let place = PublishedPlace(container: "/c", stamp: .sample(1), publishedAt: time)
        #expect(place.publishedAt == kept)
    }

    @Test func oneValueOutOfBoundsRefusesTheWholeBatch() throws {
        let store = try DownloadStore(folder: scratch.path)
        let good = PublishedFile.sample(Self.uniqueIdentifier)
        #expect(try store.changePublished([.rebuilt(good)]) == [])
        var bad = good
        bad.app = ""
        let seen = PublishedChange.seen(1, path: "../x", lastUsed: 1)
        for (change, subject) in [(PublishedChange.rebuilt(bad), "app"), (seen, "path '../x'")] {
            let error = storeError { _ = try store.changePublished([.forgotten(1), change]) }
            #expect(error?.code == .invalidRecord)
            #expect(error?.subject == "\(subject) of change 1 of published files")
        }
        #expect(try store.publishedFiles(container: "/c").count == 1)
    }

    @Test func aPublicationOutOfBoundsFinishesNothing() throws {
        let store = try DownloadStore(folder: scratch.path)
        let row = try #require(try store.admit([.sample("a")]).first).rowID
        let places = [
            PublishedPlace(container: "c", stamp: .sample(1), publishedAt: 1),
            PublishedPlace(
                container: "/c", stamp: .sample(1).with(sizeBytes: .max), publishedAt: 1),
        ]
        for place in places {
            let error = storeError {
                _ = try store.commit([.finished(.sample(row, published: place))])
            }
            #expect(error?.code == .invalidRecord)
        }
        #expect(try store.record(rowID: row)?.state == .created)
    }

    // MARK: - Edited databases

    private func fill(_ count: Int) throws {
        try scratch.withStore { (store) throws in
            let records = try store.admit((0..<count).map { .sample("item \($0)") })
            let changes = records.map { record in
                StoreChange.finished(
                    .sample(
                        record.rowID,
                        published: PublishedPlace(
                            container: "/c", stamp: .sample(UInt64(record.rowID)), publishedAt: 1)))
            }
            #expect(try store.commit(changes) == [])
        }
    }

    @Test(arguments: 0..<16)
    func everyColumnIsChecked(edit: Int) throws {
        let edits: [(StaticString, String)] = [
            ("UPDATE publishedFiles SET app = ''", "app"),
            ("UPDATE publishedFiles SET identifier = CAST(x'FF' AS TEXT)", "identifier"),
            ("UPDATE publishedFiles SET uniqueIdentifier = 'x'", "uniqueIdentifier"),
            ("UPDATE publishedFiles SET path = '../x'", "path"),
            ("UPDATE publishedFiles SET path = CAST(x'FF' AS TEXT)", "path"),
            ("UPDATE publishedFiles SET sizeBytes = -1", "sizeBytes"),
            ("UPDATE publishedFiles SET publishedAt = -1", "publishedAt"),
            ("UPDATE publishedFiles SET publishedAt = 9223372036854775807", "publishedAt"),
            ("UPDATE publishedFiles SET lastUsed = -9223372036854775808", "lastUsed"),
            ("UPDATE publishedFiles SET isPinned = 2", "isPinned"),
            ("UPDATE publishedFiles SET isPurging = -1", "isPurging"),
            ("UPDATE publishedFiles SET container = container || char(0) || 'x'", "container"),
            ("UPDATE publishedFiles SET container = 'c'", "container"),
            ("UPDATE publishedFiles SET sha256 = zeroblob(31)", "sha256"),
            ("UPDATE publishedFiles SET sha256 = x''", "sha256"),
            ("UPDATE publishedFiles SET sha256 = zeroblob(33)", "sha256"),
        ]
        try fill(1)
        let record = try scratch.withStore { try $0.record(rowID: 1) }
        let name = try #require(record).uniqueIdentifier
        try scratch.withDatabase { _ = try $0.run(edits[edit].0) }
        let reader = try DownloadStoreReader(folder: scratch.path)
        let page = try reader.publishedFiles(container: nil, limit: 9)
        #expect(page.files == [])
        #expect(page.notes.count == 1)
        #expect(page.notes[0].hasSuffix("published file 1, column \(edits[edit].1)"))
        guard edits[edit].1 != "uniqueIdentifier" else { return }
        try scratch.withStore { (store) throws in
            let error = storeError { _ = try store.publishedFile(uniqueIdentifier: name) }
            #expect(error?.code == .rowUnreadable)
        }
    }

    @Test func aRowThatCannotBeRightIsNotedAndLeftOut() throws {
        try fill(4)
        try scratch.withDatabase { database in
            _ = try database.run("UPDATE publishedFiles SET isPinned = 7 WHERE rowID IN (1, 3)")
        }
        try scratch.withStore { (store) throws in
            // The page is full all the same.
            let page = try store.publishedFiles(container: "/c", limit: 2)
            #expect(page.map(\.rowID) == [2, 4])
            _ = try store.publishedFiles(container: "/c")
            #expect(store.notes.count == 2)
            #expect(store.notes.contains { $0.hasSuffix("published file 3, column isPinned") })
        }
    }

    @Test(arguments: 0..<2)
    func aDatabaseWithoutTheTableIsSetAside(edit: Int) throws {
        let edits: [StaticString] = [
            "DROP TABLE publishedFiles",
            "ALTER TABLE publishedFiles RENAME COLUMN path TO place",
        ]
        try fill(1)
        try scratch.withDatabase { _ = try $0.run(edits[edit]) }
        let reader = try DownloadStoreReader(folder: scratch.path)
        #expect(storeError { _ = try reader.counts() }?.code == .corrupt)
        try scratch.withStore { (store) throws in
            let note = "does not hold the table of published files"
            #expect(store.notes.first?.contains(note) == true)
        }
    }
}
