internal import HTTPClient
internal import URLPolicy
internal import WireProtocol

extension Broker {
    /// Reads and judges one URL of a wish.
    func judged(_ text: String, as what: String = "") throws(BrokerRefusal) -> RemoteURL {
        let url = try parsed(text, what)
        guard let refusal = policy.rules.refusal(of: url) else { return url }
        let sentence = Broker.withoutHint(refusal.message)
        throw BrokerRefusal(
            RefusalCode(rawValue: refusal.code) ?? .urlRefused, what + sentence,
            hint: hint(for: url, refusal))
    }

    private func parsed(_ text: String, _ what: String) throws(BrokerRefusal) -> RemoteURL {
        do throws(HTTPClientError) {
            return try URLParser.parse(text)
        } catch {
            // Without a refusal it is libcurl that is missing or out of memory: a local reason.
            let code: RefusalCode = error.refusal == nil ? .downloadFailedToStart : .urlRefused
            throw BrokerRefusal(code, what + error.subject)
        }
    }

    /// The option under which the rules would not give this reason.
    private func hint(for url: RemoteURL, _ refusal: URLRefusal) -> String? {
        if refusal.reason == .domain {
            return "--allow-domain \(url.hostKind == .ipv6 ? "[\(url.host)]" : url.host)"
        }
        var looser = policy.rules
        looser.domains = .any
        looser.addresses.allowsLoopback = true
        if isAdmitted(url, looser) { return "--allow-loopback" }
        looser.addresses = policy.rules.addresses
        looser.addresses.allowsPrivate = true
        return isAdmitted(url, looser) ? "--allow-private" : nil
    }

    /// Plain http is for loopback only; a name other than localhost is unlikely to be that.
    private func isAdmitted(_ url: RemoteURL, _ rules: URLRules) -> Bool {
        guard rules.refusal(of: url) == nil else { return false }
        return url.scheme == .https || url.hostKind != .name || url.host == "localhost"
    }

    /// The rules' sentences end with an option of their own; ours is kept apart.
    private static func withoutHint(_ message: String) -> String {
        for mark in ["; add --", " (for a loopback server: --"] {
            if let start = message.range(ofText: mark) { return String(message[..<start]) }
        }
        return message
    }
}

extension String {
    /// Where `text` begins in this string.
    fileprivate func range(ofText text: String) -> String.Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }
}

/// What a plugin may send along.
///
/// SDK/include/bahost.
enum RequestHeaders {
    static func check(_ headers: [RequestHeader]) throws(BrokerRefusal) {
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard headers.count <= WireBound.headerCount, bytes <= WireBound.headerBytes else {
            throw BrokerRefusal(
                .badString,
                "at most \(WireBound.headerCount) headers of "
                    + "\(Words.grouped(UInt64(WireBound.headerBytes))) bytes in all are allowed")
        }
        for header in headers {
            guard isPlain(header.value),
                let sent = HTTPHeader(name: header.name, value: header.value)
            else {
                throw BrokerRefusal(
                    .badArgument, "\(PlainText.clean(header.name)) is not a well-formed header")
            }
            guard !sent.isReserved else {
                throw BrokerRefusal(.badArgument, "the header \(header.name) is the host's own")
            }
        }
    }

    /// Servers read bytes above 127 in more than one way.
    ///
    /// RFC 9110 §5.5.
    private static func isPlain(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 < 0x7F }
    }
}
