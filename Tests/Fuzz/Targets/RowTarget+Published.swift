package import DownloadStore
internal import LinuxSystem

/// A row of the table of published files.
extension RowTarget {
    private static let publishedQuery: StaticString = """
        SELECT
            iif(?1 = 2, CAST(?2 AS TEXT), iif(?1 = 3, CAST(?2 AS REAL), ?2)),
            iif(?3 = 2, CAST(?4 AS TEXT), iif(?3 = 3, CAST(?4 AS REAL), ?4)),
            iif(?5 = 2, CAST(?6 AS TEXT), iif(?5 = 3, CAST(?6 AS REAL), ?6)),
            iif(?7 = 2, CAST(?8 AS TEXT), iif(?7 = 3, CAST(?8 AS REAL), ?8)),
            iif(?9 = 2, CAST(?10 AS TEXT), iif(?9 = 3, CAST(?10 AS REAL), ?10)),
            iif(?11 = 2, CAST(?12 AS TEXT), iif(?11 = 3, CAST(?12 AS REAL), ?12)),
            iif(?13 = 2, CAST(?14 AS TEXT), iif(?13 = 3, CAST(?14 AS REAL), ?14)),
            iif(?15 = 2, CAST(?16 AS TEXT), iif(?15 = 3, CAST(?16 AS REAL), ?16)),
            iif(?17 = 2, CAST(?18 AS TEXT), iif(?17 = 3, CAST(?18 AS REAL), ?18)),
            iif(?19 = 2, CAST(?20 AS TEXT), iif(?19 = 3, CAST(?20 AS REAL), ?20)),
            iif(?21 = 2, CAST(?22 AS TEXT), iif(?21 = 3, CAST(?22 AS REAL), ?22)),
            iif(?23 = 2, CAST(?24 AS TEXT), iif(?23 = 3, CAST(?24 AS REAL), ?24)),
            iif(?25 = 2, CAST(?26 AS TEXT), iif(?25 = 3, CAST(?26 AS REAL), ?26)),
            iif(?27 = 2, CAST(?28 AS TEXT), iif(?27 = 3, CAST(?28 AS REAL), ?28)),
            iif(?29 = 2, CAST(?30 AS TEXT), iif(?29 = 3, CAST(?30 AS REAL), ?30))
        """

    static func checkPublishedFile(_ input: [UInt8]) throws(BrokenPromise) {
        let found: PublishedFile?
        do throws(DownloadStoreError) {
            found = try publishedFile(input)
        } catch {
            try expect(error.code == .rowUnreadable, "a published file is refused as \(error)")
            return try expectPrintable("\(error)", atMost: 256)
        }
        guard let found else { throw BrokenPromise("no row of a published file") }
        try expect(RecordBounds.fault(in: found) == nil, "a published file out of bounds")
        let again = PublishedRow.values(of: found).map { ($0, Kind.plain) }
        try expect(
            (try? read(again)) == found, "a published file reads differently the second time")
    }

    /// The published file that an input makes.
    package static func publishedFile(
        _ input: [UInt8]
    ) throws(DownloadStoreError) -> PublishedFile? {
        var reader = ValueReader(bytes: input[...])
        return try read(PublishedRow.values(of: goodFile).map { reader.next(otherwise: $0) })
    }

    private static func read(
        _ values: [(SQLValue, Kind)]
    ) throws(DownloadStoreError) -> PublishedFile? {
        // Nothing is ever stored there.
        let database = try Database(path: "/dev/null", patience: .zero)
        var file: PublishedFile?
        try database.each(publishedQuery, values.flatMap { [.integer($0.1.rawValue), $0.0] }) {
            (row) throws(DownloadStoreError) in file = try PublishedRow.file(row)
        }
        return file
    }

    private static var goodFile: PublishedFile {
        var file = PublishedFile(
            app: "org.example.game", identifier: "level-1",
            uniqueIdentifier: "123E4567-E89B-12D3-A456-426614174000", container: "/srv/game",
            path: "Downloads/level-1",
            stamp: FileStamp(
                device: 2_049, inode: 131_073, sizeBytes: 1_000, modifiedNanoseconds: 1_000_000_007),
            publishedAt: 1_700_000_000, lastUsed: 1_700_000_001)
        file.rowID = 7
        file.sha256 = [UInt8](repeating: 1, count: 32)
        return file
    }
}
