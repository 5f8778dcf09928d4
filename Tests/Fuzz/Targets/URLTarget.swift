import Glibc
import HTTPClient
import URLPolicy

/// Four lines: a URL, a redirect from it, an entry of a domain list, an address.
enum URLTarget {
    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        let lines = input.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let url = try parsed(lines[0])
        if lines.count > 1 { try checkRedirect(lines[1], from: url) }
        if lines.count > 2 { try checkPattern(lines[2], url) }
        if lines.count > 3 { try AddressPromises.check(text: lines[3]) }
    }

    /// Reads a URL and holds it to what it promises; nil when it is refused.
    private static func parsed(_ text: String) throws(BrokenPromise) -> RemoteURL? {
        let url: RemoteURL
        do throws(HTTPClientError) { url = try URLParser.parse(text) } catch {
            try expectPrintable("\(error)", atMost: 1_024)
            return nil
        }
        try checkForm(url)
        return url
    }

    private static func checkForm(_ url: RemoteURL) throws(BrokenPromise) {
        try expect((try? URLParser.parse(url.text)) == url, "\(url) reads as another URL")
        try expect(
            url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5C && $0 != 0x23 },
            "\(url.text.debugDescription) has an unsafe character")
        try expect(
            !url.host.isEmpty && url.host == url.host.lowercased() && !url.host.hasSuffix("."),
            "the host \(url.host) is not normal")
        let name = url.hostKind == .ipv6 ? "[\(url.host)]" : url.host
        let port = url.port == url.scheme.defaultPort ? "" : ":\(url.port)"
        try expect(
            url.text == "\(url.scheme.rawValue)://\(name)\(port)\(url.target)",
            "\(url) is not put together from its parts")
        try checkHost(url)
        try checkPolicy(url, printed: name)
    }

    /// No resolver takes a name for an address, and each address is the one that is printed.
    private static func checkHost(_ url: RemoteURL) throws(BrokenPromise) {
        guard let address = url.literalAddress else {
            var taken = in_addr()
            try expect(unsafe inet_aton(url.host, &taken) == 0, "\(url.host) is an address too")
            return try expect(
                url.hostKind == .name && SystemAddress(url.host) == nil,
                "\(url.host) is an address that is not seen as one")
        }
        try expect(address.isIPv6 == (url.hostKind == .ipv6), "\(url.host) is of the other kind")
        try expect(
            SystemAddress(url.host)?.bytes == address.bytes, "\(url.host) is another address")
    }

    private static func checkPolicy(_ url: RemoteURL, printed: String) throws(BrokenPromise) {
        if let pattern = DomainPattern(untrusted: printed) {
            try expect(pattern.admits(url), "\(printed) does not admit itself")
        } else {
            try expect(false, "\(printed) is no entry of a domain list")
        }
        let wild = DomainPattern(untrusted: "*.\(printed)")
        try expect(wild?.admits(url) != true, "*.\(printed) admits \(printed)")
        let rules = URLRules(domains: .any)
        guard let refusal = rules.refusal(of: url) else {
            return try expect(
                url.scheme == .https
                    && url.literalAddress.map(AddressPromises.mayBePublic) != false,
                "\(url) is admitted without an allowance")
        }
        try expectPrintable("\(refusal)", atMost: 1_024)
    }

    private static func checkRedirect(
        _ location: String, from url: RemoteURL?
    ) throws(BrokenPromise) {
        guard let url else { return }
        let next: RemoteURL
        do throws(HTTPClientError) { next = try URLParser.resolve(location, against: url) } catch {
            return try expectPrintable("\(error)", atMost: 1_024)
        }
        try checkForm(next)
        if let absolute = try parsed(location) {
            try expect(absolute == next, "\(location) leads to \(next) from \(url)")
        }
        let rules = URLRules(
            domains: .any, addresses: AddressPolicy(allowsLoopback: true, allowsPrivate: true))
        guard var trail = try? RedirectTrail(start: url, rules: rules) else { return }
        do throws(URLRefusal) { try trail.follow(to: next) } catch {
            try expect(trail.current == url, "a refused redirect is followed")
            return try expectPrintable("\(error)", atMost: 1_024)
        }
        try expect(url.scheme == .http || next.scheme == .https, "a redirect leaves https")
        try expect(
            trail.mustDropCredentials == (url.origin != next.origin), "credentials follow \(next)")
    }

    private static func checkPattern(_ text: String, _ url: RemoteURL?) throws(BrokenPromise) {
        guard let pattern = DomainPattern(untrusted: text) else { return }
        let shown = pattern.description
        try expect(DomainPattern(untrusted: shown) == pattern, "\(shown) reads as another entry")
        try expect(
            shown.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an entry cannot be printed")
        guard let url, pattern.admits(url) else { return }
        let host = url.hostKind == .ipv6 ? "[\(url.host)]" : url.host
        if shown.hasPrefix("*.") {
            try expect(
                host.hasSuffix(shown.dropFirst()) && url.hostKind == .name,
                "\(shown) admits \(host)")
        } else {
            try expect(host == shown, "\(shown) admits \(host)")
        }
    }
}
