/// What a run may fetch.
///
/// The same rules judge the URL that was asked for and each redirect after it.
package struct URLRules: Hashable, Sendable {
    /// Redirects that are followed; the next one fails (docs/extension-author.md).
    package static let maximumRedirects = 10

    package var domains: DomainAllowList
    package var addresses: AddressPolicy

    package init(domains: DomainAllowList, addresses: AddressPolicy = AddressPolicy()) {
        self.domains = domains
        self.addresses = addresses
    }

    /// Nil when `url` may be asked for: scheme, domain list, and the address if the host is one.
    ///
    /// A name's addresses are judged when the socket is made.
    package func refusal(of url: RemoteURL) -> URLRefusal? {
        if url.scheme == .http, !addresses.allowsLoopback {
            return .form(
                "plain http is refused, use https; add --allow-loopback for this machine's own"
            )
        }
        guard domains.admits(url) else {
            let host = url.hostKind == .ipv6 ? "[\(url.host)]" : url.host
            return URLRefusal(
                reason: .domain,
                message: "\(host) is not an allowed domain; add --allow-domain \(host)")
        }
        return url.literalAddress.flatMap { addresses.refusal(of: $0, scheme: url.scheme) }
    }
}

/// The way from the URL that was asked for to the one that answers, judged at every step.
package struct RedirectTrail: Hashable, Sendable {
    package let rules: URLRules
    package private(set) var current: RemoteURL
    package private(set) var hops = 0
    /// True once a hop has left the first origin; stays true if a later hop comes back.
    package private(set) var mustDropCredentials = false

    /// Begins at a URL that the rules admit.
    package init(start: RemoteURL, rules: URLRules) throws(URLRefusal) {
        if let refusal = rules.refusal(of: start) { throw refusal }
        self.rules = rules
        current = start
    }

    /// Goes one hop further, or refuses for good.
    ///
    /// Ten pass, the eleventh fails.
    package mutating func follow(to next: RemoteURL) throws(URLRefusal) {
        guard hops < URLRules.maximumRedirects else {
            throw URLRefusal(
                reason: .tooManyRedirects,
                message:
                    "more than \(URLRules.maximumRedirects) redirects, the last to \(next.host)")
        }
        if current.scheme == .https, next.scheme == .http {
            throw .form("a redirect from https to http (\(next.host)) is refused")
        }
        if let refusal = rules.refusal(of: next) {
            throw URLRefusal(
                reason: refusal.reason, message: "redirect to \(next.host): \(refusal.message)")
        }
        if next.origin != current.origin { mustDropCredentials = true }
        current = next
        hops += 1
    }

    /// True for the headers that belong to one origin only.
    ///
    /// The standard ones (RFC 9110 §11, RFC 6265), and whatever is named like one, as services do:
    /// `X-Api-Key`, `Private-Token`, `AWSAccessKeyId`, `x-accesstoken`.
    package static func isCredential(headerName name: String) -> Bool {
        name.split { !$0.isLetter }.contains { run in
            ([run] + humps(of: run)).contains { isCredential(word: $0.lowercased()) }
        }
    }

    private static func isCredential(word: String) -> Bool {
        credentialWords.contains(word) || credentialParts.contains { word.contains($0) }
            || word.hasPrefix("auth") || word.hasPrefix("cookie")
            || word.hasSuffix("token") || word.hasSuffix("tokens")
    }

    /// The words of a name in which only capital letters tell them apart: `AWS`, `Access`, `Key`.
    private static func humps(of run: Substring) -> [Substring] {
        var humps: [Substring] = []
        var start = run.startIndex
        for place in run.indices.dropFirst() where run[place].isUppercase {
            let next = run.index(after: place)
            let endsSmall = run[run.index(before: place)].isLowercase
            guard endsSmall || next < run.endIndex && run[next].isLowercase else { continue }
            humps.append(run[start..<place])
            start = place
        }
        return humps + [run[start...]]
    }

    private static let credentialWords: Set<String> = ["key", "session", "sessionid"]
    private static let credentialParts = [
        "accesskey", "apikey", "credential", "password", "secret", "signature",
    ]
}
