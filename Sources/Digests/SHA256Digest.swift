/// What can be done with a finished SHA-256 digest, kept as 32 bytes.
package enum SHA256Digest {
    /// The length of a digest in bytes (FIPS 180-4).
    package static let byteCount = 32

    /// The digest of `bytes` in one step.
    ///
    /// - Throws: what ``SHA256Hasher`` throws.
    package static func digest(of bytes: [UInt8]) throws(DigestsError) -> [UInt8] {
        var hasher = try SHA256Hasher()
        try hasher.update(bytes)
        return try hasher.finalize()
    }

    /// `digest` in lower-case hexadecimal, as `sha256sum(1)` prints it.
    package static func hex(_ digest: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(digest.count * 2)
        for byte in digest {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The 32 bytes that `text` spells, or nil unless it is exactly 64 hexadecimal digits, in
    /// either case, with nothing around them.
    package static func parse(hex text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count == byteCount * 2 else { return nil }
        var digest: [UInt8] = []
        digest.reserveCapacity(byteCount)
        var high: UInt8?
        for digit in digits {
            guard let value = value(ofDigit: digit) else { return nil }
            if let upper = high {
                digest.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return digest
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
