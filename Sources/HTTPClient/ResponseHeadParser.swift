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
    private var isMultipart = false
    private var awaitsStatus = true
    private var isFinished = false
    private var seenBytes = 0
    /// By name in lower case; nil once a second, different value has come.
    private var seen: [String: String?] = [:]

    /// Takes one line with its line end, as CURLOPT_HEADERFUNCTION(3) delivers it.
    ///
    /// What comes after the end of the final head (trailers) is ignored.
    package mutating func take(line: [UInt8]) -> Step {
        seenBytes += line.count
        guard seenBytes <= ResponseHeadParser.maximumBytes else {
            return .unusable("the answer's headers are longer than 64 KiB")
        }
        guard !isFinished else { return .more }
        let text = ResponseHeadParser.trim(String(decoding: line, as: UTF8.self)[...])
        // What goes on from the last line some readers join and others pass over (RFC 9112 §5.2).
        if let first = line.first, ResponseHeadParser.isBlank(first) {
            return .unusable("the answer has a folded header line")
        }
        if awaitsStatus { return start(text) }
        return text.isEmpty ? end() : field(text)
    }

    private mutating func start(_ text: String) -> Step {
        let words = text.split(separator: " ", maxSplits: 2)
        guard text.hasPrefix("HTTP/"), words.count >= 2, words[1].utf8.count == 3,
            let status = Decimal.parse(words[1])
        else {
            return .unusable("the answer's status line is not HTTP")
        }
        guard status != 101 else {
            return .unusable("the answer changes the protocol, and nobody asked for that")
        }
        head = ResponseHead(status: Int32(status))
        isChunked = false
        isMultipart = false
        awaitsStatus = false
        seen = [:]
        return .more
    }

    private mutating func end() -> Step {
        guard head.status >= 200 else {
            awaitsStatus = true
            return .more
        }
        isFinished = true
        if isChunked { head.contentLength = nil }
        // Its ranges stand inside the body, between the parts (RFC 9110 §15.3.7.2).
        if head.status == 206, isMultipart { head.contentRange = ContentRange.unreadable }
        return .finished(head)
    }

    /// A line without a name, or with a blank after it, is read differently elsewhere (RFC 9112 §5.1).
    private mutating func field(_ text: String) -> Step {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let last = text.utf8[..<colon].last, !ResponseHeadParser.isBlank(last)
        else { return .unusable("the answer has a header line without a name") }
        let name = text[..<colon].lowercased()
        let value = ResponseHeadParser.trim(text[text.utf8.index(after: colon)...])
        switch name {
        case "content-encoding": takeCodings(value, areOfTransfer: false)
        case "transfer-encoding": takeCodings(value, areOfTransfer: true)
        case "content-type":
            if value.lowercased().hasPrefix("multipart/byteranges") { isMultipart = true }
        case "content-length", "content-range", "location", "etag", "last-modified", "date",
            "retry-after":
            return takeOnce(name, value)
        default: break
        }
        return .more
    }

    /// Takes a header that may stand there once; of two that differ neither is believed.
    private mutating func takeOnce(_ name: String, _ value: String) -> Step {
        let isContradicted = seen[name].map { $0 != value } ?? false
        seen.updateValue(isContradicted ? nil : value, forKey: name)
        switch name {
        case "content-length": return takeLength(isContradicted ? "" : value)
        case "content-range":
            head.contentRange =
                (isContradicted ? nil : ContentRange(untrusted: value)) ?? .unreadable
        case "location":
            guard !isContradicted else { return .unusable("the answer leads to two places") }
            head.location = value.isEmpty ? nil : value
        default: takeFact(name, isContradicted ? "" : value)
        }
        return .more
    }

    /// An empty value is no fact.
    private mutating func takeFact(_ name: String, _ value: String) {
        switch name {
        case "etag": head.entityTag = EntityTag.isValid(value) ? value : nil
        case "last-modified":
            head.lastModifiedSeconds = HTTPDate.parse(value)
            head.lastModified = head.lastModifiedSeconds == nil ? nil : value
        case "date": head.dateSeconds = HTTPDate.parse(value)
        case "retry-after":
            head.retryAfter =
                Decimal.parseClamped(value).map { .seconds($0) }
                ?? HTTPDate.parse(value).map { .date($0) }
        default: break
        }
    }

    /// Two lengths that differ make the body's end a matter of opinion (RFC 9112 §6.3).
    private mutating func takeLength(_ value: String) -> Step {
        guard let length = Decimal.parse(value) else {
            return .unusable("the answer's Content-Length is not one number")
        }
        head.contentLength = length
        return .more
    }

    /// An empty element of the list is none (RFC 9110 §5.6.1).
    private mutating func takeCodings(_ value: String, areOfTransfer: Bool) {
        for coding in value.lowercased().split(separator: ",") {
            switch ResponseHeadParser.trim(coding) {
            case "chunked" where areOfTransfer: isChunked = true
            case "identity", "": break
            default: head.isEncoded = true
            }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func trim(_ text: Substring) -> String {
        let isInk: (UInt8) -> Bool = { !isBlank($0) && $0 != 0x0A && $0 != 0x0D }
        guard let first = text.utf8.firstIndex(where: isInk),
            let last = text.utf8.lastIndex(where: isInk)
        else { return "" }
        return String(decoding: text.utf8[first...last], as: UTF8.self)
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
