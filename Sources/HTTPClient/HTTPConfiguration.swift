package import LinuxSystem
package import URLPolicy

/// What all exchanges of a session have in common.
///
/// Defaults are docs/extension-author.md.
package struct HTTPConfiguration: Hashable, Sendable {
    package var connectTimeout: Duration = .seconds(15)
    /// An answer that stays under this many bytes a second for ``stallTime`` has stalled.
    package var stallRate: ByteCount = .kibibytes(1)
    /// In whole seconds.
    package var stallTime: Duration = .seconds(30)
    /// A PEM file of authorities in place of the system's store; for tests.
    package var authorityFile: String?
    /// Who fetches in our place; nil asks every server itself.
    package var proxy: HTTPProxy?
    package var userAgent = "bahost"
    /// Connections kept open for the next exchange with the same server.
    package var keptConnections = 16

    package init() {}
}

/// A proxy that the host's configuration names; no environment variable does.
///
/// Its own address is admitted wherever it lies, for the operator named it. It is the proxy that then
/// looks up names, so keeping it from private addresses is the operator's task; addresses written out
/// in a URL are still judged by the URL rules. https goes through it unread (CONNECT).
package struct HTTPProxy: Hashable, Sendable {
    let text: String

    /// Takes `http://`, `https://` or `socks5h://` with a host and, if need be, name, password and port.
    ///
    /// Nil for anything else.
    package init?(untrusted text: String) {
        guard text.utf8.count <= 1024, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let scheme = ["http://", "https://", "socks5h://"].first(where: text.hasPrefix),
            let first = text.dropFirst(scheme.count).first, !"/:@?#".contains(first)
        else { return nil }
        self.text = text
    }
}

/// One GET, to one URL, without following anything.
package struct HTTPRequest: Hashable, Sendable {
    package var url: RemoteURL
    package var addresses: AddressPolicy
    package var headers: [HTTPHeader] = []
    /// Keeps to a connection of its own, over HTTP/1.1: one that may be held back would hold back the
    /// others on its connection.
    package var isAlone = false
    /// Asks for the bytes from here to the end when above 0.
    package var firstByte: UInt64 = 0
    /// The validator that makes the range conditional.
    package var ifRange: String?
    /// Sends `Accept-Encoding: identity`; when false the header is not sent at all.
    package var asksForIdentity = true

    package init(url: RemoteURL, addresses: AddressPolicy) {
        self.url = url
        self.addresses = addresses
    }
}
