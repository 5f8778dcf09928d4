package import LinuxSystem
package import URLPolicy

/// What all exchanges of a session have in common.
///
/// Defaults are docs/extension-author.md.
package struct HTTPConfiguration: Hashable, Sendable {
    package var connectTimeout: Duration = .seconds(15)
    /// An exchange that stays under this many bytes a second for ``stallTime`` has stalled.
    package var stallRate: ByteCount = .kibibytes(1)
    /// In whole seconds.
    package var stallTime: Duration = .seconds(30)
    /// A PEM file of authorities in place of the system's store; for tests.
    package var authorityFile: String?
    package var userAgent = "bahost"
    /// Connections kept open for the next exchange with the same server.
    package var keptConnections = 16

    package init() {}
}

/// One GET, to one URL, without following anything.
package struct HTTPRequest: Hashable, Sendable {
    package var url: RemoteURL
    package var addresses: AddressPolicy
    package var headers: [HTTPHeader] = []
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
