import HTTPClient
import Testing
import URLPolicy

struct DomainAllowListTests {
    @Test(arguments: [
        ("cdn.example.com", "https://cdn.example.com/", true),
        ("cdn.example.com", "https://CDN.example.com.:8443/", true),
        ("CDN.Example.com.", "https://cdn.example.com/", true),
        ("cdn.example.com", "https://a.cdn.example.com/", false),
        ("cdn.example.com", "https://evil-cdn.example.com/", false),
        ("cdn.example.com", "https://cdn.example.com.evil.example/", false),
        ("*.example.com", "https://a.example.com/", true),
        ("*.example.com", "https://a.b.example.com/", true),
        ("*.example.com", "https://example.com/", false),
        ("*.example.com", "https://evilexample.com/", false),
        ("*.example.com", "https://evil.example/a.example.com", false),
        ("127.0.0.1", "http://127.0.0.1:9999/", true), ("127.0.0.1", "http://127.0.0.2/", false),
        ("127.0.0.1", "http://localhost/", false), ("*.0.0.1.example", "http://127.0.0.1/", false),
        ("[::1]", "http://[0:0::1]/", true), ("[0:0:0:0:0:0:0:1]", "http://[::1]/", true),
        ("[::1]", "http://127.0.0.1/", false), ("127.0.0.1", "http://[::ffff:127.0.0.1]/", false),
        ("localhost", "http://localhost/", true), ("-a.b-.example", "https://-a.b-.example/", true),
        ("example.com", "https://example.com:1/", true),
        ("example.com", "http://example.com/", true),
        ("*.example.com", "https://a.example.com:8443/", true),
        ("*.example.com", "https://a.example.com./", true),
        ("*.EXAMPLE.com.", "https://A.Example.com/", true),
        ("*.example.com", "https://a.example.com.evil.example/", false),
        ("*.1.example", "https://127.0.0.1/", false), ("*.com", "https://example.com/", true),
        ("127.0.0.1", "http://2130706433/", true), ("127.0.0.1", "http://0x7f.1:81/", true),
        ("127.0.0.1", "http://0177.0.0.1/", true), ("127.0.0.1", "https://127.0.0.1./", true),
        ("[::ffff:127.0.0.1]", "https://[::ffff:7f00:1]/", true),
        ("[::ffff:127.0.0.1]", "https://127.0.0.1/", false),
        ("[2001:db8::1]", "https://[2001:DB8:0:0:0:0:0:1]:99/", true),
        ("xn--bcher-kva.example", "https://XN--BCHER-KVA.example/", true),
    ])
    func patternAdmits(pattern: String, url: String, expected: Bool) throws {
        let parsed = try #require(DomainPattern(untrusted: pattern))
        #expect(parsed.admits(try URLParser.parse(url)) == expected)
    }

    @Test(arguments: [
        "", "*", "*.", "*.*.example.com", "a.*.example.com", "*example.com", "**.example.com",
        "https://example.com", "example.com/", "example.com:443", "example..com", ".example.com",
        "[::1", "::1", "[1.2.3.4]", "*.1.2.3.4", "b\u{fc}cher.example", "a b", "example.com..",
        "a@b", "example.com\u{3002}", "example\u{FF0E}com", "*.example.com..", "[fe80::1%eth0]",
        "[::1].", "[::1]:443", "*.[::1]", "[]", "a\tb", "a\nb", "a\\b", "?.example.com", "a%2eb",
        "0x7f.0.0.1", "0177.0.0.1", "*.0x7f", "127.1", "*.1", "2130706433", "a.0x7f",
    ])
    func refusesOtherPatterns(text: String) {
        #expect(DomainPattern(untrusted: text) == nil)
    }

    @Test func emptyListAdmitsNothingAndAnyAdmitsAll() throws {
        let url = try URLParser.parse("https://example.com/")
        #expect(!DomainAllowList([]).admits(url))
        #expect(DomainAllowList.any.admits(url))
    }

    @Test func oneMatchingPatternIsEnough() throws {
        let patterns = try ["a.example", "*.b.example"].map {
            try #require(DomainPattern(untrusted: $0))
        }
        let list = DomainAllowList(patterns)
        #expect(list.admits(try URLParser.parse("https://x.b.example/")))
        #expect(!list.admits(try URLParser.parse("https://c.example/")))
        #expect(patterns.map(\.description) == ["a.example", "*.b.example"])
    }
}
