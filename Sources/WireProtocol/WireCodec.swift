/// Writes values little-endian, one after the other.
package struct WireEncoder: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
    }

    package mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        var rest = number
        for _ in 0..<(Number.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest = Number.bitWidth > 8 ? rest >> 8 : 0
        }
    }

    package mutating func put(_ flag: Bool) {
        put(UInt8(flag ? 1 : 0))
    }

    package mutating func put(_ text: String) {
        put(raw: Array(text.utf8))
    }

    package mutating func put(raw block: [UInt8]) {
        put(UInt32(truncatingIfNeeded: block.count))
        bytes.append(contentsOf: block)
    }

    /// A presence byte, then the value when there is one.
    package mutating func put<Value>(
        optional value: Value?, _ write: (inout WireEncoder, Value) -> Void
    ) {
        put(value != nil)
        if let value { write(&self, value) }
    }

    package mutating func put<Value>(
        list: [Value], _ write: (inout WireEncoder, Value) -> Void
    ) {
        put(UInt32(truncatingIfNeeded: list.count))
        for value in list { write(&self, value) }
    }
}

/// Reads what ``WireEncoder`` wrote; every read is bounded and names the field it was for.
package struct WireDecoder: Sendable {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Throws unless every byte was read.
    package func finish(_ subject: String) throws(WireError) {
        guard rest.isEmpty else { throw WireError(.trailingBytes, subject) }
    }

    private mutating func take(_ count: Int, _ subject: String) throws(WireError)
        -> ArraySlice<UInt8>
    {
        guard count <= rest.count else { throw WireError(.truncated, subject) }
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    private mutating func number<Number: FixedWidthInteger>(
        _ subject: String
    ) throws(WireError) -> Number {
        var value: Number = 0
        for byte in try take(Number.bitWidth / 8, subject).reversed() {
            value = (Number.bitWidth > 8 ? value << 8 : 0) | Number(truncatingIfNeeded: byte)
        }
        return value
    }

    package mutating func uint8(_ subject: String) throws(WireError) -> UInt8 {
        try number(subject)
    }

    package mutating func uint16(_ subject: String) throws(WireError) -> UInt16 {
        try number(subject)
    }

    package mutating func uint32(_ subject: String) throws(WireError) -> UInt32 {
        try number(subject)
    }

    package mutating func uint64(_ subject: String) throws(WireError) -> UInt64 {
        try number(subject)
    }

    package mutating func int32(_ subject: String) throws(WireError) -> Int32 {
        try number(subject)
    }

    package mutating func int64(_ subject: String) throws(WireError) -> Int64 {
        try number(subject)
    }

    package mutating func flag(_ subject: String) throws(WireError) -> Bool {
        switch try uint8(subject) {
        case 0: return false
        case 1: return true
        default: throw WireError(.badValue, subject)
        }
    }

    /// One byte that stands for a word of a fixed list.
    package mutating func word<Word: RawRepresentable<UInt8>>(
        _ subject: String
    ) throws(WireError) -> Word {
        guard let word = Word(rawValue: try uint8(subject)) else {
            throw WireError(.badValue, subject)
        }
        return word
    }

    package mutating func block(atMost bound: Int, _ subject: String) throws(WireError) -> [UInt8] {
        let count = try uint32(subject)
        guard count <= UInt32(truncatingIfNeeded: bound) else {
            throw WireError(.tooLong, subject)
        }
        return Array(try take(Int(count), subject))
    }

    /// UTF-8 text without NUL.
    package mutating func text(atMost bound: Int, _ subject: String) throws(WireError) -> String {
        let bytes = try block(atMost: bound, subject)
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw WireError(.badText, subject)
        }
        return text
    }

    package mutating func optional<Value>(
        _ subject: String, _ read: (inout WireDecoder) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try flag(subject) ? try read(&self) : nil
    }

    package mutating func list<Value>(
        atMost bound: Int, _ subject: String,
        _ read: (inout WireDecoder) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        let count = try uint32(subject)
        guard count <= UInt32(truncatingIfNeeded: bound) else {
            throw WireError(.tooLong, subject)
        }
        var values: [Value] = []
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}
