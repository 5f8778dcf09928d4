import HTTPClient
import Testing
import URLPolicy

struct RemoteURLTests {
    @Test(arguments: [
        ("https://Example.COM", "https://example.com/"),
        ("HTTPS://example.com./a", "https://example.com/a"),
        ("https://example.com:443/a?b=c#d", "https://example.com/a?b=c"),
        ("https://example.com:8443/a/../b", "https://example.com:8443/a/../b"),
        ("http://127.0.0.1:80/", "http://127.0.0.1/"), ("http://127.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"), ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("https://[2001:DB8:0:0::1]:99/", "https://[2001:db8::1]:99/"),
        ("https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://a.example/%2e%2e/?q=a@b", "https://a.example/%2e%2e/?q=a@b"),
        ("https://a.example?x", "https://a.example/?x"),
        ("https://a.example#x", "https://a.example/"),
        ("https://ex%61mple.com/", "https://example.com/"),
        ("https://127.0.0.1./", "https://127.0.0.1/"),
        ("http://0x7f000001/", "http://127.0.0.1/"), ("http://017700000001/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"), ("https://[::]/", "https://[::]/"),
        ("https://[64:ff9b::7f00:1]/", "https://[64:ff9b::7f00:1]/"),
    ])
    func normalises(text: String, expected: String) throws {
        #expect(try URLParser.parse(text).text == expected)
    }

    @Test(arguments: [
        "", "example.com", "//example.com/", "/path", "ftp://example.com/", "file:///etc/passwd",
        "javascript:alert(1)", "https:/example.com", "https:///example.com", "https://",
        "https://?x",
        "https://user@example.com/", "https://user:pw@example.com/", "https://@example.com/",
        "https://allowed.example\\@evil.example/", "https://example.com\\a",
        "https://example.com../",
        "https://.example.com/", "https://a..b/", "https://exa mple.com/",
        "https://example.com/a b",
        "https://example.com/a\nb", "https://b\u{fc}cher.example/", "https://example\u{3002}com/",
        "https://example.com:0/", "https://example.com:65536/", "https://example.com:x/",
        "https://[fe80::1%25eth0]/", "https://[::1/", "https://[1.2.3.4]/", "https://a_b!c/",
        "https://example\u{FF0E}com/", "https://example\u{FF61}com/",
        "https://example%E3%80%82com/",
        "https://b%C3%BCcher.example/", "https://\u{212A}.example/", "https://a\u{AD}.example/",
        "https://example.com/a\tb", "https://exam\tple.com/", "https://exam\nple.com/",
        "\thttps://example.com/", " https://example.com/", "https://example.com/ ",
        "https://example.com/\r", "https://example.com%00.evil.example/",
        "https://example.com%2Fevil.example/", "https://example.com%40evil.example/",
        "https://[fe80::1%eth0]/", "https://[fe80::1%25]/", "https://[::1%25lo]/",
        "https://[::ffff:127.0.0.1%251]/", "https://::1/", "https://[v1.x]/",
        "https://example.com.../",
        "https://./", "https://..", "https://%2e/", "data:text/html,x", "blob:https://a.example/x",
        "ws://example.com/", "gopher://example.com/", "dict://example.com/",
        "httpss://example.com/",
        "http+unix://example.com/", "https://allowed.example@evil.example/",
        "https://:@example.com/", "https://example.com:-1/", "https://example.com:+443/",
        "https://example.com:4 43/", "https://4294967296/", "https://0x100000000/",
        "https://example.com/\u{e9}", "https://example.com/\u{7f}", "https://example.com/a\0b",
        "https://*.example.com/", "http://2130706433./", "http://0177./", "http://0x7f./",
        "http://127.1./", "https://a.0x1f/", "https://example.123/", "https://256.1.1.1/",
    ])
    func refusesFormsThatParsersDisagreeOn(text: String) {
        let error = #expect(throws: HTTPClientError.self) { try URLParser.parse(text) }
        #expect(error?.refusal?.code == 1003)
        #expect(error?.refusal?.domain == .bahost)
    }

    @Test func lengthIsBounded() throws {
        let start = "https://example.com/"
        let fits = start + String(repeating: "a", count: RemoteURL.maximumLength - start.utf8.count)
        #expect(try URLParser.parse(fits).text.utf8.count == RemoteURL.maximumLength)
        #expect(throws: HTTPClientError.self) { try URLParser.parse(fits + "a") }
    }

    @Test func namesItsParts() throws {
        let url = try URLParser.parse("https://[::1]:8080/a?b")
        #expect(url.host == "::1")
        #expect(url.hostKind == .ipv6)
        #expect(url.port == 8080)
        #expect(url.target == "/a?b")
        #expect(url.literalAddress?.addressClass == .loopback)
        #expect(try URLParser.parse("http://1.2.3.4/").hostKind == .ipv4)
        #expect(try URLParser.parse("http://1.2.3.4.example/").hostKind == .name)
        #expect(try URLParser.parse("http://localhost/").literalAddress == nil)
    }

    @Test func originIsSchemeHostAndPort() throws {
        let origin = try URLParser.parse("https://a.example/").origin
        #expect(try URLParser.parse("https://A.example.:443/x").origin == origin)
        #expect(try URLParser.parse("http://a.example/").origin != origin)
        #expect(try URLParser.parse("https://a.example:444/").origin != origin)
        #expect(try URLParser.parse("https://b.example/").origin != origin)
    }

    @Test func theInitialiserChecksPartsAgain() {
        for host in [
            "user@host", "a\\b", "h\u{f6}st", "a..", "[::1", "[zz]", "", "a/b", "[1.2.3.4]",
        ] {
            #expect(throws: URLRefusal.self) {
                try RemoteURL(scheme: "https", host: host, port: nil, path: "/", query: nil)
            }
        }
        for path in ["", "a", "/a b", "/\u{e9}", "/a\\b", "/a#b", "/\r\nX: y"] {
            #expect(throws: URLRefusal.self) {
                try RemoteURL(scheme: "https", host: "a.example", port: nil, path: path, query: nil)
            }
        }
        #expect(throws: URLRefusal.self) {
            try RemoteURL(scheme: "gopher", host: "a.example", port: nil, path: "/", query: nil)
        }
    }

    @Test(arguments: [
        ("/b", "https://a.example/b"), ("c", "https://a.example/x/c"),
        ("?q", "https://a.example/x/y?q"),
        ("//b.example/z", "https://b.example/z"), ("http://c.example/", "http://c.example/"),
        ("/sp ace", "https://a.example/sp%20ace"), ("../d", "https://a.example/d"),
        ("/\u{e9}", "https://a.example/%c3%a9"),
    ])
    func resolvesRedirects(location: String, expected: String) throws {
        let base = try URLParser.parse("https://a.example/x/y")
        #expect(try URLParser.resolve(location, against: base).text.lowercased() == expected)
    }

    @Test(arguments: [
        "ftp://a.example/", "https://u:p@b.example/", "https://b.example\\@c.example/", "file:///x",
        "https://b\u{fc}.example/", "//u:p@b.example/", "//b.example\\@c.example/",
        "//b.example../",
        "//[fe80::1%25eth0]/", "//b\u{3002}example/", "javascript:alert(1)", "data:,x", "/a\tb",
        "/a\\b", "https://b.example:0/", "//2130706433./",
    ])
    func refusesRedirectsItWouldNotParse(location: String) throws {
        let base = try URLParser.parse("https://a.example/x/y")
        #expect(throws: HTTPClientError.self) { try URLParser.resolve(location, against: base) }
    }
}
