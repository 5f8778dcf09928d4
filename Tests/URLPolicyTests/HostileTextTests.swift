import HTTPClient
import Testing
import URLPolicy

/// Text of no shape at all: every parser answers, and what it takes keeps its promises.
struct HostileTextTests {
    private struct Noise: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let pieces = [
        "http://", "https://", "HTTPS:", "//", "/", "\\", "@", ":", ".", "..", "*.", "[", "]", "::",
        "::1", "127.0.0.1", "0x7f", "0177", "2130706433", "a", "example.com", "xn--", "\u{e9}",
        "\u{3002}", "%2f", "%00", "%", "?", "#", " ", "\t", "\r\n", "\0", "443", "65536", "-", "_",
        "user", ";", "\u{202e}", "e\u{301}",
    ]

    private func texts(seed: UInt64, count: Int) -> [String] {
        var noise = Noise(state: seed)
        return (0..<count).map { _ in
            let length = Int.random(in: 0...8, using: &noise)
            return (0..<length).compactMap { _ in Self.pieces.randomElement(using: &noise) }
                .joined()
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func whatIsParsedIsPlainAndParsesToItself(seed: UInt64) throws {
        var taken = 0
        for text in texts(seed: seed, count: 3_000) {
            guard let url = try? URLParser.parse("https://" + text) else { continue }
            taken += 1
            #expect(url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5C })
            #expect(!url.host.isEmpty && !url.host.hasSuffix(".") && !url.host.contains("@"))
            #expect(url.host == url.host.lowercased())
            #expect(try URLParser.parse(url.text) == url)
        }
        #expect(taken > 0, "seed \(seed)")
    }

    @Test(arguments: [4, 5, 6] as [UInt64])
    func redirectsStayWithinHTTP(seed: UInt64) throws {
        let base = try URLParser.parse("https://a.example/b/c?d")
        for text in texts(seed: seed, count: 3_000) {
            guard let url = try? URLParser.resolve(text, against: base) else { continue }
            #expect(try URLParser.parse(url.text) == url, "from \(text)")
        }
    }

    @Test(arguments: [7, 8] as [UInt64])
    func patternsAndAddressesPrintWhatTheyRead(seed: UInt64) {
        for text in texts(seed: seed, count: 5_000) {
            if let pattern = DomainPattern(untrusted: text) {
                #expect(DomainPattern(untrusted: pattern.description) == pattern)
            }
            if let address = IPAddress(text: text) {
                #expect(IPAddress(text: address.description) == address)
            }
        }
    }
}
