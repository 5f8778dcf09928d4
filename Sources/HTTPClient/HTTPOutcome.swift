internal import CCurl
package import URLPolicy

/// How an exchange ended.
package enum HTTPOutcome: Hashable, Sendable {
    /// The whole answer came.
    case finished
    case failed(HTTPFault)
}

/// Why an exchange failed, in libcurl's words.
///
/// libcurl-errors(3).
package struct HTTPFault: Error, Hashable, Sendable {
    /// A CURLcode.
    package let code: Int32
    package let message: String
    /// Set when it was our own rule about addresses that ended it.
    package let refusal: URLRefusal?

    package init(code: Int32, message: String, refusal: URLRefusal? = nil) {
        self.code = code
        self.message = message
        self.refusal = refusal
    }

    /// True when the same request may go better later: the network or the server's manner of
    /// speaking, not a rule, a certificate or a wrong option.
    package var isTransient: Bool {
        refusal == nil && HTTPFault.transientCodes.contains(code)
    }

    private static let transientCodes = Set(
        [
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_PARTIAL_FILE,
            CURLE_OPERATION_TIMEDOUT, CURLE_SSL_CONNECT_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_ERROR,
            CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_WEIRD_SERVER_REPLY,
            // What libcurl calls an answer without an HTTP status line.
            CURLE_UNSUPPORTED_PROTOCOL,
        ].map { Int32($0.rawValue) })
}
