import HTTPClient
import Testing

struct ResponseHeadTests {
    private func parse(_ lines: [String]) -> ResponseHeadParser.Step {
        var parser = ResponseHeadParser()
        for line in lines + [""] {
            let step = parser.take(line: Array("\(line)\r\n".utf8))
            if step != .more { return step }
        }
        return .more
    }

    private func head(_ lines: String...) throws -> ResponseHead {
        guard case .finished(let head) = parse(lines) else {
            throw HTTPClientError(code: .refusedByLibrary, subject: "not finished: \(lines)")
        }
        return head
    }

    @Test func readsTheHeadersOfADownload() throws {
        let head = try head(
            "HTTP/1.1 206 Partial Content", "etag: \"v1\"", "Content-Length: 10 ",
            "CONTENT-RANGE: bytes 10-19/20", "Accept-Ranges: bytes",
            "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:49:38 GMT",
            "Location:  /x ")
        #expect(head.status == 206)
        #expect(head.entityTag == "\"v1\"")
        #expect(head.contentLength == 10)
        #expect(head.contentRange == ContentRange(bounds: 10...19, total: 20))
        #expect(head.acceptsRanges == true)
        #expect(head.lastModifiedSeconds == 784_111_777)
        #expect(head.dateSeconds == 784_111_778)
        #expect(head.location == "/x")
        #expect(!head.isEncoded)
    }

    /// A date is sent back in `If-Range`.
    @Test(arguments: ["\0", "\u{5}", "\u{7F}", "\r", "\u{e9}"])
    func aDateWithAHiddenCharacterIsNone(hidden: String) throws {
        let date = "Sun, 06 Nov 1994 08:49:37\(hidden) GMT"
        let head = try head("HTTP/1.1 200 OK", "Last-Modified: \(date)", "Date: \(date)")
        #expect(head.lastModified == nil)
        #expect(head.lastModifiedSeconds == nil)
        #expect(head.dateSeconds == nil)
    }

    @Test func passesOverInterimAnswers() throws {
        let head = try head("HTTP/1.1 100 Continue", "ETag: \"no\"", "", "HTTP/1.1 200 OK")
        #expect(head.status == 200)
        #expect(head.entityTag == nil)
    }

    @Test func chunkedWinsOverALength() throws {
        let head = try head("HTTP/1.1 200 OK", "Content-Length: 5", "Transfer-Encoding: chunked")
        #expect(head.contentLength == nil)
        #expect(!head.isEncoded)
    }

    @Test(arguments: [
        ("Content-Encoding: gzip", true), ("Content-Encoding: identity", false),
        ("Content-Encoding: br, gzip", true), ("Transfer-Encoding: gzip, chunked", true),
    ])
    func seesCodings(line: String, expected: Bool) throws {
        #expect(try head("HTTP/1.1 200 OK", line).isEncoded == expected)
    }

    @Test(arguments: [
        ["HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6"],
        ["HTTP/1.1 200 OK", "Content-Length: -5"], ["HTTP/1.1 200 OK", "Content-Length: 5, 5"],
        ["HTTP/1.1 200 OK", "Content-Length: 99999999999999999999"],
        ["HTTP/1.1 2x0 OK"], ["HTTP/1.1"],
    ])
    func refusesContradictions(lines: [String]) {
        guard case .unusable = parse(lines) else {
            Issue.record("taken: \(lines)")
            return
        }
    }

    @Test func contentRangeThatCannotBeReadSaysNothing() throws {
        let head = try head("HTTP/1.1 206 OK", "Content-Range: bytes 5-4/10")
        #expect(head.contentRange == ContentRange(bounds: nil, total: nil))
    }

    @Test func equalLengthsAreOneLength() throws {
        #expect(
            try head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 5").contentLength == 5
        )
    }

    @Test func headersAreBounded() {
        var parser = ResponseHeadParser()
        let start = Array("HTTP/1.1 200 OK\r\n".utf8)
        let rest = [UInt8](
            repeating: UInt8(ascii: "x"), count: ResponseHeadParser.maximumBytes - start.count)
        #expect(parser.take(line: start) == .more)
        #expect(parser.take(line: rest) == .more)
        guard case .unusable = parser.take(line: [13]) else {
            Issue.record("one byte past the bound was taken")
            return
        }
    }

    @Test(
        arguments: [
            ("bytes 0-9/10", 0...9, 10), ("BYTES  0-9/10", 0...9, 10), ("bytes 0-9/*", 0...9, nil),
            ("bytes */10", nil, 10),
        ] as [(String, ClosedRange<UInt64>?, UInt64?)])
    func readsContentRanges(text: String, bounds: ClosedRange<UInt64>?, total: UInt64?) {
        #expect(ContentRange(untrusted: text) == ContentRange(bounds: bounds, total: total))
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-9", "items 0-9/10", "bytes 0-10/10", "bytes 9-0/10", "bytes -9/10",
        "bytes 0-/10", "bytes 0-9/10/11", "bytes 0-9/x", "bytes a-9/10", "bytes 0 - 9/10",
        "bytes 0-18446744073709551616/*",
    ])
    func refusesOtherContentRanges(text: String) {
        #expect(ContentRange(untrusted: text) == nil)
    }

    @Test(arguments: [
        ("120", 120), ("0", 0), ("3600", 3600), ("3601", 3600), ("18446744073709551615", 3600),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:27 GMT", 0),
        ("Sun, 06 Nov 2094 08:49:27 GMT", 3600),
    ])
    func retryAfterIsClamped(text: String, seconds: Int) throws {
        let head = try head("HTTP/1.1 503 Busy", "Retry-After: \(text)")
        #expect(head.retryDelay(nowSeconds: 784_111_777) == .seconds(seconds))
    }

    @Test(arguments: ["", "soon", "-1", "1.5"])
    func retryAfterThatIsNoneIsIgnored(text: String) throws {
        let head = try head("HTTP/1.1 503 Busy", "Retry-After: \(text)")
        #expect(head.retryDelay(nowSeconds: 0) == nil)
    }

    @Test(arguments: ["v1", "\"a\"b\"", "\"a b\"", "\"", "w/\"a\""])
    func refusesWhatIsNoEntityTag(text: String) throws {
        #expect(try head("HTTP/1.1 200 OK", "ETag: \(text)").entityTag == nil)
    }
}
