/// A request as it came, for tests to look at.
package struct FaultRequest: Hashable, Sendable {
    package let method: String
    /// Path and query as sent.
    package let path: String
    /// Names in lower case; of twins the last.
    package internal(set) var headers: [String: String]

    /// The value of a header, by its lower-case name.
    package func header(_ name: String) -> String? { headers[name] }

    /// The longest request that is read.
    static let maximumBytes = 64 * 1024

    /// Reads the text up to the empty line; nil when it is no request.
    init?(text: String) {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        method = String(words[0])
        path = String(words[1])
        var found: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            found[line[..<colon].lowercased()] = String(value)
        }
        headers = found
    }

    /// Of the `Host` that was asked.
    var port: String { headers["host"]?.split(separator: ":").last.map(String.init) ?? "" }

    /// N of `Range: bytes=N-`.
    var firstByte: Int? {
        guard let range = headers["range"], range.hasPrefix("bytes="), range.hasSuffix("-") else {
            return nil
        }
        return UInt32(range.dropFirst(6).dropLast()).map { Int($0) }
    }
}
