import HTTPClient
import Testing

/// Header lines of no shape at all: the parser answers every one and stays within its bound.
struct HostileHeadTests {
    private static let pieces = [
        "HTTP/1.1 200 OK", "HTTP/1.1 ", "206", "999", "Content-Length: ", "Content-Range: bytes ",
        "18446744073709551615", "18446744073709551616", "0", "-", "/", "*", ":", " ", "\t",
        "ETag: ",
        "\"", "W/", "Retry-After: ", "Date: ", "Sun, 06 Nov 1994 08:49:37 GMT", "\0", "\u{ff}",
        "Transfer-Encoding: ", "chunked", ",", "Location: ", "x",
    ]

    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyLineIsAnswered(seed: UInt64) {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        var finished = 0
        for _ in 0..<2_000 {
            var parser = ResponseHeadParser()
            var lines = ["HTTP/1.1 206 Part"]
            for _ in 0..<next(5) {
                lines.append(
                    (0..<next(5)).map { _ in Self.pieces[next(Self.pieces.count)] }.joined())
            }
            for line in lines + [""] {
                guard case .finished(let head) = parser.take(line: Array("\(line)\r\n".utf8)) else {
                    continue
                }
                finished += 1
                #expect((200...999).contains(head.status))
                let delay = head.retryDelay(nowSeconds: 0) ?? .zero
                #expect(delay >= .zero && delay <= .seconds(3600))
            }
        }
        #expect(finished > 0)
    }
}
