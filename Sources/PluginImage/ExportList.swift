/// The names that a file exports, as many as fit.
package struct ExportList: Hashable, Sendable {
    package struct Export: Hashable, Sendable {
        /// Bytes that are not UTF-8 are written `\xNN`.
        package let name: String
        package let kind: ElfSymbol.Kind

        /// True when it is a number in no segment, such as the name of a version.
        package let isAbsolute: Bool
    }

    /// The most names that are kept, and the most bytes of them.
    package static let mostNames = 4_096
    package static let mostBytes = 262_144

    package private(set) var exports: [Export] = []

    /// How many there are, kept or not.
    package internal(set) var count = 0
    private var bytes = 0

    /// False once a name did not fit, so that what is kept is the beginning.
    private(set) var hasRoom = true

    mutating func append(_ symbol: ElfSymbol, _ name: [UInt8]) {
        let text = String(validating: name, as: UTF8.self) ?? Self.escaped(name)
        bytes += text.utf8.count
        hasRoom = exports.count < Self.mostNames && bytes <= Self.mostBytes
        guard hasRoom else { return }
        exports.append(Export(name: text, kind: symbol.kind, isAbsolute: !symbol.isRelative))
    }

    private static func escaped(_ name: [UInt8]) -> String {
        var text = ""
        for byte in name {
            if (0x20..<0x7f).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }
}
