package import DownloadScheduler
package import DownloadStore

/// A row of the store that anybody may have edited, value after value in the order of the columns.
///
/// A value is a byte for its kind and what follows: 0 as in a good row, 1 null, 2 an integer of 8
/// bytes, 3 one of a single byte, 4 text, 5 a blob, both with a length of 2 bytes, 6 a real number
/// of 8 bytes; kinds count modulo 7, numbers start with their low byte. After the end of the input
/// every value is that of the good row. Each input is read twice: as the row of a download, and as that
/// of a published file.
package enum RowTarget {
    /// SQLite itself makes the values, of every type in every column; no table is touched.
    private static let query: StaticString = """
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
            iif(?29 = 2, CAST(?30 AS TEXT), iif(?29 = 3, CAST(?30 AS REAL), ?30)),
            iif(?31 = 2, CAST(?32 AS TEXT), iif(?31 = 3, CAST(?32 AS REAL), ?32)),
            iif(?33 = 2, CAST(?34 AS TEXT), iif(?33 = 3, CAST(?34 AS REAL), ?34)),
            iif(?35 = 2, CAST(?36 AS TEXT), iif(?35 = 3, CAST(?36 AS REAL), ?36)),
            iif(?37 = 2, CAST(?38 AS TEXT), iif(?37 = 3, CAST(?38 AS REAL), ?38)),
            iif(?39 = 2, CAST(?40 AS TEXT), iif(?39 = 3, CAST(?40 AS REAL), ?40)),
            iif(?41 = 2, CAST(?42 AS TEXT), iif(?41 = 3, CAST(?42 AS REAL), ?42)),
            iif(?43 = 2, CAST(?44 AS TEXT), iif(?43 = 3, CAST(?44 AS REAL), ?44)),
            iif(?45 = 2, CAST(?46 AS TEXT), iif(?45 = 3, CAST(?46 AS REAL), ?46)),
            iif(?47 = 2, CAST(?48 AS TEXT), iif(?47 = 3, CAST(?48 AS REAL), ?48)),
            iif(?49 = 2, CAST(?50 AS TEXT), iif(?49 = 3, CAST(?50 AS REAL), ?50)),
            iif(?51 = 2, CAST(?52 AS TEXT), iif(?51 = 3, CAST(?52 AS REAL), ?52)),
            iif(?53 = 2, CAST(?54 AS TEXT), iif(?53 = 3, CAST(?54 AS REAL), ?54)),
            iif(?55 = 2, CAST(?56 AS TEXT), iif(?55 = 3, CAST(?56 AS REAL), ?56)),
            iif(?57 = 2, CAST(?58 AS TEXT), iif(?57 = 3, CAST(?58 AS REAL), ?58)),
            iif(?59 = 2, CAST(?60 AS TEXT), iif(?59 = 3, CAST(?60 AS REAL), ?60)),
            iif(?61 = 2, CAST(?62 AS TEXT), iif(?61 = 3, CAST(?62 AS REAL), ?62)),
            iif(?63 = 2, CAST(?64 AS TEXT), iif(?63 = 3, CAST(?64 AS REAL), ?64))
        """

    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        try checkRecord(input)
        try checkPublishedFile(input)
    }

    private static func checkRecord(_ input: [UInt8]) throws(BrokenPromise) {
        let found: DownloadRecord?
        do throws(DownloadStoreError) {
            found = try record(input)
        } catch {
            try expect(error.code == .rowUnreadable, "a row is refused as \(error)")
            return try expectPrintable("\(error)", atMost: 256)
        }
        guard let found else { throw BrokenPromise("no row") }
        try expect(RecordBounds.fault(in: found) == nil, "a record out of bounds")
        let again = RecordRow.values(of: found).map { ($0, Kind.plain) }
        try expect((try? read(again)) == found, "a record reads differently the second time")
    }

    /// The record that an input makes.
    package static func record(
        _ input: [UInt8]
    ) throws(DownloadStoreError) -> DownloadRecord? {
        var reader = ValueReader(bytes: input[...])
        return try read(RecordRow.values(of: goodRecord).map { reader.next(otherwise: $0) })
    }

    /// How a value is bound: `iif` in the query makes texts that are no UTF-8, and reals.
    enum Kind: Int64 {
        case plain = 1
        case text, real
    }

    private static func read(
        _ values: [(SQLValue, Kind)]
    ) throws(DownloadStoreError) -> DownloadRecord? {
        // Nothing is ever stored there.
        let database = try Database(path: "/dev/null", patience: .zero)
        var record: DownloadRecord?
        try database.each(query, values.flatMap { [.integer($0.1.rawValue), $0.0] }) {
            (row) throws(DownloadStoreError) in record = try RecordRow.record(row)
        }
        return record
    }

    private static var goodRecord: DownloadRecord {
        var record = DownloadRecord(
            app: "org.example.game", identifier: "level-1",
            uniqueIdentifier: "123E4567-E89B-12D3-A456-426614174000", kind: .url,
            url: "https://cdn.example.org/level-1", group: "group.org.example.game")
        record.rowID = 7
        record.sequence = 7
        record.host = "cdn.example.org:443"
        record.mirrors = ["https://mirror.example.org/level-1"]
        record.headers = [.init(name: "Accept", value: "*/*")]
        record.sizeBytes = 1_000
        record.sha256 = [UInt8](repeating: 1, count: 32)
        record.receivedBytes = 10
        record.totalBytes = 1_000
        record.validator = TransferValidator(kind: .strongETag, text: "\"1\"", total: 1_000)
        record.error = DownloadFailure(domain: .http, code: 503, httpStatus: 503, message: "busy")
        return record
    }

    struct ValueReader {
        var bytes: ArraySlice<UInt8>

        mutating func next(otherwise good: SQLValue) -> (SQLValue, Kind) {
            guard let kind = bytes.popFirst() else { return (good, .plain) }
            switch kind % 7 {
            case 1: return (.null, .plain)
            case 2: return (.integer(Int64(bitPattern: number(8))), .plain)
            case 3: return (.integer(Int64(Int8(bitPattern: UInt8(number(1))))), .plain)
            case 4: return (.blob(take(Int(number(2)))), .text)
            case 5: return (.blob(take(Int(number(2)))), .plain)
            case 6: return (.integer(Int64(bitPattern: number(8))), .real)
            default: return (good, .plain)
            }
        }

        private mutating func number(_ length: Int) -> UInt64 {
            take(length).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }

        private mutating func take(_ length: Int) -> [UInt8] {
            defer { bytes = bytes.dropFirst(length) }
            return Array(bytes.prefix(length))
        }
    }
}
