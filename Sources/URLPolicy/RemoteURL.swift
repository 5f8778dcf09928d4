/// A URL that may be dialled: parsed once, normalised, with nothing in it that two parsers could
/// read differently.
///
/// Only `HTTPClient.URLParser` makes these, from the parts that libcurl's own parser found, so that
/// what is judged is what is dialled. The initialiser looks at every part again and refuses; it
/// never repairs. Grammar: RFC 3986.
package struct RemoteURL: Hashable, Sendable, CustomStringConvertible {
    package enum Scheme: String, Hashable, Sendable {
        case http
        case https

        package var defaultPort: UInt16 { self == .https ? 443 : 80 }
    }

    package enum HostKind: Hashable, Sendable {
        case name
        case ipv4
        case ipv6
    }

    /// The longest URL in bytes (docs/extension-author.md).
    package static let maximumLength = 8 * 1024

    package let scheme: Scheme
    /// Lower-case ASCII; no trailing dot; an IPv6 address without its brackets.
    package let host: String
    package let hostKind: HostKind
    /// The port written in the URL, or the scheme's own.
    package let port: UInt16
    /// Path and query as they go on the request line, beginning with `/`; a fragment never does.
    package let target: String
    /// The whole URL as it is dialled.
    package let text: String

    /// Puts a URL together from the parts that one parser found.
    ///
    /// The host is taken as parsed: any case, at most one trailing dot, IPv6 in brackets. The path
    /// begins with `/`; the query comes without its `?`; a nil port is the scheme's own. What does
    /// not hold is refused as bahost 1003.
    package init(
        scheme: String, host: String, port: UInt16?, path: String, query: String?
    ) throws(URLRefusal) {
        guard let known = Scheme(rawValue: scheme) else {
            throw .form("only http and https URLs can be fetched, not \(URLRefusal.quote(scheme))")
        }
        let (name, kind) = try RemoteURL.normalise(host: host)
        let target = query.map { "\(path)?\($0)" } ?? path
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy(RemoteURL.isPlain)
        else { throw .form("the URL's path has a character that must be percent-encoded") }
        guard port != 0 else { throw .form("port 0 cannot be dialled") }
        let chosen = port ?? known.defaultPort
        let authority = RemoteURL.authority(name, kind, chosen, known)
        let text = "\(known.rawValue)://\(authority)\(target)"
        guard text.utf8.count <= RemoteURL.maximumLength else {
            throw .form("the URL is longer than \(RemoteURL.maximumLength) bytes")
        }
        (self.scheme, self.host, self.hostKind, self.port) = (known, name, kind, chosen)
        (self.target, self.text) = (target, text)
    }

    /// Scheme, host and port: what decides whether two URLs belong to the same server (RFC 6454).
    package var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

    /// The address when the host is one; nil for a name, which only the resolver can judge.
    package var literalAddress: IPAddress? {
        hostKind == .name ? nil : IPAddress(text: host)
    }

    package var description: String { text }

    package struct Origin: Hashable, Sendable {
        package let scheme: Scheme
        package let host: String
        package let port: UInt16
    }
}

extension RemoteURL {
    private static func authority(
        _ host: String, _ kind: HostKind, _ port: UInt16, _ scheme: Scheme
    ) -> String {
        let name = kind == .ipv6 ? "[\(host)]" : host
        return port == scheme.defaultPort ? name : "\(name):\(port)"
    }

    private static func normalise(host: String) throws(URLRefusal) -> (String, HostKind) {
        if host.utf8.first == UInt8(ascii: "[") {
            let inner = host.dropFirst().dropLast()
            guard host.utf8.last == UInt8(ascii: "]"), let address = IPAddress(text: inner),
                address.isIPv6
            else { throw .form("\(URLRefusal.quote(host)) is not an IPv6 address") }
            return (address.description, .ipv6)
        }
        var name = Substring(host)
        if name.utf8.last == UInt8(ascii: ".") { name = name.dropLast() }
        guard let known = HostName(untrusted: name) else {
            throw .form("\(URLRefusal.quote(host)) is not an ASCII host name")
        }
        return (known.text, known.isAddress ? .ipv4 : .name)
    }

    /// Visible ASCII, less what a URL may not hold or what parsers read differently.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "#")
    }
}
