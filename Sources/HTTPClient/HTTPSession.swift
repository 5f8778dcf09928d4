internal import CCurl

/// Many exchanges driven by one thread.
///
/// libcurl-multi(3).
@safe package struct HTTPSession: ~Copyable {
    private let multi: UnsafeMutableRawPointer
    private var exchanges: [UInt: HTTPExchange] = [:]
    private let book = ConnectionBook()

    package init(configuration: HTTPConfiguration) throws(HTTPClientError) {
        try CurlLibrary.load()
        guard let opened = unsafe bah_curl_multi_open() else {
            throw HTTPClientError(code: .outOfMemory, subject: "no memory for transfers")
        }
        unsafe multi = opened
        unsafe _ = bah_curl_multi_set_long(
            opened, CURLMOPT_MAXCONNECTS, configuration.keptConnections)
    }

    deinit {
        for exchange in exchanges.values {
            unsafe _ = bah_curl_multi_remove(multi, exchange.pointer)
        }
        // SAFETY: no easy handle is left in it, and the pointer never left this value.
        unsafe bah_curl_multi_close(multi)
    }

    package var isIdle: Bool { exchanges.isEmpty }

    /// Starts an exchange with the next ``perform()``, and keeps it until it ends or is removed.
    package mutating func add(_ exchange: HTTPExchange) throws(HTTPClientError) {
        let key = unsafe UInt(bitPattern: exchange.pointer)
        try HTTPSession.check(unsafe bah_curl_multi_add(multi, exchange.pointer))
        exchange.book = book
        exchanges[key] = exchange
    }

    /// Ends an exchange now, without an outcome.
    ///
    /// Not from inside a receiver.
    package mutating func remove(_ exchange: HTTPExchange) {
        let key = unsafe UInt(bitPattern: exchange.pointer)
        guard exchanges.removeValue(forKey: key) != nil else { return }
        unsafe _ = bah_curl_multi_remove(multi, exchange.pointer)
    }

    /// Moves every exchange as far as it goes without waiting; receivers are called from here.
    package func perform() throws(HTTPClientError) {
        try HTTPSession.check(unsafe bah_curl_multi_perform(multi))
    }

    /// Waits until a socket is ready, `descriptor` is readable, or the time is over.
    package func wait(for descriptor: Int32, timeout: Duration) throws(HTTPClientError) {
        let parts = timeout.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        let bounded = Int32(clamping: max(0, milliseconds))
        try HTTPSession.check(unsafe bah_curl_multi_wait(multi, descriptor, bounded))
    }

    /// The next exchange that has ended, taken out of the session; nil when there is none.
    package mutating func nextEnded() -> (exchange: HTTPExchange, outcome: HTTPOutcome)? {
        var pointer: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while unsafe bah_curl_multi_next_done(multi, &pointer, &code) == 1 {
            guard let ended = unsafe pointer,
                let exchange = exchanges[UInt(bitPattern: ended)]
            else { continue }
            let outcome = exchange.outcome(code)
            remove(exchange)
            if exchange.hasMetLeftovers, (try? askAnew(exchange)) != nil { continue }
            return (exchange, outcome)
        }
        return nil
    }

    /// Nothing has been sent yet, so that this is no second request.
    private mutating func askAnew(_ exchange: HTTPExchange) throws(HTTPClientError) {
        try exchange.renew()
        try add(exchange)
    }

    private static func check(_ code: CURLMcode) throws(HTTPClientError) {
        guard code != CURLM_OK else { return }
        throw HTTPClientError(
            code: code == CURLM_OUT_OF_MEMORY ? .outOfMemory : .refusedByLibrary,
            subject: "libcurl's multi interface reported code \(code.rawValue)")
    }
}
