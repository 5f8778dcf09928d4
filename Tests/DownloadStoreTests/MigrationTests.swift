import DownloadScheduler
import DownloadStore
import Foundation
import Testing

/// Databases of earlier schemas.
struct MigrationTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.withDatabase { try SchemaOne.make(in: $0) }
    }

    private func integer(_ sql: StaticString) throws -> Int64? {
        var value: Int64?
        try scratch.withDatabase { database in
            try database.each(sql) { (row) throws(DownloadStoreError) in value = row.integer(0) }
        }
        return value
    }

    /// Every value of the columns of schema 1, row by row.
    private func oldValues() throws -> [String] {
        var lines: [String] = []
        try scratch.withDatabase { database in
            try database.each(
                """
                SELECT quote(rowID) || quote(app) || quote(identifier) || quote(uniqueIdentifier)
                    || quote(kind) || quote(url) || quote(mirrors) || quote(headers)
                    || quote(sizeBytes) || quote(sha256) || quote(isEssential)
                    || quote(allowsMetered) || quote(priority) || quote(groupIdentifier)
                    || quote(state) || quote(receivedBytes) || quote(totalBytes)
                    || quote(validatorKind) || quote(validatorText) || quote(validatorTotal)
                    || quote(finishedPath) || quote(resultSha256) || quote(errorDomain)
                    || quote(errorCode) || quote(errorHTTPStatus) || quote(errorMessage)
                    || quote(sequence) || quote(isDelivered) || quote(attempts)
                FROM downloads ORDER BY rowID
                """
            ) { (row) throws(DownloadStoreError) in lines.append(row.text(0) ?? "") }
        }
        return lines
    }

    @Test func aDatabaseOfSchema1IsBroughtUpLosslessly() throws {
        let before = try oldValues()
        #expect(before.count == 7)
        try scratch.withStore { #expect($0.notes == []) }
        #expect(try oldValues() == before)
        #expect(try integer("PRAGMA user_version") == 3)
        #expect(try integer("SELECT seq FROM sqlite_sequence WHERE name = 'downloads'") == 40)
    }

    @Test func whatIsNewIsFilledIn() throws {
        try scratch.withStore { (store) throws in
            for (identifier, host) in SchemaOne.hosts {
                let app = identifier == "paused" ? "other" : "app"
                let record = try #require(try store.record(app: app, identifier: identifier))
                #expect(record.host == host)
                #expect(record.retries == 0)
                let isEssential = ["waiting", "finished"].contains(identifier)
                #expect(record.downloadClass == (isEssential ? .essential : .background))
            }
            #expect(try store.requeueInFlight() == 1)
            #expect(
                try store.window(
                    app: "app", downloadClass: .background, after: nil, limit: 9
                ).map(\.id) == [5, 3])
            #expect(try store.admit([.sample("new")]).map(\.rowID) == [41])
        }
    }

    @Test func aMigratedDatabaseIsAsAFreshOne() throws {
        try scratch.withStore { _ in }
        let fresh = try ScratchFolder()
        try fresh.withStore { _ in }
        #expect(try schema(of: scratch) == schema(of: fresh))
    }

    private func schema(of scratch: ScratchFolder) throws -> [String] {
        var lines: [String] = []
        try scratch.withDatabase { database in
            try database.each("SELECT sql FROM sqlite_schema ORDER BY name") {
                (row) throws(DownloadStoreError) in lines.append(row.text(0) ?? "")
            }
        }
        return lines
    }

    @Test func aMigrationWithoutRoomLeavesTheOldDatabase() async throws {
        try scratch.withDatabase { try SchemaOne.add(rows: 4900, to: $0) }
        let before = try oldValues()
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(77)) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            guard limitFileSize(64 * 1024) else { exit(1) }
            let error = storeError { _ = try DownloadStore(folder: path) }
            exit(error?.code == .noSpace ? 77 : 2)
        }
        #expect(try integer("PRAGMA user_version") == 1)
        #expect(try oldValues() == before)
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            #expect(try store.counts(app: "app")[.waiting] == 4901)
        }
    }

    @Test(arguments: 0..<3)
    func aTableThatIsNotOfSchema1IsSetAside(edit: Int) throws {
        let edits: [StaticString] = [
            "DROP TABLE downloads", "ALTER TABLE downloads RENAME COLUMN url TO link",
            "ALTER TABLE downloads ADD COLUMN host TEXT",
        ]
        try scratch.withDatabase { _ = try $0.run(edits[edit]) }
        try scratch.withStore { (store) throws in
            #expect(store.notes.first?.contains("it cannot be brought to schema 3") == true)
            #expect(try store.admit([.sample("a")]).count == 1)
        }
        #expect(try scratch.names().contains("downloads.sqlite.corrupt-1"))
    }
}
