/// Turns header lines, one at a time, into a ``ResponseHead``; interim (1xx) answers are passed over.
package struct ResponseHeadParser: Sendable {
    /// The most bytes of header lines in one exchange, interim answers included.
    package static let maximumBytes = 64 * 1024

    package enum Step: Hashable, Sendable {
        case more
        case finished(ResponseHead)
        /// One sentence why the answer cannot be used.
        case unusable(String)
    }

    package init() {}

    private var head = ResponseHead(status: 0)
    private var isChunked = false
    private var isFinished = false
    private var seenBytes = 0

    /// Takes one line with its line end, as CURLOPT_HEADERFUNCTION(3) delivers it.
    ///
    /// What comes after the end of the final head (trailers) is ignored.
    package mutating func take(line: [UInt8]) -> Step {
        seenBytes += line.count
        guard seenBytes <= ResponseHeadParser.maximumBytes else {
            return .unusable("the answer's headers are longer than 64 KiB")
        }
        guard !isFinished else { return .more }
        let text = ResponseHeadParser.trim(String(decoding: line, as: UTF8.self))
        if text.hasPrefix("HTTP/") { return start(text) }
        guard text.isEmpty else { return field(text) }
        guard head.status >= 200 else { return .more }
        isFinished = true
        if isChunked { head.contentLength = nil }
        return .finished(head)
    }

    private mutating func start(_ text: String) -> Step {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[1].utf8.count == 3, let status = Decimal.parse(words[1])
        else {
            return .unusable("the answer's status line is not HTTP")
        }
        head = ResponseHead(status: Int32(status))
        isChunked = false
        return .more
    }

    private mutating func field(_ text: String) -> Step {
        guard let colon = text.firstIndex(of: ":") else { return .more }
        let value = ResponseHeadParser.trim(String(text[text.index(after: colon)...]))
        switch text[..<colon].lowercased() {
        case "content-length": return takeLength(value)
        case "content-range":
            head.contentRange =
                ContentRange(untrusted: value) ?? ContentRange(bounds: nil, total: nil)
        case "content-encoding": if value.lowercased() != "identity" { head.isEncoded = true }
        case "transfer-encoding": takeTransferCoding(value)
        default: takeFact(text[..<colon].lowercased(), value)
        }
        return .more
    }

    private mutating func takeFact(_ name: String, _ value: String) {
        switch name {
        case "etag": head.entityTag = EntityTag.isValid(value) ? value : nil
        case "last-modified":
            head.lastModifiedSeconds = HTTPDate.parse(value)
            head.lastModified = head.lastModifiedSeconds == nil ? nil : value
        case "date": head.dateSeconds = HTTPDate.parse(value)
        case "accept-ranges": head.acceptsRanges = value.lowercased() == "bytes"
        case "location": head.location = value
        case "retry-after":
            head.retryAfter =
                Decimal.parse(value).map { .seconds($0) } ?? HTTPDate.parse(value).map { .date($0) }
        default: break
        }
    }

    /// Two lengths that differ make the body's end a matter of opinion (RFC 9112 §6.3).
    private mutating func takeLength(_ value: String) -> Step {
        guard let length = Decimal.parse(value), head.contentLength ?? length == length else {
            return .unusable("the answer's Content-Length is not one number")
        }
        head.contentLength = length
        return .more
    }

    private mutating func takeTransferCoding(_ value: String) {
        for coding in value.lowercased().split(separator: ",") {
            switch ResponseHeadParser.trim(String(coding)) {
            case "chunked": isChunked = true
            case "identity", "": break
            default: head.isEncoded = true
            }
        }
    }

    private static func trim(_ text: String) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        guard let first = text.firstIndex(where: { !isBlank($0) }),
            let last = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(text[first...last])
    }
}

/// The form of an `ETag`.
///
/// RFC 9110 §8.8.3.
enum EntityTag {
    static func isValid(_ text: String) -> Bool {
        let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        return (2...512).contains(opaque.utf8.count) && opaque.hasPrefix("\"")
            && opaque.hasSuffix("\"")
            && opaque.dropFirst().dropLast().utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != 0x22
            }
    }
}
