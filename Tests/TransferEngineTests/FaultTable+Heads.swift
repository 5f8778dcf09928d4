import FaultServer
import TransferEngine

extension FaultTable {
    static let statuses: [FaultRow] =
        [
            203, 204, 205, 207, 300, 304, 305, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410,
            411, 412, 413, 414, 417, 418, 421, 425, 426, 431, 451,
        ].map { FaultRow("\($0)", .answer(content, [.status($0)]), .never(.http, Int32($0))) }
        + [408, 429, 500, 501, 502, 503, 504, 505, 507, 511, 599, 999].map {
            FaultRow("\($0)", .answer(content, [.status($0)]), .later(.http, Int32($0)))
        }

    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// Values of Retry-After and the delay that is kept, in seconds.
    static let retryAfters: [FaultRow] =
        [
            ("9", 9), ("0", 0), ("3600", 3600), ("3601", 3600), ("18446744073709551616", 3600),
            ("Sun, 06 Nov 1994 08:49:46 GMT", 9), ("Sunday, 06-Nov-94 08:49:46 GMT", 9),
            ("Sun Nov  6 08:49:46 1994", 9), ("Sun, 06 Nov 1994 08:49:28 GMT", 0),
            ("Sun, 06 Nov 2094 08:49:37 GMT", 3600), ("-9", nil), ("1.5", nil), ("soon", nil),
            ("9 s", nil), ("", nil),
        ].map { text, delay in
            FaultRow(
                shown(text),
                .status(503, headers: ["Retry-After": text, "Date": date]),
                .later(.http, 503, after: delay))
        } + [
            FaultRow(
                "`9` and `12`",
                .answer(
                    content,
                    [.status(503), .line("Retry-After: 9\r\n"), .line("Retry-After: 12\r\n")]),
                .later(.http, 503)),
            FaultRow(
                "`9` twice, with 429",
                .answer(
                    content,
                    [.status(429), .line("Retry-After: 9\r\n"), .line("Retry-After: 9\r\n")]),
                .later(.http, 429, after: 9)),
            FaultRow(
                "`9`, with 404", .status(404, headers: ["Retry-After": "9"]), .never(.http, 404)),
        ]

    private static func chain(_ length: Int) -> [String: FaultRoute] {
        var routes: [String: FaultRoute] = ["/0": .honest(content)]
        for hop in 1...length { routes["/\(hop)"] = .redirect(to: "/\(hop - 1)") }
        return routes
    }

    static let redirects: [FaultRow] =
        [
            FaultRow(
                "ten in a chain", .redirect(to: "/9"), fresh: .whole(11), tagged: .joined(11),
                hashed: .joined(11)
            ).with { $0.others = chain(9) },
            FaultRow("eleven in a chain", .redirect(to: "/10"), .never(.transport, 47, 11)).with {
                $0.others = chain(10)
            },
            FaultRow(
                "to another origin", .redirect(to: "http://localhost:{port}/y"),
                fresh: .whole(2), tagged: .joined(2), hashed: .joined(2)
            ).with { $0.others = ["/y": .honest(content)] },
            FaultRow("to itself", .redirect(to: "/x"), .never(.transport, 47, 11)),
            FaultRow(
                "in a circle of two", .redirect(to: "/y"), .never(.transport, 47, 11)
            ).with { $0.others = ["/y": .redirect(to: "/x")] },
            FaultRow(
                "without a Location", .answer(content, [.status(302)]), .never(.transport, 8)),
            FaultRow("with an empty Location", .redirect(to: ""), .never(.transport, 8)),
            FaultRow(
                "with two Locations",
                .answer(content, [.status(302), .line("Location: /y\r\nLocation: /z\r\n")]),
                .later(.transport, 8)),
        ]
        + [
            ("ftp://127.0.0.1/", 1003), ("file:///etc/passwd", 1003), ("http://8.8.8.8/", 1003),
            ("http://u:p@127.0.0.1/", 1003), ("https://10.0.0.1/", 1010),
            ("https://169.254.169.254/", 1010), ("https://[::ffff:10.0.0.1]/", 1010),
        ].map { FaultRow("to `\($0)`", .redirect(to: $0), .never(.bahost, $1)) }

    static let heads: [FaultRow] =
        [
            FaultRow("is not HTTP", .garbage, .later(.transport, 1)),
            FaultRow("HTTP/0.9: bytes without a head", .raw(content.bytes), .later(.transport, 1)),
            FaultRow(
                "a status of two digits", .raw(Array("HTTP/1.1 20 OK\r\n\r\n".utf8)),
                .later(.transport, 1)),
            FaultRow(
                "line ends without CR",
                .raw(Array("HTTP/1.1 404 No\nContent-Length: 0\n\n".utf8)), .never(.http, 404)),
            FaultRow(
                "50 KB of headers", .giantHeaders(content, bytes: 50_000), goingOn: .joined()),
            FaultRow(
                "70 KB of headers", .giantHeaders(content, bytes: 70_000), .later(.transport, 8)),
            FaultRow(
                "headers without end",
                .endless(
                    head: Array("HTTP/1.1 200 OK\r\n".utf8), repeating: Array("X-A: b\r\n".utf8)),
                .later(.transport, 8)),
            FaultRow(
                "one header line without end",
                .endless(
                    head: Array("HTTP/1.1 200 OK\r\nX-A: ".utf8),
                    repeating: [UInt8](repeating: 0x61, count: 1_000)),
                .later(.transport, 8)),
            FaultRow(
                "a status line among the headers",
                .answer(content, [.line("HTTP/1.1 404 No\r\n")]), .later(.transport, 8)),
        ] + brokenLines + interim

    private static let brokenLines: [FaultRow] = [
        ("a header line without a colon", "rubbish\r\n"),
        ("a header line without a name", ": rubbish\r\n"),
        ("a folded header line", "X-A: b\r\n Content-Length: 7\r\n"),
        ("a line of blanks", "X-A: b\r\n \r\n"),
        ("a blank before the colon", "Content-Length : 7\r\n"),
        ("a NUL in a header", "X-A: a\0b\r\n"),
    ].map { FaultRow($0, .answer(content, [.line($1)]), .later(.transport, 8)) }

    private static let interim: [FaultRow] = [
        FaultRow(
            "a 103 before the answer",
            .answer(content, [.first("HTTP/1.1 103 Early\r\nLink: x\r\nETag: \"v9\"\r\n\r\n")]),
            goingOn: .joined()),
        FaultRow(
            "100 without end",
            .endless(head: [], repeating: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)),
            .later(.transport, 8)),
        FaultRow(
            "101 to nobody who asked",
            .answer(content, [.status(101), .end(.close)]), .later(.transport, 8)),
    ]

    static let doors: [FaultRow] = [
        FaultRow(
            "a certificate of an unknown authority", .honest(content), .never(.transport, 60, 0)
        )
        .with { $0.door = .tls(host: "localhost", days: 2, isTrusted: false) },
        FaultRow("a certificate that has ended", .honest(content), .never(.transport, 60, 0))
            .with { $0.door = .tls(host: "localhost", days: -1, isTrusted: true) },
        FaultRow("a certificate of another host", .honest(content), .never(.transport, 60, 0))
            .with { $0.door = .tls(host: "127.0.0.1", days: 2, isTrusted: true) },
        FaultRow(
            "takes the connection and never speaks TLS", .neverAnswers, .later(.transport, 28, 0)
        )
        .with {
            $0.door = .tlsToPlain
            $0.isSlow = true
        },
    ]
}
