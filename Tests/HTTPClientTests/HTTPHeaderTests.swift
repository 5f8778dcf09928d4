import HTTPClient
import Testing

struct HTTPHeaderTests {
    @Test(arguments: [
        ("Accept", "text/plain"), ("X-A_b.c", ""), ("authorization", "Bearer a b"), ("x", "\u{e9}"),
    ])
    func takesOrdinaryHeaders(name: String, value: String) {
        #expect(HTTPHeader(name: name, value: value) != nil)
    }

    @Test(arguments: [
        ("", "a"), ("A B", "a"), ("A:", "a"), ("A", "a\r\nB: c"), ("A", "a\nb"), ("A\r\n", "a"),
        ("A", "a\0"), ("\u{e9}", "a"), ("A", "\u{7f}"),
    ])
    func refusesWhatCouldStartAnotherLine(name: String, value: String) {
        #expect(HTTPHeader(name: name, value: value) == nil)
    }

    @Test func nameIsBounded() {
        #expect(HTTPHeader(name: String(repeating: "a", count: 256), value: "") != nil)
        #expect(HTTPHeader(name: String(repeating: "a", count: 257), value: "") == nil)
    }

    @Test(arguments: [
        "Host", "RANGE", "If-Range", "accept-encoding", "Connection", "Content-Length",
        "Proxy-Authorization",
    ])
    func reservesWhatTheTransferSets(name: String) throws {
        #expect(try #require(HTTPHeader(name: name, value: "x")).isReserved)
    }
}
