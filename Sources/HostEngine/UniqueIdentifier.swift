/// Random UUIDs, version 4.
///
/// RFC 9562 §5.4.
enum UniqueIdentifier {
    static func random() -> String {
        let high = UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & ~(0b11 << 62) | 0b10 << 62
        var text = ""
        text.reserveCapacity(36)
        for place in 0..<32 {
            if [8, 12, 16, 20].contains(place) { text += "-" }
            let half = place < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: half >> (60 - place % 16 * 4)) & 15
            text.unicodeScalars.append(UnicodeScalar(digit < 10 ? 48 + digit : 87 + digit))
        }
        return text
    }
}
