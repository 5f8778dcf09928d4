internal import CCurl
internal import Glibc
internal import LinuxSystem
internal import URLPolicy

/// Takes an answer as it comes; called on the thread that drives the session.
package protocol HTTPReceiver: AnyObject {
    /// The final head of the answer; false ends the exchange before any of its body.
    func receive(head: ResponseHead) -> Bool

    /// Some of the body; false ends the exchange.
    func receive(body: RawSpan) -> Bool
}

/// One request and its answer.
///
/// Never leaves the thread of its session.
@safe package final class HTTPExchange {
    private var easy: EasyHandle
    private unowned let receiver: any HTTPReceiver
    private let request: HTTPRequest
    private var parser = ResponseHeadParser()
    private var refusal: URLRefusal?
    private var hasDialled = false
    private var unusable: String?
    /// Of the session that it was added to.
    var book: ConnectionBook?
    private var sockets: [Int32] = []
    private var connection: ConnectionBook.Ends?
    /// True when its connection was given up before the request, for what was left in it.
    private(set) var hasMetLeftovers = false

    /// Prepares an exchange; nothing is sent before it is added to a session.
    ///
    /// The receiver must live as long as the exchange.
    package init(
        _ request: HTTPRequest, configuration: HTTPConfiguration, receiver: any HTTPReceiver
    ) throws(HTTPClientError) {
        easy = try EasyHandle()
        self.receiver = receiver
        self.request = request
        try setRules(configuration)
        try setRequest()
        try setCallbacks()
    }

    var pointer: UnsafeMutableRawPointer { unsafe easy.pointer }

    /// Makes it ready to be added again, for a connection of its own.
    func renew() throws(HTTPClientError) {
        hasMetLeftovers = false
        try easy.set(CURLOPT_FRESH_CONNECT, 1)
    }

    /// Puts what libcurl reported together with what our own rules ended.
    func outcome(_ code: CURLcode) -> HTTPOutcome {
        guard code != CURLE_OK else { return .finished }
        if let unusable {
            return .failed(
                HTTPFault(code: Int32(CURLE_WEIRD_SERVER_REPLY.rawValue), message: unusable))
        }
        // Only when every address was refused; a refused one beside one that failed is not the cause.
        let isOurs = !hasDialled || code == CURLE_ABORTED_BY_CALLBACK
        return .failed(
            HTTPFault(
                code: Int32(code.rawValue),
                message: "\(request.url.host): \(easy.message(for: code))",
                refusal: isOurs ? refusal : nil))
    }
}

