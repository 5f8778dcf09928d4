import HTTPClient
import Testing
import URLPolicy

struct URLRulesTests {
    private func trail(
        _ start: String, domains: DomainAllowList = .any, addresses: AddressPolicy = AddressPolicy()
    ) throws -> RedirectTrail {
        try RedirectTrail(
            start: URLParser.parse(start), rules: URLRules(domains: domains, addresses: addresses))
    }

    @Test func plainHTTPNeedsTheLoopbackAllowance() throws {
        let url = try URLParser.parse("http://localhost/")
        #expect(URLRules(domains: .any).refusal(of: url)?.code == 1003)
        let allowed = AddressPolicy(allowsLoopback: true)
        #expect(URLRules(domains: .any, addresses: allowed).refusal(of: url) == nil)
    }

    @Test func domainRefusalIsApples202AndNamesTheFlag() throws {
        let url = try URLParser.parse("https://[2606:4700::1111]/")
        let refusal = try #require(URLRules(domains: DomainAllowList([])).refusal(of: url))
        #expect(refusal.code == 202)
        #expect(refusal.domain == .apple)
        #expect(refusal.message.hasSuffix("add --allow-domain [2606:4700::1111]"))
    }

    @Test func literalAddressesAreJudgedAtOnce() throws {
        let rules = URLRules(domains: .any)
        for text in ["https://127.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/"] {
            #expect(rules.refusal(of: try URLParser.parse(text))?.code == 1010)
        }
        #expect(rules.refusal(of: try URLParser.parse("https://8.8.8.8/")) == nil)
    }

    /// However it is spelled, the address is the one that is dialled.
    @Test(arguments: [
        "https://2130706433/", "https://0x7f.0.0.1/", "https://0177.1/", "https://127.0.0.1./",
        "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::127.0.0.1]/", "https://[2002:7f00:1::]/",
        "https://[::127.0.0.1]/", "https://0.0.0.0/", "https://0/", "https://[::]/",
        "https://224.0.0.1/", "https://[ff02::1]/", "https://192.0.2.1/", "https://[2001:db8::1]/",
        "https://[64:ff9b::a00:1]/", "https://[fe80::1]/", "https://[fd00::1]/",
    ])
    func disguisedAddressesAreRefused(text: String) throws {
        #expect(URLRules(domains: .any).refusal(of: try URLParser.parse(text))?.code == 1010)
    }

    /// A loopback allowance is for loopback itself, not for a tunnel that ends there.
    @Test(arguments: [
        ("http://2130706433/", true), ("https://[::ffff:7f00:1]/", true),
        ("https://[64:ff9b::7f00:1]/", false), ("https://[2002:7f00:1::]/", false),
        ("http://0.0.0.0/", false), ("http://[::]/", false), ("http://[64:ff9b::7f00:1]/", false),
    ])
    func loopbackAllowanceOpensNoTunnel(text: String, isAdmitted: Bool) throws {
        let rules = URLRules(domains: .any, addresses: AddressPolicy(allowsLoopback: true))
        #expect((rules.refusal(of: try URLParser.parse(text)) == nil) == isAdmitted)
    }

    @Test func tenRedirectsPassAndTheEleventhFails() throws {
        var trail = try trail("https://a.example/0")
        for hop in 1...10 { try trail.follow(to: URLParser.parse("https://a.example/\(hop)")) }
        #expect(trail.hops == 10)
        let error = #expect(throws: URLRefusal.self) {
            try trail.follow(to: URLParser.parse("https://a.example/11"))
        }
        #expect(error?.reason == .tooManyRedirects)
        #expect(trail.current.target == "/10")
    }

    @Test func downgradesAreRefusedEvenToLoopback() throws {
        let allowed = AddressPolicy(allowsLoopback: true)
        var trail = try trail("https://localhost/", addresses: allowed)
        let error = #expect(throws: URLRefusal.self) {
            try trail.follow(to: URLParser.parse("http://localhost/"))
        }
        #expect(error?.code == 1003)
    }

    @Test func everyHopIsJudgedLikeTheFirst() throws {
        let pattern = try #require(DomainPattern(untrusted: "a.example"))
        var listed = try trail("https://a.example/", domains: DomainAllowList([pattern]))
        #expect(throws: URLRefusal.self) {
            try listed.follow(to: URLParser.parse("https://b.example/"))
        }
        var open = try trail("https://a.example/")
        let error = #expect(throws: URLRefusal.self) {
            try open.follow(to: URLParser.parse("https://10.0.0.1/"))
        }
        #expect(error?.code == 1010)
        #expect(throws: URLRefusal.self) { try trail("https://10.0.0.1/") }
    }

    @Test(arguments: [
        ("https://a.example/other", false), ("https://a.example:444/", true),
        ("https://b.example/", true), ("https://A.EXAMPLE:443/", false),
    ])
    func credentialsBelongToOneOrigin(next: String, areDropped: Bool) throws {
        var trail = try trail("https://a.example/")
        try trail.follow(to: URLParser.parse(next))
        #expect(trail.mustDropCredentials == areDropped)
        try trail.follow(to: URLParser.parse("https://a.example/"))
        #expect(trail.mustDropCredentials == areDropped)
    }

    @Test(arguments: [
        "Authorization", "COOKIE", "proxy-authorization", "Cookie2", "X-Api-Key", "X_API_KEY",
        "apikey", "Private-Token", "X-Auth", "X-Amz-Security-Token", "Session-ID", "X-Signature",
        "Authentication-Info", "X-AccessToken", "PrivateToken", "AWSAccessKeyId", "x-accesstoken",
        "PRIVATETOKEN", "awsaccesskeyid", "X-SubscriptionKey", "XApiKey", "clientSecret", "OAuth",
        "X-UserPassword", "SessionId", "X-Credentials", "requestSignature", "IDTokens", "myCookie2",
    ])
    func knowsTheCredentialHeaders(name: String) {
        #expect(RedirectTrail.isCredential(headerName: name))
    }

    @Test(arguments: [
        "Accept", "Accept-Language", "User-Agent", "X-Keyboard", "X-Tokenizer", "Via",
        "Content-Type", "ETag", "If-Range", "DNT", "X-KeyboardLayout", "MonkeyBusiness",
        "X-RequestID", "TE", "",
    ])
    func otherHeadersGoAlong(name: String) {
        #expect(!RedirectTrail.isCredential(headerName: name))
    }
}
