/// Checks that bytes are one JSON value of bounded depth, before anything is made of them.
///
/// RFC 8259, UTF-8 only. Keeps its own stack: input of any shape costs one byte of memory for each
/// open bracket.
struct JSONScan {
    enum Fault: Error, Hashable {
        case notUTF8
        case tooDeep

        /// The byte's offset from the start.
        case malformed(at: Int)
    }

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var index = 0

    /// The open brackets' closing ones.
    private var open: [UInt8] = []

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    static func check(_ bytes: [UInt8], maximumDepth: Int) throws(Fault) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        var scan = JSONScan(bytes, maximumDepth: maximumDepth)
        try scan.run()
    }

    private var malformed: Fault { .malformed(at: index) }

    private mutating func run() throws(Fault) {
        repeat {
            try beginValue()
        } while try hasNextValue()
        skipSpace()
        guard index == bytes.count else { throw malformed }
    }

    /// Up to the end of a scalar or of an opening bracket that is closed at once.
    private mutating func beginValue() throws(Fault) {
        while true {
            skipSpace()
            switch byte {
            case UInt8(ascii: "["):
                try push(UInt8(ascii: "]"))
                if byte == UInt8(ascii: "]") { return }
            case UInt8(ascii: "{"):
                try push(UInt8(ascii: "}"))
                if byte == UInt8(ascii: "}") { return }
                try key()
            default: return try scalar()
            }
        }
    }

    /// Closes what ends here; true when a comma follows and with it another value.
    private mutating func hasNextValue() throws(Fault) -> Bool {
        while let closing = open.last {
            skipSpace()
            switch byte {
            case closing:
                index += 1
                open.removeLast()
            case UInt8(ascii: ","):
                index += 1
                if closing == UInt8(ascii: "}") { try key() }
                return true
            default: throw malformed
            }
        }
        return false
    }

    private mutating func push(_ closing: UInt8) throws(Fault) {
        guard open.count < maximumDepth else { throw .tooDeep }
        open.append(closing)
        index += 1
        skipSpace()
    }

    private mutating func key() throws(Fault) {
        skipSpace()
        try string()
        skipSpace()
        guard byte == UInt8(ascii: ":") else { throw malformed }
        index += 1
    }

    private mutating func scalar() throws(Fault) {
        switch byte {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    private mutating func word(_ word: StaticString) throws(Fault) {
        let text = Array("\(word)".utf8)
        guard bytes[index...].starts(with: text) else { throw malformed }
        index += text.count
    }

    private mutating func string() throws(Fault) {
        guard byte == UInt8(ascii: "\"") else { throw malformed }
        index += 1
        while let next = byte, next != UInt8(ascii: "\"") {
            guard next >= 0x20 else { throw malformed }
            index += 1
            if next == UInt8(ascii: "\\") { try escape() }
        }
        guard byte != nil else { throw malformed }
        index += 1
    }

    private mutating func escape() throws(Fault) {
        guard let kind = byte, Array("\"\\/bfnrtu".utf8).contains(kind) else { throw malformed }
        index += 1
        guard kind == UInt8(ascii: "u") else { return }
        for _ in 0..<4 {
            guard let digit = byte, Character(UnicodeScalar(digit)).isHexDigit else {
                throw malformed
            }
            index += 1
        }
    }

    private mutating func number() throws(Fault) {
        if byte == UInt8(ascii: "-") { index += 1 }
        if byte == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if byte == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            index += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(Fault) {
        guard isDigit else { throw malformed }
        while isDigit { index += 1 }
    }

    private var isDigit: Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            index += 1
        }
    }
}
