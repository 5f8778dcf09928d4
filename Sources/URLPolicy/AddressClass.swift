/// What kind of place an address is.
///
/// IANA special-purpose address registries (RFC 6890 and later).
package enum AddressClass: String, Hashable, Sendable {
    /// Reachable over the Internet.
    case publicInternet = "a public address"
    /// This machine: 127.0.0.0/8, ::1.
    case loopback = "a loopback address"
    /// 10/8, 172.16/12, 192.168/16, fc00::/7.
    case privateNetwork = "a private address"
    /// 169.254/16, fe80::/10.
    case linkLocal = "a link-local address"
    /// Never dialled: unspecified, multicast, shared (CGNAT), documentation, benchmarking, reserved.
    case special = "a special-purpose address"
}

extension IPAddress {
    /// The class of this address; one that carries another inside (IPv4-mapped, NAT64, 6to4, Teredo)
    /// is judged as the inner one.
    ///
    /// A tunnel to a loopback address leads away from this machine, so it is `special`.
    package var addressClass: AddressClass {
        guard isIPv6 else { return IPAddress.classOfV4(bytes[...]) }
        if hasPrefix([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], bits: 96) {
            return IPAddress.classOfV4(bytes[12...])
        }
        if let inner = tunnelled {
            let kind = IPAddress.classOfV4(inner[...])
            return kind == .loopback ? .special : kind
        }
        return classOfV6
    }

    /// The IPv4 address inside a NAT64 (RFC 6052), 6to4 (RFC 3056) or Teredo (RFC 4380) address.
    private var tunnelled: [UInt8]? {
        if hasPrefix([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96) {
            return Array(bytes[12...])
        }
        if hasPrefix([0x20, 0x02], bits: 16) { return Array(bytes[2..<6]) }
        if hasPrefix([0x20, 0x01, 0, 0], bits: 32) { return bytes[12...].map { ~$0 } }
        return nil
    }

    private var classOfV6: AddressClass {
        if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] == 1 { return .loopback }
        if hasPrefix([0xFE, 0x80], bits: 10) { return .linkLocal }
        if hasPrefix([0xFC], bits: 7) { return .privateNetwork }
        // Documentation, IETF protocol assignments; then everything outside global unicast.
        let isReserved =
            hasPrefix([0x20, 0x01, 0x0D, 0xB8], bits: 32) || hasPrefix([0x3F, 0xFF], bits: 20)
            || hasPrefix([0x20, 0x01], bits: 23) || !hasPrefix([0x20], bits: 3)
        return isReserved ? .special : .publicInternet
    }

    private static func classOfV4(_ bytes: ArraySlice<UInt8>) -> AddressClass {
        let parts = Array(bytes)
        switch (parts[0], parts[1], parts[2]) {
        case (127, _, _): return .loopback
        case (10, _, _), (172, 16...31, _), (192, 168, _): return .privateNetwork
        case (169, 254, _): return .linkLocal
        case (0, _, _), (100, 64...127, _), (192, 0, 0), (192, 0, 2), (192, 88, 99),
            (198, 18...19, _), (198, 51, 100), (203, 0, 113), (224..., _, _):
            return .special
        default: return .publicInternet
        }
    }

    private func hasPrefix(_ prefix: [UInt8], bits: Int) -> Bool {
        let whole = bits / 8
        guard bytes.prefix(whole).elementsEqual(prefix.prefix(whole)) else { return false }
        guard bits % 8 != 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8))
        let wanted = whole < prefix.count ? prefix[whole] : 0
        return bytes[whole] & mask == wanted & mask
    }
}

/// Which addresses a run may connect to.
///
/// Without any allowance: https to public addresses only.
package struct AddressPolicy: Hashable, Sendable {
    /// `--allow-loopback`: loopback addresses, and plain http to them and nowhere else.
    package var allowsLoopback: Bool
    /// `--allow-private`: private and link-local addresses.
    package var allowsPrivate: Bool

    package init(allowsLoopback: Bool = false, allowsPrivate: Bool = false) {
        self.allowsLoopback = allowsLoopback
        self.allowsPrivate = allowsPrivate
    }

    /// Nil when a connection to `address` may be made; judged again for every socket.
    package func refusal(of address: IPAddress, scheme: RemoteURL.Scheme) -> URLRefusal? {
        let kind = address.addressClass
        switch kind {
        case .loopback where allowsLoopback: return nil
        case .loopback: return refuse(address, kind, hint: "; add --allow-loopback")
        case .special: return refuse(address, kind)
        case _ where scheme == .http:
            return .form("plain http is for loopback addresses only, and \(address) is not one")
        case .publicInternet: return nil
        case .privateNetwork, .linkLocal:
            return allowsPrivate ? nil : refuse(address, kind, hint: "; add --allow-private")
        }
    }

    private func refuse(
        _ address: IPAddress, _ kind: AddressClass, hint: String = ""
    ) -> URLRefusal {
        .address("\(address) is \(kind.rawValue)\(hint)")
    }
}
