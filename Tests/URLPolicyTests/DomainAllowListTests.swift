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
        ("localhost", "http://localhost/", true),
    ])
    func patternAdmits(pattern: String, url: String, expected: Bool) throws {
        let parsed = try #require(DomainPattern(untrusted: pattern))
        #expect(parsed.admits(try URLParser.parse(url)) == expected)
    }

    @Test(arguments: [
        "", "*", "*.", "*.*.example.com", "a.*.example.com", "*example.com", "**.example.com",
        "https://example.com", "example.com/", "example.com:443", "example..com", ".example.com",
        "[::1", "::1", "[1.2.3.4]", "*.1.2.3.4", "b\u{fc}cher.example", "a b", "example.com..",
        "a@b", "127.1", "*.1", "2130706433", "a.0x7f",
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