extension HTTPExchange {
    /// The options that never change.
    ///
    /// Each is described in curl_easy_setopt(3).
    private func setRules(_ configuration: HTTPConfiguration) throws(HTTPClientError) {
        try easy.useErrorText()
        try easy.set(CURLOPT_NOSIGNAL, 1)
        try easy.leaveResolver()
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_FOLLOWLOCATION, 0)
        try easy.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        try easy.set(CURLOPT_HTTP09_ALLOWED, 0)
        try easy.set(CURLOPT_PATH_AS_IS, 1)
        // No environment variable decides who is contacted.
        try easy.set(CURLOPT_PROXY, "")
        try easy.set(CURLOPT_NOPROXY, "*")
        try easy.set(CURLOPT_NETRC, 0)
        try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let file = configuration.authorityFile { try easy.set(CURLOPT_CAINFO, file) }
        try easy.set(CURLOPT_BUFFERSIZE, 256 * 1024)
        try easy.set(CURLOPT_USERAGENT, configuration.userAgent)
        try easy.set(
            CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.connectTimeout.wholeMilliseconds))
        try easy.set(CURLOPT_LOW_SPEED_LIMIT, Int(clamping: configuration.stallRate.bytes))
        try easy.set(CURLOPT_LOW_SPEED_TIME, Int(configuration.stallTime.components.seconds))
    }

    private func setRequest() throws(HTTPClientError) {
        try easy.set(CURLOPT_URL, request.url.text)
        for header in request.headers where !header.isReserved {
            // "Name;" is how curl spells a header without a value.
            try easy.append(
                header: header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            )
        }
        if request.asksForIdentity { try easy.append(header: "Accept-Encoding: identity") }
        if request.firstByte > 0 {
            // Not CURLOPT_RANGE: libcurl would judge the answer too, by rules of its own.
            try easy.append(header: "Range: bytes=\(request.firstByte)-")
            if let validator = request.ifRange { try easy.append(header: "If-Range: \(validator)") }
        }
        try easy.useHeaders()
    }

    private func setCallbacks() throws(HTTPClientError) {
        // SAFETY: the handle is closed in this object's deinit, so no callback outlives the object.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        try unsafe easy.connect(
            context: context,
            header: { bytes, size, count, context in
                let room = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                return unsafe HTTPExchange.of(context).take(header: Array(room)) ? size * count : 0
            },
            body: { bytes, size, count, context in
                let room = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                let isWanted = unsafe HTTPExchange.of(context).receiver.receive(body: room.bytes)
                return isWanted ? size * count : 0
            },
            judge: { address, length, context in
                unsafe HTTPExchange.of(context).admits(SocketAddress.read(address, length)) ? 1 : 0
            },
            opened: { made, context in unsafe HTTPExchange.of(context).sockets.append(made) },
            confirm: { ends, context in
                let found = unsafe ConnectionBook.Ends(ends.pointee)
                return unsafe HTTPExchange.of(context).confirms(found) ? 1 : 0
            })
    }

    /// SAFETY: the pointer is the one that ``setCallbacks()`` gave to libcurl.
    @unsafe private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPExchange {
        unsafe Unmanaged<HTTPExchange>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Before the request goes out on a connection, new or kept.
    private func confirms(_ ends: ConnectionBook.Ends) -> Bool {
        guard admits(IPAddress(text: ends.peer)) else { return false }
        connection = ends
        book?.enter(ends, among: sockets)
        hasMetLeftovers = book?.hasLeftovers(ends) ?? false
        return !hasMetLeftovers
    }

    private func take(header line: [UInt8]) -> Bool {
        if let connection, line.starts(with: Array("HTTP/1.".utf8)) { book?.markTurns(connection) }
        switch parser.take(line: line) {
        case .more: return true
        case .finished(let head): return receiver.receive(head: head)
        case .unusable(let why):
            unusable = why
            return false
        }
    }

    private func admits(_ address: IPAddress?) -> Bool {
        guard let address else {
            refusal = .address("\(request.url.host) has an address that is neither IPv4 nor IPv6")
            return false
        }
        guard let found = request.addresses.refusal(of: address, scheme: request.url.scheme) else {
            hasDialled = true
            return true
        }
        refusal = URLRefusal(reason: found.reason, message: "\(request.url.host): \(found.message)")
        return false
    }
}

extension ConnectionBook.Ends {
    fileprivate init(_ ends: bah_curl_ends) {
        peer = unsafe ends.peer.map { unsafe String(cString: $0) } ?? ""
        local = unsafe ends.local.map { unsafe String(cString: $0) } ?? ""
        (peerPort, localPort) = unsafe (ends.peer_port, ends.local_port)
    }
}

/// The address inside a `sockaddr`.
///
/// ip(7), ipv6(7).
enum SocketAddress {
    /// Nil for another family or a length too short for its own.
    @unsafe static func read(_ address: UnsafePointer<sockaddr>, _ length: UInt32) -> IPAddress? {
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(length))
        let range: Range<Int>
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            guard let start = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) else { return nil }
            range = start..<(start + 4)
        case AF_INET6:
            guard let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) else { return nil }
            range = start..<(start + 16)
        default: return nil
        }
        guard range.upperBound <= bytes.count else { return nil }
        return IPAddress(bytes: unsafe Array(bytes[range]))
    }
}
