internal import CSQLite

/// A value bound to a parameter.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// A prepared statement, and the row it stands on.
///
/// Column readers give nil when the value has another type, so that a row somebody edited cannot
/// trap; columns count from 0.
@safe package final class Statement {
    private let handle: OpaquePointer

    /// Takes over `handle`.
    @unsafe init(handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        // SAFETY: `handle` came from sqlite3_prepare_v3 and its connection is still open.
        unsafe sqlite3_finalize(handle)
    }

    /// Binds a copy of `value` to the parameter `index`, counted from 1.
    func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return unsafe sqlite3_bind_null(handle, index)
        case .integer(let number):
            return unsafe sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            var text = text
            return text.withUTF8 { bytes in
                guard let copy = unsafe Self.copy(UnsafeRawBufferPointer(bytes)) else {
                    return SQLITE_NOMEM
                }
                return unsafe sqlite3_bind_text64(
                    handle, index, copy.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
                    sqlite3_free, UInt8(SQLITE_UTF8))
            }
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBytes { bytes in
                guard let copy = unsafe Self.copy(bytes) else { return SQLITE_NOMEM }
                return unsafe sqlite3_bind_blob64(
                    handle, index, copy, UInt64(bytes.count), sqlite3_free)
            }
        }
    }

    func step() -> Int32 { unsafe sqlite3_step(handle) }

    /// Ends the run and forgets the values bound; an error was already reported by `step`.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    package var columnNames: [String] {
        let count = unsafe sqlite3_column_count(handle)
        return (0..<count).map { column in
            unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func integer(_ column: Int32) -> Int64? {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(handle, column)
    }

    /// The text of `column`, or nil when it is not text or not UTF-8.
    package func text(_ column: Int32) -> String? {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT else { return nil }
        guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        // SAFETY: SQLite keeps the bytes until the next step or reset; they are copied here.
        let bytes = unsafe UnsafeBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return unsafe String(validating: bytes, as: UTF8.self)
    }

    package func blob(_ column: Int32) -> [UInt8]? {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
        // SAFETY: as in `text`; an empty blob has no address.
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// A copy that SQLite frees; never of length 0, which would have no address.
    private static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard let copy = unsafe sqlite3_malloc64(UInt64(max(1, bytes.count))) else { return nil }
        if let start = bytes.baseAddress {
            unsafe copy.copyMemory(from: start, byteCount: bytes.count)
        }
        return unsafe copy
    }
}
