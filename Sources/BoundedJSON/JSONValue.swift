/// One value of JSON text that ``JSONScan`` has found to be well formed, still as its bytes.
package struct JSONValue {
    package enum Kind: String, Sendable {
        case object = "an object"
        case array = "an array"
        case text = "a string"
        case number = "a number"
        case boolean = "true or false"
        case null
    }

    /// Without space around it.
    package let bytes: ArraySlice<UInt8>

    init(wellFormed bytes: [UInt8]) {
        var reader = JSONReader(bytes[...])
        self.bytes = reader.value()
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// Told by the first byte.
    package var kind: Kind {
        switch bytes.first {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .text
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// The first `bound` values of an array; empty for anything else.
    package func elements(atMost bound: Int) -> [JSONValue] {
        guard kind == .array else { return [] }
        var reader = JSONReader(bytes.dropFirst())
        var values: [JSONValue] = []
        while values.count < bound, reader.hasNext() { values.append(JSONValue(reader.value())) }
        return values
    }

    /// The first `bound` members of an object; a name that is no text is nil.
    package func members(atMost bound: Int) -> [(name: String?, value: JSONValue)] {
        guard kind == .object else { return [] }
        var reader = JSONReader(bytes.dropFirst())
        var members: [(name: String?, value: JSONValue)] = []
        while members.count < bound, reader.hasNext() {
            let name = JSONValue(reader.value()).text
            reader.skipColon()
            members.append((name, JSONValue(reader.value())))
        }
        return members
    }

    /// The number, when it is written without fraction and exponent and 64 bits hold it.
    package var integer: Int64? {
        kind == .number ? Int64(String(decoding: bytes, as: UTF8.self)) : nil
    }

    /// `true` or `false`; nil for anything else.
    package var boolean: Bool? {
        kind == .boolean ? bytes.first == UInt8(ascii: "t") : nil
    }

    /// The string; nil for anything else, and for half a surrogate pair.
    package var text: String? {
        guard kind == .text else { return nil }
        let inner = bytes.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else {
            return String(decoding: inner, as: UTF8.self)
        }
        return JSONText.unescape(inner)
    }
}

/// Steps over well-formed JSON text.
private struct JSONReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Inside an array or object: false at its closing bracket.
    mutating func hasNext() -> Bool {
        skip(UInt8(ascii: ","))
        return rest.first != UInt8(ascii: "]") && rest.first != UInt8(ascii: "}") && !rest.isEmpty
    }

    mutating func skipColon() {
        skip(UInt8(ascii: ":"))
    }

    private mutating func skip(_ mark: UInt8) {
        rest = rest.drop { byte in
            byte == mark || byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        }
    }

    /// The next value as its bytes.
    mutating func value() -> ArraySlice<UInt8> {
        skip(0x20)
        let start = rest.startIndex
        var place = start
        var depth = 0
        repeat {
            guard place < rest.endIndex else { break }
            switch rest[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""): place = endOfString(from: place)
            case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ","), UInt8(ascii: ":"): break
            default: place = endOfWord(from: place)
            }
            place += 1
        } while depth > 0
        let end = min(place, rest.endIndex)
        defer { rest = rest[end...] }
        return rest[start..<end]
    }

    /// The place of the closing quotation mark.
    private func endOfString(from start: Int) -> Int {
        var place = start + 1
        while place < rest.endIndex, rest[place] != UInt8(ascii: "\"") {
            place += rest[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return place
    }

    /// The last place of a number, `true`, `false` or `null`.
    private func endOfWord(from start: Int) -> Int {
        var place = start + 1
        while place < rest.endIndex, !",:]} \n\r\t".utf8.contains(rest[place]) { place += 1 }
        return place - 1
    }
}

private enum JSONText {
    /// Resolves the escapes of a well-formed string.
    static func unescape(_ bytes: ArraySlice<UInt8>) -> String? {
        var units: [UInt16] = []
        var plain: [UInt8] = []
        var rest = bytes
        func flush() {
            units += Array(String(decoding: plain, as: UTF8.self).utf16)
            plain = []
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            flush()
            guard let unit = escape(&rest) else { return nil }
            units.append(unit)
        }
        flush()
        return String(validating: units, as: UTF16.self)
    }

    private static func escape(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        switch rest.popFirst() {
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        case let byte?: return UInt16(byte)
        case nil: return nil
        }
    }
}
