internal import CCurl

/// libcurl as a whole, opened on first use.
package enum CurlLibrary {
    /// Opens libcurl and starts it, once per process; later calls cost nothing.
    ///
    /// `dlopen(3)`, `curl_global_init(3)`.
    package static func load() throws(HTTPClientError) {
        guard bah_curl_load() != 0 else { return }
        let reason = unsafe String(cString: bah_curl_load_message())
        throw HTTPClientError(code: .libraryUnavailable, subject: "cannot use libcurl: \(reason)")
    }
}

/// Dates as HTTP writes them.
///
/// RFC 9110 §5.6.7, read by `curl_getdate(3)`.
enum HTTPDate {
    /// Seconds since 1970, or nil for what is no date.
    ///
    /// libcurl passes over bytes that stand between words and stops at a NUL; a date has neither.
    static func parse(_ text: String) -> Int64? {
        guard (try? CurlLibrary.load()) != nil, text.utf8.count <= 64,
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        let seconds = unsafe bah_curl_parse_date(text)
        return seconds < 0 ? nil : seconds
    }
}
