internal import Glibc

/// Measures the nesting of an XML property list, without understanding it.
///
/// Strict where a second reading of the same bytes would be possible: UTF-8 only, no internal
/// document type subset, only the elements that Apple's document type knows, no attribute but the
/// version of `plist`, and no key that is spelled in a roundabout way or stands twice. https://www.apple.com/DTDs/PropertyList-1.0.dtd
struct XMLPropertyListScan {
    private let bytes: [UInt8]
    private var index = 0
    /// The keys so far of each container that is open.
    private var keys: [Set<String>] = []
    /// Where the text of a key begins; nil outside of one.
    private var keyStart: Int?
    /// Elements and comments so far.
    private var count = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private static let containers: Set<String> = ["array", "dict"]
    private static let leaves: Set<String> = [
        "data", "date", "false", "integer", "key", "plist", "real", "string", "true",
    ]

    func check() throws(PropertyListScanError) {
        guard position(of: 0, from: 0) == nil, String(validating: bytes, as: UTF8.self) != nil
        else {
            throw .malformed("is neither a binary property list nor UTF-8 text")
        }
        var scan = self
        try scan.expectBeginning()
        while let start = scan.position(of: UInt8(ascii: "<"), from: scan.index) {
            scan.index = start
            try scan.takeMarkup()
        }
    }

    /// Anything that does not begin like XML would be read in the old text format.
    private mutating func expectBeginning() throws(PropertyListScanError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        while index < bytes.count, [9, 10, 13, 32].contains(bytes[index]) { index += 1 }
        guard ["<?xml", "<!DOCTYPE", "<!--", "<plist"].contains(where: hasPrefix) else {
            throw .malformed(
                "is not a property list: neither <?xml nor bplist00 begins it")
        }
    }

    /// The first place of a byte at or after `start`.
    ///
    /// `memchr(3)`: a list may be 16 MiB long.
    private func position(of byte: UInt8, from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        return unsafe bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return nil }
            // SAFETY: `start` is inside `all`, and only what follows it is looked at.
            let found = unsafe memchr(base + start, Int32(byte), all.count - start)
            return unsafe found.map { unsafe base.distance(to: UnsafeRawPointer($0)) }
        }
    }

    private mutating func takeMarkup() throws(PropertyListScanError) {
        if !hasPrefix("</") { count += 1 }
        guard count <= PropertyList.maximumValues else { throw .tooManyValues }
        try takeKey()
        if hasPrefix("<!--") {
            guard !hasPrefix("<!-->"), !hasPrefix("<!--->") else {
                throw .malformed("holds a malformed comment")
            }
            try skip(past: "-->", from: index + 4)
        } else if hasPrefix("<![CDATA[") {
            try skip(past: "]]>", from: index + 9)
        } else if hasPrefix("<?") {
            try takeInstruction()
        } else if hasPrefix("<!") {
            try takeDocumentType()
        } else {
            try takeTag(try text(upTo: ">"))
        }
    }

    /// Ends a key where the next markup begins, which must be its own end.
    private mutating func takeKey() throws(PropertyListScanError) {
        guard let start = keyStart else { return }
        keyStart = nil
        let key = String(decoding: bytes[start..<index], as: UTF8.self)
        guard hasPrefix("</key"), !key.contains("&#") else {
            throw .malformed("holds a key that is not plain text")
        }
        guard let last = keys.indices.last else { return }
        guard keys[last].insert(key).inserted else { throw .keyTwice }
    }

    private mutating func takeInstruction() throws(PropertyListScanError) {
        let start = index
        try skip(past: "?>", from: index + 2)
        let words = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        guard !words.contains("encoding") || words.contains("utf-8") else {
            throw .malformed("is not UTF-8: only that encoding is read")
        }
    }

    private mutating func takeDocumentType() throws(PropertyListScanError) {
        let words = try text(upTo: ">")
        guard !words.contains("[") else {
            throw .malformed("declares entities of its own, which is refused")
        }
    }

    /// `tag` is what stands between the angle brackets.
    private mutating func takeTag(_ tag: String) throws(PropertyListScanError) {
        let closes = tag.hasPrefix("/")
        let isEmpty = tag.hasSuffix("/")
        let inner = (closes ? tag.dropFirst() : tag[...]).dropLast(isEmpty ? 1 : 0)
        let words = inner.split(whereSeparator: \.isWhitespace)
        let name = String(words.first ?? "")
        guard words.count == 1 || name == "plist" else {
            throw .malformed("holds <\(XMLPropertyListScan.shown(tag))>, which has attributes")
        }
        if name == "key", !closes, !isEmpty { keyStart = index }
        if XMLPropertyListScan.leaves.contains(name) { return }
        guard XMLPropertyListScan.containers.contains(name) else {
            throw .malformed(
                "holds <\(XMLPropertyListScan.shown(tag))>, unknown in property lists")
        }
        if isEmpty { return }
        guard closes else {
            keys.append([])
            guard keys.count <= PropertyList.maximumDepth else { throw .tooDeep }
            return
        }
        guard keys.popLast() != nil else { throw .malformed("closes <\(name)> once too often") }
    }

    private mutating func text(upTo end: String) throws(PropertyListScanError) -> String {
        let start = index + 1
        try skip(past: end, from: start)
        return String(decoding: bytes[start..<(index - end.utf8.count)], as: UTF8.self)
    }

    private mutating func skip(past end: String, from: Int) throws(PropertyListScanError) {
        let wanted = Array(end.utf8)
        var at = from
        while let first = position(of: wanted[0], from: at) {
            if bytes[first...].starts(with: wanted) {
                index = first + wanted.count
                return
            }
            at = first + 1
        }
        throw .malformed("ends in the middle of a tag or comment")
    }

    private func hasPrefix(_ text: String) -> Bool {
        bytes[min(index, bytes.count)...].starts(with: text.utf8)
    }

    private static func shown(_ tag: String) -> String {
        let printable = tag.unicodeScalars.prefix(20).map { scalar in
            scalar.isASCII && scalar.value > 31 && scalar.value < 127 ? Character(scalar) : "?"
        }
        return String(printable)
    }
}
