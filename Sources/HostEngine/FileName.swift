/// The name a published file gets: from the identifier alone, never from a server.
package enum FileName {
    /// Longest name, in bytes; a longer one is cut and ends in `~` and a hash of all of it.
    package static let longestBytes = 200

    private static let hashDigits = 16

    /// Percent-encodes an identifier outside `A–Z a–z 0–9 . _ -`; the name never starts with a dot.
    ///
    /// Different identifiers get different names, but for a collision of 64-bit hashes past
    /// ``longestBytes``.
    package static func forIdentifier(_ identifier: String) -> String {
        var name = ""
        for (place, byte) in identifier.utf8.enumerated() {
            let isLeadingDot = place == 0 && byte == UInt8(ascii: ".")
            name += isPlain(byte) && !isLeadingDot ? String(UnicodeScalar(byte)) : encoded(byte)
        }
        guard name.utf8.count > longestBytes else { return name }
        let kept = name.prefix(longestBytes - hashDigits - 1)
        return "\(kept)~\(hash(identifier))"
    }

    /// FNV-1a, 64 bits, as 16 hexadecimal digits.
    package static func hash(_ text: String) -> String {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: hashDigits - digits.count) + digits
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func encoded(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
    }
}
