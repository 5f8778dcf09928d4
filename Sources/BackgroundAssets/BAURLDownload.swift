public import Foundation

// All stored properties are constants of Sendable types; @unchecked only because it has a subclass.

/// A download of one file from an address.
///
/// Nothing is checked when it is made; the host judges it when it is scheduled and answers with a
/// ``BAErrorCode``. The address must be https unless the host's operator allows more.
///
/// Source: Apple's `BAURLDownload`; `bahost_download_request` in `bahost/types.h`.
public class BAURLDownload: BADownload, @unchecked Sendable {
    /// The address; nil when the request had none.
    ///
    /// Such a download is refused.
    public let url: URL?
    /// More addresses of the same bytes, tried in order.
    ///
    /// This host's own.
    public let mirrors: [URL]
    /// Request headers.
    ///
    /// Host, Range, If-Range, Accept-Encoding and Connection are the host's own.
    public let headers: [String: String]
    /// Exact size in bytes; 0 when not known.
    public let fileSize: Int
    /// Bytes received when this object was made; 0 for one the extension made itself.
    public let receivedSize: Int
    /// The group whose container gets the file; nil: the app's own.
    public let applicationGroupIdentifier: String?
    /// The SHA-256 of the file, 32 bytes; nil: not checked.
    ///
    /// This host's own.
    public let sha256: Data?
    /// Whether a connection that costs money may be used.
    ///
    /// This host's own.
    public let allowsMeteredNetwork: Bool

    /// What makes the request unusable, in words; nil when nothing does.
    let fault: String?

    init(
        wish: Wish, state: State = .created, receivedSize: Int = 0,
        uniqueIdentifier: String = UUID().uuidString
    ) {
        url = wish.url
        mirrors = wish.mirrors
        headers = wish.headers
        fileSize = wish.fileSize
        applicationGroupIdentifier = wish.group
        sha256 = wish.sha256
        allowsMeteredNetwork = wish.allowsMeteredNetwork
        fault = wish.fault
        self.receivedSize = receivedSize
        super.init(
            identifier: wish.identifier, priority: wish.priority, isEssential: wish.isEssential,
            state: state, uniqueIdentifier: uniqueIdentifier)
    }

    /// Makes a download from an address and what this host can do beyond Apple's.
    ///
    /// Only `identifier` and `url` are required.
    ///
    /// - Parameters:
    ///   - identifier: 1 to 255 bytes, unique among the app's downloads (else 100).
    ///   - url: Absolute, https, at most 8192 bytes (else 1002, 1003).
    ///   - headers: At most 64, 16 KiB in all (else 1000).
    ///   - essential: Only in answer to an install or update request (else 109), and only with a
    ///     size (else 1000).
    ///   - fileSize: Exact; another size is a failure. 0: not known.
    ///   - applicationGroupIdentifier: One of the app's groups (else 1008); nil: its own.
    ///   - priority: Higher goes first.
    ///   - sha256: 32 bytes (else 0); the file must match. nil: not checked.
    ///   - mirrors: At most 16 more addresses of the same bytes; needs a host that has them (else
    ///     1007).
    ///   - allowsMeteredNetwork: Whether a connection that costs money may be used.
    public convenience init(
        identifier: String, url: URL, headers: [String: String] = [:], essential: Bool = false,
        fileSize: Int = 0, applicationGroupIdentifier: String? = nil,
        priority: Priority = .default, sha256: Data? = nil, mirrors: [URL] = [],
        allowsMeteredNetwork: Bool = false
    ) {
        var wish = Wish(identifier: identifier)
        wish.url = url
        wish.headers = headers
        wish.isEssential = essential
        wish.fileSize = fileSize
        wish.group = applicationGroupIdentifier
        wish.priority = priority
        wish.sha256 = sha256
        wish.mirrors = mirrors
        wish.allowsMeteredNetwork = allowsMeteredNetwork
        self.init(wish: wish)
    }

    /// Makes the same download once more, plain instead of essential, with a new
    /// ``BADownload/uniqueIdentifier``.
    ///
    /// What a failed essential download is asked for again as. Of a download that came from the
    /// host, request headers, mirrors and hash are not known and so not in the copy.
    public override func removingEssential() -> BAURLDownload {
        var wish = Wish(identifier: identifier)
        wish.url = url
        wish.headers = headers
        wish.fileSize = fileSize
        wish.group = applicationGroupIdentifier
        wish.priority = priority
        wish.sha256 = sha256
        wish.mirrors = mirrors
        wish.allowsMeteredNetwork = allowsMeteredNetwork
        wish.fault = fault
        return BAURLDownload(wish: wish)
    }
}

extension BAURLDownload {
    /// What a download is made from.
    struct Wish {
        var identifier: String
        var url: URL?
        var mirrors: [URL] = []
        var headers: [String: String] = [:]
        var isEssential = false
        var fileSize = 0
        var group: String?
        var priority = Priority.default
        var sha256: Data?
        var allowsMeteredNetwork = false
        var fault: String?
    }
}

/// The download of the app's manifest, which the host starts itself.
///
/// It reaches an extension only through `backgroundDownload(_:failedWithError:)`, where
/// `type(of: download) == BAURLDownload.self` tells the two apart, as on Apple's systems.
final class BAManifestDownload: BAURLDownload, @unchecked Sendable {}
