internal import Glibc
internal import WireProtocol

/// What is wrong with something a plugin handed over, and the status it is answered with.
struct ArgumentFault: Error, Hashable {
    let code: Int32
    let sentence: String

    /// A required pointer is NULL, a number out of range, a bit not known: 1000.
    static func bad(_ sentence: String) -> ArgumentFault {
        ArgumentFault(code: 1000, sentence: sentence)
    }

    /// A string over its bound, empty, or not UTF-8: 1002.
    static func text(_ sentence: String) -> ArgumentFault {
        ArgumentFault(code: 1002, sentence: sentence)
    }
}

/// Reads what a plugin's pointers lead to.
///
/// A pointer that leads nowhere is the plugin's crash.
enum PluginMemory {
    /// A string of 1 to `bound` bytes; it is copied before it is judged.
    static func text(
        _ pointer: UnsafePointer<CChar>?, _ field: String, atMost bound: Int
    ) throws(ArgumentFault) -> String {
        guard let pointer = unsafe pointer else { throw .bad("\(field) is NULL") }
        let length = unsafe strnlen(pointer, bound + 1)
        guard length <= bound else {
            throw .text("\(field) is longer than \(bound) bytes")
        }
        guard length > 0 else { throw .text("\(field) is empty") }
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: pointer, count: length))
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw .text("\(field) is not UTF-8")
        }
        return text
    }

    /// A copy of a C value that may lie at any address.
    static func value<Value: BitwiseCopyable>(
        _ pointer: UnsafePointer<Value>?, _ field: String
    ) throws(ArgumentFault) -> Value {
        guard let pointer = unsafe pointer else { throw .bad("\(field) is NULL") }
        return unsafe UnsafeRawPointer(pointer).loadUnaligned(as: Value.self)
    }

    /// The leading `struct_size` of a struct.
    static func size(
        _ pointer: UnsafeRawPointer?, _ field: String, atLeast least: Int
    ) throws(ArgumentFault) -> Int {
        guard let pointer = unsafe pointer else { throw .bad("\(field) is NULL") }
        let size = Int(unsafe pointer.loadUnaligned(as: UInt32.self))
        guard size >= least else {
            throw .bad("\(field)->struct_size is \(size), at least \(least) is needed")
        }
        return size
    }
}

/// Text for people, out of any bytes, within the bounds of the wire.
enum LogText {
    /// UTF-8 of at most `bound` bytes; a byte that is not part of UTF-8, and NUL, become `\xNN`.
    static func make(_ bytes: [UInt8], atMost bound: Int = WireBound.logLineBytes) -> String {
        var text = String(validating: bytes, as: UTF8.self) ?? escaped(bytes)
        if text.utf8.contains(0) { text = escapedNul(text) }
        return cut(text, atMost: bound)
    }

    /// The longest prefix of at most `bound` bytes.
    static func cut(_ text: String, atMost bound: Int = WireBound.sentenceBytes) -> String {
        guard text.utf8.count > bound else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: bound)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }

    private static func escaped(_ bytes: [UInt8]) -> String {
        var text = ""
        var rest = bytes[...]
        while let byte = rest.first {
            let length = scalarLength(byte)
            let head = rest.prefix(length)
            if head.count == length, let part = String(validating: head, as: UTF8.self) {
                text += part
                rest = rest.dropFirst(length)
            } else {
                text += hexadecimal(byte)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    private static func escapedNul(_ text: String) -> String {
        text.unicodeScalars.map { $0 == "\0" ? hexadecimal(0) : String($0) }.joined()
    }

    private static func scalarLength(_ first: UInt8) -> Int {
        switch first {
        case 0xc2...0xdf: 2
        case 0xe0...0xef: 3
        case 0xf0...0xf4: 4
        default: 1
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "\\x0" + digits : "\\x" + digits
    }
}
