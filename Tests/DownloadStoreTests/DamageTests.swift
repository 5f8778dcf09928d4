import DownloadScheduler
import DownloadStore
import Foundation
import Testing

struct DamageTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    /// Leaves a closed database with `count` rows.
    private func fill(_ count: Int) throws {
        try scratch.withStore { (store) throws in
            _ = try store.admit((0..<count).map { .sample("item \($0)") })
        }
    }

    /// Opens, expects one set-aside file of these bytes and an empty working store.
    private func expectSetAside(_ bytes: Data, number: Int = 1) throws {
        let name = "downloads.sqlite.corrupt-\(number)"
        try scratch.withStore { (store) throws in
            #expect(store.notes.count == 1)
            #expect(store.notes.first?.contains("set aside as \(name)") == true)
            #expect(try store.counts(app: "app") == [:])
            #expect(try store.admit([.sample("new")]).count == 1)
        }
        #expect(try scratch.read(name) == bytes)
        try scratch.withStore { (store) throws in #expect(store.notes == []) }
    }

    @Test func aFileThatIsNoDatabaseIsSetAside() throws {
        let bytes = Data("this is not a database, by any means at all".utf8)
        try scratch.write("downloads.sqlite", bytes)
        try expectSetAside(bytes)
    }

    @Test func aDatabaseOverwrittenInTheMiddleIsSetAside() throws {
        try fill(500)
        var bytes = try scratch.read("downloads.sqlite")
        let middle = bytes.count / 2
        bytes.replaceSubrange(middle..<middle + 8192, with: Data(repeating: 0xA5, count: 8192))
        try scratch.write("downloads.sqlite", bytes)
        try expectSetAside(bytes)
    }

    @Test(arguments: [1, 50, 99, 100, 4095, 4096, 40_000])
    func aTruncatedDatabaseIsSetAside(length: Int) throws {
        try fill(500)
        let bytes = try scratch.read("downloads.sqlite").prefix(length)
        try scratch.write("downloads.sqlite", Data(bytes))
        try expectSetAside(Data(bytes))
    }

    @Test func aSecondDamagedDatabaseGetsTheNextNumber() throws {
        for number in 1...2 {
            let bytes = Data("damage \(number)".utf8)
            try scratch.write("downloads.sqlite", bytes)
            try expectSetAside(bytes, number: number)
        }
    }

    @Test func aDatabaseOfSomebodyElseIsSetAside() throws {
        try scratch.withDatabase { _ = try $0.run("CREATE TABLE notes (text)") }
        let bytes = try scratch.read("downloads.sqlite")
        try scratch.withStore { (store) throws in
            #expect(store.notes.first?.contains("does not hold the table of downloads") == true)
        }
        // Only the journal mode in the header has changed.
        #expect(try scratch.read("downloads.sqlite.corrupt-1").count == bytes.count)
    }

    @Test func aLogOfADamagedDatabaseDoesNotReachTheFreshOne() throws {
        try scratch.write("downloads.sqlite", Data("damage".utf8))
        try scratch.write("downloads.sqlite-wal", Data("old log".utf8))
        try expectSetAside(Data("damage".utf8))
        #expect(try scratch.read("downloads.sqlite.corrupt-1-wal") == Data("old log".utf8))
    }

    /// A log has no name of its database in it: SQLite takes it for ours.
    ///
    /// What comes of it is a whole database, one or the other, or one set aside; never a mixture.
    @Test(arguments: [(500, 3), (3, 500)])
    func aLogOfAnotherDatabaseMakesNoMixture(own: Int, others: Int) throws {
        try fill(own)
        let other = try ScratchFolder()
        try other.withStore { (store) throws in
            _ = try store.admit((0..<others).map { .sample("other \($0)") })
            try FileManager.default.copyItem(
                atPath: other.file("downloads.sqlite-wal"),
                toPath: scratch.file("downloads.sqlite-wal"))
        }
        try scratch.withStore { (store) throws in
            let names = try store.unfinished(app: "app").map(\.identifier)
            let isOther = names.count == others && names.allSatisfy { $0.hasPrefix("other ") }
            #expect(isOther || (names.isEmpty && store.notes.count == 1), "\(names.count)")
            #expect(try store.admit([.sample("new")]).count == 1)
        }
    }

    @Test func aFileOfLengthZeroIsAFreshStart() throws {
        try scratch.write("downloads.sqlite", Data())
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            #expect(try store.admit([.sample("a")]).count == 1)
        }
    }

    @Test func aNewerSchemaIsLeftUntouched() throws {
        try fill(3)
        try scratch.withDatabase { _ = try $0.run("PRAGMA user_version = 4") }
        let bytes = try scratch.read("downloads.sqlite")
        let error = storeError { _ = try DownloadStore(folder: scratch.path) }
        #expect(error?.code == .newerSchema(found: 4, known: 3))
        #expect(error?.description.contains("has schema 4, this bahost knows up to 3") == true)
        #expect(try scratch.read("downloads.sqlite") == bytes)
        #expect(try scratch.names() == ["ballast", "downloads.sqlite", "host.lock"])
    }

    @Test func aNewerSchemaThatOnlyTheLogKnowsIsRefusedToo() throws {
        try fill(3)
        let copy = try ScratchFolder()
        try scratch.withDatabase { database in
            try database.run("PRAGMA user_version = 7")
            for name in ["downloads.sqlite", "downloads.sqlite-wal"] {
                try FileManager.default.copyItem(
                    atPath: scratch.file(name), toPath: copy.file(name))
            }
        }
        let error = storeError { _ = try DownloadStore(folder: copy.path) }
        #expect(error?.code == .newerSchema(found: 7, known: 3))
        var rows: Int64?
        try copy.withDatabase { database in
            try database.each("SELECT count(*) FROM downloads") {
                (row) throws(DownloadStoreError) in rows = row.integer(0)
            }
        }
        #expect(rows == 3)
    }

    @Test func damageMetWhileOpenIsNamedAndRemembered() throws {
        // More than the cache of 8 MiB, so that the rows are read from the file.
        try scratch.withStore { (store) throws in
            let long = String(repeating: "x", count: 8000)
            let records = (0..<1600).map { number in
                var record = DownloadRecord.sample("item \(number)")
                record.url = long
                return record
            }
            _ = try store.admit(records)
        }
        try scratch.withStore { (store) throws in
            let file = try #require(FileHandle(forUpdatingAtPath: scratch.databasePath))
            try file.seek(toOffset: 8192)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 12_000_000))
            try file.close()
            let error = storeError { _ = try store.unfinished(app: "app") }
            #expect(error?.code == .corrupt)
        }
        #expect(try !scratch.read("host.lock").isEmpty)
        try scratch.withStore { #expect($0.notes.count == 1) }
    }

    @Test func aRowThatCannotBeRightIsReportedAndLeftOut() throws {
        try fill(3)
        try scratch.withDatabase { database in
            try database.run("UPDATE downloads SET receivedBytes = -1 WHERE rowID = 1")
            try database.run(
                "UPDATE downloads SET identifier = CAST(x'FF' AS TEXT) WHERE rowID = 2")
        }
        try scratch.withStore { (store) throws in
            #expect(try store.unfinished(app: "app").map(\.rowID) == [3])
            #expect(try store.unfinished(app: "app").map(\.rowID) == [3])
            #expect(store.notes.count == 2)
            #expect(store.notes.contains { $0.hasSuffix("row 1, column receivedBytes") })
            #expect(store.notes.contains { $0.hasSuffix("row 2, column identifier") })
            let error = storeError { _ = try store.record(app: "app", identifier: "item 0") }
            #expect(error?.code == .rowUnreadable)
            #expect(try store.admit([.sample("item 0")]).map(\.rowID) == [4])
        }
    }

    @Test(arguments: 0..<16)
    func everyColumnIsChecked(edit: Int) throws {
        let edits: [StaticString] = [
            "UPDATE downloads SET kind = 'x'",
            "UPDATE downloads SET state = 'Waiting'",
            "UPDATE downloads SET isEssential = 2",
            "UPDATE downloads SET sha256 = x'00'",
            "UPDATE downloads SET validatorKind = 'strongETag'",
            "UPDATE downloads SET errorDomain = 'errno'",
            "UPDATE downloads SET headers = 'none'",
            "UPDATE downloads SET attempts = -1",
            "UPDATE downloads SET finishedPath = '../x'",
            "UPDATE downloads SET mirrors = char(10)",
            "UPDATE downloads SET uniqueIdentifier = ''",
            "UPDATE downloads SET sizeBytes = -5",
            "UPDATE downloads SET downloadClass = 3",
            "UPDATE downloads SET downloadClass = 1",
            "UPDATE downloads SET retries = -1",
            "UPDATE downloads SET host = char(10)",
        ]
        try fill(1)
        try scratch.withDatabase { _ = try $0.run(edits[edit]) }
        try scratch.withStore { (store) throws in
            let error = storeError { _ = try store.record(rowID: 1) }
            #expect(error?.code == .rowUnreadable, "\(edits[edit])")
        }
    }
}
