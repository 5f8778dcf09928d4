package import DownloadScheduler

/// A record as a row, in both directions.
package enum RecordRow {
    private typealias Column = DownloadTable.Column

    /// The values of `record` in the order of ``DownloadTable/Column``.
    package static func values(of record: DownloadRecord) -> [SQLValue] {
        Column.allCases.map { value(of: record, $0) }
    }

    /// The record of the row that `row` stands on.
    ///
    /// - Throws: ``DownloadStoreError`` with `rowUnreadable`, naming row and column.
    package static func record(_ row: Statement) throws(DownloadStoreError) -> DownloadRecord {
        var reader = RowReader<Column>(row: row)
        let record = reader.record()
        if let fault = reader.fault ?? RecordBounds.fault(in: record) {
            let number = row.integer(Column.rowID.rawValue).map(String.init) ?? "?"
            throw DownloadStoreError(
                code: .rowUnreadable, subject: "row \(number), column \(fault)")
        }
        return record
    }

    static func optional(_ bytes: UInt64?) -> SQLValue {
        bytes.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    static func optional(_ number: Int?) -> SQLValue {
        number.map { .integer(Int64($0)) } ?? .null
    }

    static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    static func optional(_ digest: [UInt8]?) -> SQLValue { digest.map { .blob($0) } ?? .null }

    private static func value(of record: DownloadRecord, _ column: Column) -> SQLValue {
        switch column {
        case .rowID: .integer(record.rowID)
        case .app: .text(record.app)
        case .identifier: .text(record.identifier)
        case .uniqueIdentifier: .text(record.uniqueIdentifier)
        case .kind: .text(record.kind.rawValue)
        case .url: .text(record.url)
        case .mirrors: .text(record.mirrors.joined(separator: "\n"))
        case .headers:
            .text(record.headers.map { "\($0.name):\($0.value)" }.joined(separator: "\n"))
        case .sizeBytes: optional(record.sizeBytes)
        case .sha256: optional(record.sha256)
        case .isEssential: .integer(record.isEssential ? 1 : 0)
        case .allowsMetered: .integer(record.allowsMetered ? 1 : 0)
        case .priority: .integer(record.priority)
        case .groupIdentifier: .text(record.group)
        case .state: .text(record.state.rawValue)
        case .receivedBytes: optional(record.receivedBytes)
        case .totalBytes: optional(record.totalBytes)
        case .validatorKind: optional(record.validator?.kind.rawValue)
        case .validatorText: optional(record.validator?.text)
        case .validatorTotal: optional(record.validator?.total)
        case .finishedPath: optional(record.finishedPath)
        case .resultSha256: optional(record.resultSha256)
        case .errorDomain: optional(record.error?.domain.rawValue)
        case .errorCode: record.error.map { .integer(Int64($0.code)) } ?? .null
        case .errorHTTPStatus: record.error.map { .integer(Int64($0.httpStatus)) } ?? .null
        case .errorMessage: optional(record.error?.message)
        case .sequence: .integer(record.sequence)
        case .isDelivered: .integer(record.isDelivered ? 1 : 0)
        case .attempts: .integer(Int64(record.attempts))
        case .host: .text(record.host)
        case .downloadClass: .integer(record.downloadClass.rawValue)
        case .retries: .integer(Int64(record.retries))
        }
    }
}
