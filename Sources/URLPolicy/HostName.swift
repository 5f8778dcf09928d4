/// A DNS name or dotted address in lower case, without a trailing dot.
///
/// Letters, digits, `-` and `_`; labels of 1 to 63 bytes, at most 253 in all (RFC 1035 §2.3.4).
/// International names are written in their `xn--` form.
struct HostName: Hashable, Sendable {
    let text: String

    init?(untrusted text: some StringProtocol) {
        guard (1...253).contains(text.utf8.count) else { return nil }
        for label in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        {
            guard (1...63).contains(label.count), label.allSatisfy(HostName.isAllowed) else {
                return nil
            }
        }
        self.text = text.lowercased()
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
