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
            "CONTENT-RANGE: bytes 10-19/20",
            "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:49:38 GMT",
            "Location:  /x ")
        #expect(head.status == 206)
        #expect(head.entityTag == "\"v1\"")
        #expect(head.contentLength == 10)
        #expect(head.contentRange == ContentRange(bounds: 10...19, total: 20))
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
        ("Content-Encoding:", false), ("Content-Encoding: , identity ,", false),
        ("Content-Encoding: , br", true), ("Content-Encoding: chunked", true),
        ("Content-Encoding: identity, Identity", false), ("Transfer-Encoding: ,chunked", false),
    ])
    func seesCodings(line: String, expected: Bool) throws {
        #expect(try head("HTTP/1.1 200 OK", line).isEncoded == expected)
    }

    @Test(arguments: [
        ["HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6"],
        ["HTTP/1.1 200 OK", "Content-Length: -5"], ["HTTP/1.1 200 OK", "Content-Length: 5, 5"],
        ["HTTP/1.1 200 OK", "Content-Length: 99999999999999999999"],
        ["HTTP/1.1 2x0 OK"], ["HTTP/1.1"], ["HTTP/1.1 20 OK"], ["HTTP/1.1 2000 OK"],
        ["Content-Length: 5"], [""], [" HTTP/1.1 200 OK"],
        ["HTTP/1.1 200 OK", "HTTP/1.1 404 No"], ["HTTP/1.1 101 Switching"],
        ["HTTP/1.1 103 Early", "", "ETag: x"],
        ["HTTP/1.1 302 Found", "Location: /a", "Location: /b"],
        ["HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6", "Content-Length: 5"],
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

    /// libcurl joins, passes over or refuses them, by its version.
    @Test(arguments: [
        " Content-Length: 7", "\tb", " ", "\t", "rubbish", ": b", "Content-Length : 7",
        "Content-Length\t: 7", " : b",
    ])
    func refusesLinesThatReadersTakeDifferently(line: String) {
        guard case .unusable(let why) = parse(["HTTP/1.1 200 OK", "X-A: b", line]) else {
            Issue.record("taken: \(line)")
            return
        }
        #expect(why.hasPrefix("the answer has a "))
    }

    @Test func onlyAnEmptyLineEndsAHead() {
        for line in ["\u{B}", "\u{C}", "\u{85}", "\u{2028}"] {
            guard case .unusable = parse(["HTTP/1.1 200 OK", line]) else {
                Issue.record("an end: \(line.debugDescription)")
                return
            }
        }
    }

    @Test func aFactSaidTwiceIsBelievedWhenItIsTheSame() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let same = ["ETag: \"a\"", "Date: \(date)", "Last-Modified: \(date)", "Retry-After: 9"]
        let head = try head(
            "HTTP/1.1 503 Busy", same[0], same[1], same[2], same[3], same[0], same[3])
        #expect(head.entityTag == "\"a\"")
        #expect(head.lastModified == date)
        #expect(head.retryAfter == .seconds(9))
    }

    @Test func aFactSaidInTwoWaysIsNone() throws {
        let head = try head(
            "HTTP/1.1 206 Part", "ETag: \"a\"", "ETag: \"b\"", "ETag: \"a\"", "Retry-After: 9",
            "Retry-After: 12", "Content-Range: bytes 0-1/2", "Content-Range: bytes 0-1/3",
            "Content-Range: bytes 0-1/2", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            "Date: Sun, 06 Nov 1994 08:49:38 GMT", "Accept-Ranges: bytes", "Accept-Ranges: none")
        #expect(head.entityTag == nil)
        #expect(head.retryAfter == nil)
        #expect(head.contentRange == ContentRange(bounds: nil, total: nil))
        #expect(head.dateSeconds == nil)
    }

    @Test func whatAnInterimAnswerSaidIsNoContradiction() throws {
        let head = try head(
            "HTTP/1.1 103 Early", "ETag: \"a\"", "", "HTTP/1.1 200 OK", "ETag: \"b\"")
        #expect(head.entityTag == "\"b\"")
    }

    @Test(arguments: [(206, false), (200, true)])
    func theRangesOfAMultipartAnswerAreInItsBody(status: Int, isRead: Bool) throws {
        let head = try head(
            "HTTP/1.1 \(status) Part", "Content-Range: bytes 0-1/2",
            "Content-Type: Multipart/ByteRanges; boundary=x")
        #expect((head.contentRange?.bounds != nil) == isRead)
    }

    @Test func anEmptyLocationIsNone() throws {
        #expect(try head("HTTP/1.1 302 Found", "Location:").location == nil)
    }

    @Test func equalLengthsAreOneLength() throws {
        #expect(
            try head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 5").contentLength == 5
        )
    }

    @Test func headersAreBounded() {
        var parser = ResponseHeadParser()
        let start = Array("HTTP/1.1 200 OK\r\n".utf8)
        let name = Array("X:".utf8)
        let filler = ResponseHeadParser.maximumBytes - start.count - name.count
        let rest = name + [UInt8](repeating: UInt8(ascii: "x"), count: filler)
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
        ("18446744073709551616", 3600), ("0009", 9), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:27 GMT", 0),
        ("Sun, 06 Nov 2094 08:49:27 GMT", 3600),
    ])
    func retryAfterIsClamped(text: String, seconds: Int) throws {
        let head = try head("HTTP/1.1 503 Busy", "Retry-After: \(text)")
        #expect(head.retryDelay(nowSeconds: 784_111_777) == .seconds(seconds))
    }

    /// The answer's own clock counts, not ours.
    @Test func aDateIsCountedFromTheDateOfTheAnswer() throws {
        let head = try head(
            "HTTP/1.1 503 Busy", "Retry-After: Sun, 06 Nov 1994 08:49:47 GMT",
            "Date: Sun, 06 Nov 1994 08:49:40 GMT")
        for now in [0, 784_111_777, Int64.max] {
            #expect(head.retryDelay(nowSeconds: now) == .seconds(7))
        }
    }

    @Test(arguments: ["", "soon", "-1", "+1", "1.5", "9 s", "0x9", "9,9", "\u{662}"])
    func retryAfterThatIsNoneIsIgnored(text: String) throws {
        let head = try head("HTTP/1.1 503 Busy", "Retry-After: \(text)")
        #expect(head.retryDelay(nowSeconds: 0) == nil)
    }

    @Test(arguments: ["v1", "\"a\"b\"", "\"a b\"", "\"", "w/\"a\""])
    func refusesWhatIsNoEntityTag(text: String) throws {
        #expect(try head("HTTP/1.1 200 OK", "ETag: \(text)").entityTag == nil)
    }
}
