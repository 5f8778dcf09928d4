import DownloadScheduler
import DownloadStore
import Testing

/// A database of schema 2, from before the host took files back.
struct PublishedMigrationTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.withDatabase { try SchemaTwo.make(in: $0) }
    }

    private func lines(_ sql: StaticString, of scratch: ScratchFolder) throws -> [String] {
        var lines: [String] = []
        try scratch.withDatabase { database in
            try database.each(sql) { (row) throws(DownloadStoreError) in
                lines.append(row.text(0) ?? "")
            }
        }
        return lines
    }

    /// What the databases of both schemas hold of a download, as far as it may have been changed.
    private func downloads() throws -> [String] {
        try lines(
            """
            SELECT quote(rowID) || quote(app) || quote(identifier) || quote(uniqueIdentifier)
                || quote(url) || quote(headers) || quote(sizeBytes) || quote(sha256)
                || quote(state) || quote(receivedBytes) || quote(finishedPath)
                || quote(resultSha256) || quote(sequence) || quote(isDelivered) || quote(attempts)
                || quote(host) || quote(downloadClass) || quote(retries)
            FROM downloads ORDER BY rowID
            """, of: scratch)
    }

    @Test func downloadsStayAsTheyAreAndNoFileIsTakenForPublished() throws {
        let before = try downloads()
        #expect(before.count == 7)
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            #expect(try store.publishedFiles(container: "/c") == [])
            let created = try #require(try store.record(rowID: 3))
            #expect(created.downloadClass == .foreground)
            #expect(try store.record(rowID: 4)?.retries == 5)
        }
        #expect(try downloads() == before)
        let version: StaticString = "SELECT CAST(user_version AS TEXT) FROM pragma_user_version"
        #expect(try lines(version, of: scratch) == ["3"])
    }

    @Test func aDownloadOfThatTimeIsPublishedLikeAnyOther() throws {
        try scratch.withStore { (store) throws in
            let place = PublishedPlace(container: "/c", stamp: .sample(1), publishedAt: 1)
            #expect(try store.commit([.finished(.sample(5, published: place))]) == [])
            let file = try #require(try store.publishedFiles(container: "/c").first)
            #expect(file.identifier == "downloading")
            #expect(file.uniqueIdentifier == "123E4567-E89B-12D3-A456-426614174002")
            #expect(try store.admit([.sample("new")]).map(\.rowID) == [41])
        }
    }

    @Test func aMigratedDatabaseIsAsAFreshOne() throws {
        try scratch.withStore { _ in }
        let fresh = try ScratchFolder()
        try fresh.withStore { _ in }
        let schema: StaticString = "SELECT ifnull(sql, name) FROM sqlite_schema ORDER BY name"
        #expect(try lines(schema, of: scratch) == lines(schema, of: fresh))
    }

    @Test func aReaderNamesTheSchemaAndChangesNothing() throws {
        let reader = try DownloadStoreReader(folder: scratch.path)
        let error = storeError { _ = try reader.publishedFiles(container: nil, limit: 1) }
        #expect(error?.code == .olderSchema(found: 2, known: 3))
    }

    @Test func aTableOfThatNameThatIsNotOursIsSetAside() throws {
        try scratch.withDatabase { _ = try $0.run("CREATE TABLE publishedFiles (text)") }
        try scratch.withStore { (store) throws in
            #expect(store.notes.first?.contains("it cannot be brought to schema 3") == true)
        }
        #expect(try scratch.names().contains("downloads.sqlite.corrupt-1"))
    }
}
