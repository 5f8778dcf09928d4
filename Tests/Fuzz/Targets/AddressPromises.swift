import Glibc
import URLPolicy

/// Addresses, held against what the system's own parser says of the same text.
enum AddressPromises {
    static func check(text: String) throws(BrokenPromise) {
        let address = IPAddress(text: text)
        let system = text.utf8.contains(0) ? nil : SystemAddress(text)
        try expect(
            address?.bytes == system?.bytes, "\(text.debugDescription) is read otherwise elsewhere")
        guard let address else { return }
        try expect(
            IPAddress(text: address.description) == address, "\(address) reads as another address")
        let refusal = AddressPolicy().refusal(of: address, scheme: .https)
        try expect(
            refusal != nil || mayBePublic(address), "\(address) is admitted without an allowance")
        try expect(
            AddressPolicy(allowsPrivate: true).refusal(of: address, scheme: .http) != nil,
            "\(address) may be asked over http")
        if let refusal { try expectPrintable("\(refusal)", atMost: 1_024) }
    }

    /// False for what is certainly not public, by the plainest reading of its bytes.
    static func mayBePublic(_ address: IPAddress) -> Bool {
        let bytes = address.bytes
        guard address.isIPv6 else { return mayBePublic(v4: bytes) }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return mayBePublic(v4: Array(bytes[12...]))
        }
        // 2000::/3 is all of global unicast; beside it only NAT64 leads outside.
        let isGlobal = bytes[0] & 0xE0 == 0x20
        return isGlobal || bytes.starts(with: [0, 0x64, 0xFF, 0x9B])
    }

    private static func mayBePublic(v4 bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (224..., _): false
        default: true
        }
    }
}

/// What `inet_pton(3)` makes of a text.
struct SystemAddress {
    let bytes: [UInt8]

    init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            bytes = unsafe withUnsafeBytes(of: v4) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = unsafe withUnsafeBytes(of: v6) { unsafe Array($0) }
        } else {
            return nil
        }
    }
}
