/// A request header that an app may send: a name, a value, and nothing that could start another line.
package struct HTTPHeader: Hashable, Sendable {
    package let name: String
    package let value: String

    /// Nil unless the name is a token (RFC 9110 §5.6.2) and the value is free of control characters.
    package init?(name: String, value: String) {
        guard (1...256).contains(name.utf8.count), name.utf8.allSatisfy(HTTPHeader.isTokenByte),
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        self.name = name
        self.value = value
    }

    /// True for the names that belong to the transfer itself and not to who asked for it.
    package var isReserved: Bool { HTTPHeader.reservedNames.contains(name.lowercased()) }

    /// In lower case.
    package static let reservedNames: Set<String> = [
        "host", "range", "if-range", "accept-encoding", "connection", "content-length",
        "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive", "proxy-connection",
        "proxy-authorization",
    ]

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
