internal import CCurl
package import URLPolicy

/// Reads URLs with libcurl's own parser, the one that dials later.
///
/// `libcurl-url(3)`.
package enum URLParser {
    /// Reads an absolute URL as a plugin or a person wrote it.
    ///
    /// Refused: other schemes, no scheme, userinfo, backslashes, non-ASCII text, several trailing
    /// dots, spaces and control characters, more than 8 KiB.
    package static func parse(_ text: String) throws(HTTPClientError) -> RemoteURL {
        try checkBytes(text)
        guard let authority = authority(of: text) else {
            throw HTTPClientError(
                .form("\(URLRefusal.quote(text)) does not begin with https:// and a host"))
        }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw HTTPClientError(.form("a URL may not hold a user name or password"))
        }
        let parts = try URLHandle()
        try parts.set(text, flags: strictFlags)
        return try settled(parts.remoteURL())
    }

    /// Reads the `Location` of a redirect, relative to the URL that answered.
    ///
    /// RFC 9110 §10.2.2.
    ///
    /// Spaces and non-ASCII bytes, which servers do send there, are percent-encoded.
    package static func resolve(
        _ location: String, against base: RemoteURL
    ) throws(HTTPClientError) -> RemoteURL {
        try checkBytes(location)
        let parts = try URLHandle()
        try parts.set(base.text, flags: strictFlags)
        try parts.set(location, flags: strictFlags | encodingFlags)
        return try settled(parts.remoteURL())
    }

    /// Refuses a URL whose normalised text, which is what gets dialled, reads as another URL.
    private static func settled(_ url: RemoteURL) throws(HTTPClientError) -> RemoteURL {
        let again = try URLHandle()
        try again.set(url.text, flags: strictFlags)
        guard try again.remoteURL() == url else {
            throw HTTPClientError(.form("\(URLRefusal.quote(url.text)) can be read in two ways"))
        }
        return url
    }

    private static let strictFlags = UInt32(CURLU_DISALLOW_USER | CURLU_PATH_AS_IS)
    private static let encodingFlags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)

    private static func checkBytes(_ text: String) throws(HTTPClientError) {
        guard text.utf8.count <= RemoteURL.maximumLength else {
            throw HTTPClientError(
                .form("the URL is longer than \(RemoteURL.maximumLength) bytes"))
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw HTTPClientError(.form("the URL has a backslash or a control character"))
        }
    }

    /// What lies between `https://` and the path; nil when there is no such thing.
    private static func authority(of text: String) -> ArraySlice<UInt8>? {
        let bytes = Array(text.utf8)
        let lower = text.prefix(8).lowercased()
        let start = lower.hasPrefix("https://") ? 8 : lower.hasPrefix("http://") ? 7 : 0
        guard start > 0 else { return nil }
        let rest = bytes[start...].prefix { byte in
            byte != UInt8(ascii: "/") && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
        }
        return rest.isEmpty ? nil : rest
    }
}

/// An owned `CURLU`.
///
/// curl_url(3).
@safe private struct URLHandle: ~Copyable {
    private let handle: OpaquePointer

    init() throws(HTTPClientError) {
        try CurlLibrary.load()
        guard let opened = unsafe bah_curl_url_open() else {
            throw HTTPClientError(code: .outOfMemory, subject: "no memory for a URL")
        }
        unsafe handle = opened
    }

    deinit {
        // SAFETY: `handle` came from curl_url and never left this value.
        unsafe bah_curl_url_close(handle)
    }

    /// Sets the whole URL, relative to what is there already.
    func set(_ text: String, flags: UInt32) throws(HTTPClientError) {
        let code = unsafe bah_curl_url_set(handle, CURLUPART_URL, text, flags)
        guard code != CURLUE_OK else { return }
        let reason = unsafe String(cString: bah_curl_describe_url_code(code))
        throw HTTPClientError(.form("\(URLRefusal.quote(text)) is not a usable URL: \(reason)"))
    }

    func remoteURL() throws(HTTPClientError) -> RemoteURL {
        guard part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil,
            part(CURLUPART_OPTIONS) == nil, part(CURLUPART_ZONEID) == nil
        else { throw HTTPClientError(.form("a URL may not hold a user, a password or a zone")) }
        guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST) else {
            throw HTTPClientError(.form("the URL has no scheme or no host"))
        }
        let port = part(CURLUPART_PORT)
        let number = port.flatMap { UInt16($0) }
        guard port == nil || number != nil else {
            throw HTTPClientError(.form("the URL's port is not a number up to 65535"))
        }
        do throws(URLRefusal) {
            return try RemoteURL(
                scheme: scheme, host: host, port: number, path: part(CURLUPART_PATH) ?? "/",
                query: part(CURLUPART_QUERY))
        } catch {
            throw HTTPClientError(error)
        }
    }

    private func part(_ which: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe bah_curl_url_get(handle, which, &text, 0) == CURLUE_OK,
            let found = unsafe text
        else { return nil }
        // SAFETY: curl_url_get gave a NUL-ended copy that is ours to free.
        defer { unsafe bah_curl_free_text(found) }
        return unsafe String(cString: found)
    }
}
