/// One entry of a domain list: a host at any port.
///
/// `cdn.example.com` admits that name; `*.example.com` admits names with one or more labels before
/// the dot, and not `example.com` itself; `192.0.2.1` and `[2001:db8::1]` admit that address only.
package struct DomainPattern: Hashable, Sendable, CustomStringConvertible {
    /// The longest pattern in bytes: `*.` and a DNS name.
    package static let maximumLength = 255

    private let name: String
    private let coversSubdomains: Bool
    private let isIPv6: Bool

    /// Nil for anything but the three forms; a star elsewhere, a port, a scheme or a path included.
    package init?(untrusted text: String) {
        guard text.utf8.count <= DomainPattern.maximumLength else { return nil }
        if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
            guard let address = IPAddress(text: text.dropFirst().dropLast()), address.isIPv6 else {
                return nil
            }
            (name, coversSubdomains, isIPv6) = (address.description, false, true)
            return
        }
        let isWild = text.hasPrefix("*.")
        var rest = isWild ? text.dropFirst(2) : text[...]
        if rest.utf8.last == UInt8(ascii: ".") { rest = rest.dropLast() }
        guard let host = HostName(untrusted: rest) else { return nil }
        guard !isWild || IPAddress(text: host.text) == nil else { return nil }
        (name, coversSubdomains, isIPv6) = (host.text, isWild, false)
    }

    package func admits(_ url: RemoteURL) -> Bool {
        guard isIPv6 == (url.hostKind == .ipv6) else { return false }
        guard coversSubdomains else { return url.host == name }
        return url.hostKind == .name && url.host.hasSuffix(".\(name)")
    }

    package var description: String {
        isIPv6 ? "[\(name)]" : coversSubdomains ? "*.\(name)" : name
    }
}

/// The hosts that may be contacted.
///
/// An empty list admits nothing.
package struct DomainAllowList: Hashable, Sendable {
    private let patterns: [DomainPattern]
    private let admitsAll: Bool

    package init(_ patterns: [DomainPattern]) {
        self.patterns = patterns
        admitsAll = false
    }

    private init(admitsAll: Bool) {
        patterns = []
        self.admitsAll = admitsAll
    }

    /// For an app whose restrictions have been lifted by its first launch.
    package static let any = DomainAllowList(admitsAll: true)

    package func admits(_ url: RemoteURL) -> Bool {
        admitsAll || patterns.contains { $0.admits(url) }
    }
}
