/// A DNS name or dotted address in lower case, without a trailing dot.
///
/// Letters, digits, `-` and `_`; labels of 1 to 63 bytes, at most 253 in all (RFC 1035 §2.3.4).
/// International names are written in their `xn--` form. A text that ends in a number is an IPv4 address
/// in its one dotted form or nothing.
struct HostName: Hashable, Sendable {
    let text: String

    /// Whether it is an IPv4 address.
    let isAddress: Bool

    init?(untrusted text: some StringProtocol) {
        guard (1...253).contains(text.utf8.count) else { return nil }
        for label in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        {
            guard (1...63).contains(label.count), label.allSatisfy(HostName.isAllowed) else {
                return nil
            }
        }
        isAddress = HostName.endsInANumber(text)
        guard !isAddress || IPAddress(text: text) != nil else { return nil }
        self.text = text.lowercased()
    }

    /// True when some parser would take the text for an IPv4 address (`127.1`, `0x7f`, `2130706433`).
    ///
    /// WHATWG URL, "ends in a number checker".
    private static func endsInANumber(_ text: some StringProtocol) -> Bool {
        guard let last = text.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        if last.first == UInt8(ascii: "0"), last.dropFirst().first.map({ $0 | 0x20 }) == 120 {
            return last.dropFirst(2).allSatisfy {
                (48...57).contains($0) || (97...102).contains($0 | 0x20)
            }
        }
        return last.allSatisfy { (48...57).contains($0) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
