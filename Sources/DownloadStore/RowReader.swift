internal import DownloadScheduler

/// Reads the columns of one row and remembers the first that is not what it must be.
struct RowReader<Column: RawRepresentable<Int32>> {
    let row: Statement
    /// The name of the first column that could not be read.
    private(set) var fault: String?

    init(row: Statement) {
        self.row = row
    }
}

extension RowReader where Column == DownloadTable.Column {
    /// The row as a record; worth something only while ``fault`` is nil.
    mutating func record() -> DownloadRecord {
        var record = DownloadRecord(
            app: text(.app), identifier: text(.identifier),
            uniqueIdentifier: text(.uniqueIdentifier), kind: word(.kind, .url), url: text(.url),
            group: text(.groupIdentifier))
        record.rowID = integer(.rowID)
        record.mirrors = lines(.mirrors)
        record.headers = headers()
        record.sizeBytes = optionalBytes(.sizeBytes)
        record.sha256 = optionalBlob(.sha256)
        record.isEssential = flag(.isEssential)
        record.allowsMetered = flag(.allowsMetered)
        record.priority = integer(.priority)
        record.state = word(.state, .created)
        record.receivedBytes = optionalBytes(.receivedBytes) ?? 0
        record.totalBytes = optionalBytes(.totalBytes)
        record.validator = validator()
        record.finishedPath = optionalText(.finishedPath)
        record.resultSha256 = optionalBlob(.resultSha256)
        record.error = failure()
        record.sequence = integer(.sequence)
        record.isDelivered = flag(.isDelivered)
        record.attempts = Int(clamping: integer(.attempts))
        record.host = text(.host)
        record.isForeground = integer(.downloadClass) == DownloadClass.foreground.rawValue
        if record.downloadClass.rawValue != integer(.downloadClass) { note(.downloadClass) }
        record.retries = Int(clamping: integer(.retries))
        return record
    }

    // MARK: - Compound values

    private mutating func validator() -> TransferValidator? {
        let text = optionalText(.validatorText)
        let total = optionalBytes(.validatorTotal)
        guard !row.isNull(Column.validatorKind.rawValue) else { return nil }
        let kind = word(.validatorKind, TransferValidator.Kind.strongETag)
        let validator = TransferValidator(kind: kind, text: text ?? "", total: total)
        if validator == nil { note(.validatorText) }
        return validator
    }

    private mutating func failure() -> DownloadFailure? {
        guard !row.isNull(Column.errorDomain.rawValue) else { return nil }
        return DownloadFailure(
            domain: word(.errorDomain, .bahost), code: int32(.errorCode),
            httpStatus: int32(.errorHTTPStatus), message: text(.errorMessage))
    }

    private mutating func headers() -> [DownloadRecord.Header] {
        var headers: [DownloadRecord.Header] = []
        for line in lines(.headers) {
            guard let colon = line.firstIndex(of: ":") else {
                note(.headers)
                continue
            }
            let value = line[line.index(after: colon)...]
            headers.append(.init(name: String(line[..<colon]), value: String(value)))
        }
        return headers
    }

    private mutating func lines(_ column: Column) -> [String] {
        let text = text(column)
        guard !text.isEmpty else { return [] }
        return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Single values.
extension RowReader {
    private mutating func note(_ column: Column) {
        if fault == nil { fault = "\(column)" }
    }

    mutating func integer(_ column: Column) -> Int64 {
        guard let value = row.integer(column.rawValue) else {
            note(column)
            return 0
        }
        return value
    }

    private mutating func int32(_ column: Column) -> Int32 {
        guard let value = Int32(exactly: integer(column)) else {
            note(column)
            return 0
        }
        return value
    }

    mutating func flag(_ column: Column) -> Bool {
        let value = integer(column)
        if value != 0 && value != 1 { note(column) }
        return value == 1
    }

    mutating func text(_ column: Column) -> String {
        guard let value = row.text(column.rawValue) else {
            note(column)
            return ""
        }
        return value
    }

    private mutating func word<Word: RawRepresentable<String>>(
        _ column: Column, _ otherwise: Word
    ) -> Word {
        guard let word = Word(rawValue: text(column)) else {
            note(column)
            return otherwise
        }
        return word
    }

    private mutating func optionalText(_ column: Column) -> String? {
        row.isNull(column.rawValue) ? nil : text(column)
    }

    mutating func bytes(_ column: Column) -> UInt64 {
        guard let bytes = UInt64(exactly: integer(column)) else {
            note(column)
            return 0
        }
        return bytes
    }

    private mutating func optionalBytes(_ column: Column) -> UInt64? {
        row.isNull(column.rawValue) ? nil : bytes(column)
    }

    mutating func optionalBlob(_ column: Column) -> [UInt8]? {
        guard !row.isNull(column.rawValue) else { return nil }
        guard let blob = row.blob(column.rawValue) else {
            note(column)
            return nil
        }
        return blob
    }
}
