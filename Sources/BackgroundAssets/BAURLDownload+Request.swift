internal import Foundation

#if canImport(FoundationNetworking)
    @_weakLinked public import FoundationNetworking
#endif

// Apple's initialisers. Of a request, the address and the headers are used; a method other than GET
// or a body makes the download one that is refused with `BAErrorCode.downloadInvalid`.
//
// The weak import lets a plugin that uses none of this do without FoundationNetworking (decision
// 0005).
extension BAURLDownload {
    /// Makes a download.
    ///
    /// - Parameters:
    ///   - identifier: 1 to 255 bytes, unique among the app's downloads (else 100).
    ///   - request: A GET, https. Address and headers are used.
    ///   - essential: Only in answer to an install or update request (else 109).
    ///   - fileSize: Exact; another size is a failure. Above 0 for an essential one (else 1000).
    ///   - applicationGroupIdentifier: One of the app's groups (else 1008).
    ///   - priority: Higher goes first.
    public convenience init(
        identifier: String, request: URLRequest, essential: Bool, fileSize: Int,
        applicationGroupIdentifier: String, priority: Priority
    ) {
        var wish = Wish(identifier: identifier, request: request)
        wish.isEssential = essential
        wish.fileSize = fileSize
        wish.group = applicationGroupIdentifier
        wish.priority = priority
        self.init(wish: wish)
    }

    /// Makes a plain download of default priority.
    ///
    /// - Parameters:
    ///   - identifier: 1 to 255 bytes, unique among the app's downloads (else 100).
    ///   - request: A GET, https. Address and headers are used.
    ///   - fileSize: Exact; another size is a failure. 0: not known.
    ///   - applicationGroupIdentifier: One of the app's groups (else 1008).
    public convenience init(
        identifier: String, request: URLRequest, fileSize: Int, applicationGroupIdentifier: String
    ) {
        self.init(
            identifier: identifier, request: request, essential: false, fileSize: fileSize,
            applicationGroupIdentifier: applicationGroupIdentifier, priority: .default)
    }

    /// Makes a plain download of a size that is not known.
    ///
    /// Apple deprecated this form in iOS 16.4.
    ///
    /// - Parameters:
    ///   - identifier: 1 to 255 bytes, unique among the app's downloads (else 100).
    ///   - request: A GET, https. Address and headers are used.
    ///   - applicationGroupIdentifier: One of the app's groups (else 1008).
    public convenience init(
        identifier: String, request: URLRequest, applicationGroupIdentifier: String
    ) {
        self.init(
            identifier: identifier, request: request, essential: false, fileSize: 0,
            applicationGroupIdentifier: applicationGroupIdentifier, priority: .default)
    }

    /// Makes a plain download of a size that is not known.
    ///
    /// Apple deprecated this form in iOS 16.4.
    ///
    /// - Parameters:
    ///   - identifier: 1 to 255 bytes, unique among the app's downloads (else 100).
    ///   - request: A GET, https. Address and headers are used.
    ///   - applicationGroupIdentifier: One of the app's groups (else 1008).
    ///   - priority: Higher goes first.
    public convenience init(
        identifier: String, request: URLRequest, applicationGroupIdentifier: String,
        priority: Priority
    ) {
        self.init(
            identifier: identifier, request: request, essential: false, fileSize: 0,
            applicationGroupIdentifier: applicationGroupIdentifier, priority: priority)
    }
}

extension BAURLDownload.Wish {
    fileprivate init(identifier: String, request: URLRequest) {
        self.init(identifier: identifier)
        url = request.url
        headers = request.allHTTPHeaderFields ?? [:]
        if let method = request.httpMethod, method != "GET" {
            fault = "its method is \(method), not GET"
        } else if request.httpBody != nil || request.httpBodyStream != nil {
            fault = "its request has a body"
        }
    }
}
