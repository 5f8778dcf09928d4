import FaultServer
import TransferEngine

extension FaultTable {
    static let bodies: [FaultRow] =
        [
            FaultRow("nothing is wrong", .honest(content), goingOn: .joined()),
            FaultRow(
                "closes after 30000 bytes of body", .short(content, after: 30_000),
                fresh: .later(.transport, 18, keeps: 30_000),
                tagged: .later(.transport, 18, keeps: 50_000),
                hashed: .later(.transport, 18, keeps: 50_000)),
            FaultRow("closes without an answer", .raw([]), .later(.transport, 52)),
            FaultRow(
                "closes within the head", .answer(content, [.cutHead(after: 40, .close)]),
                .later(.transport, 52)),
            FaultRow(
                "resets after 30000 bytes of body", .reset(content, after: 30_000),
                fresh: .later(.transport, 56), tagged: .later(.transport, 56),
                hashed: .later(.transport, 56)
            ).with { $0.keepsWhatCame = true },
            FaultRow(
                "resets in place of an answer", .answer(content, [.cutHead(after: 0, .reset)]),
                .later(.transport, 56)),
        ] + slowBodies + endlessBodies

    private static let slowBodies = [
        FaultRow(
            "stalls after 30000 bytes of body", .stall(content, after: 30_000),
            fresh: .later(.transport, 28, keeps: 30_000),
            tagged: .later(.transport, 28, keeps: 50_000),
            hashed: .later(.transport, 28, keeps: 50_000)),
        FaultRow("takes the request and says nothing", .neverAnswers, .later(.transport, 28)),
        FaultRow(
            "drips the body, 10 bytes a second",
            .drip(content, portion: 1, every: .milliseconds(100)),
            fresh: .later(.transport, 28), tagged: .later(.transport, 28),
            hashed: .later(.transport, 28)
        ).with { $0.keepsWhatCame = true },
        FaultRow(
            "drips the head, 10 bytes a second",
            .answer(content, [.dripHead(portion: 1, every: .milliseconds(100))]),
            .later(.transport, 28)),
        FaultRow(
            "drips head and body, and fast enough",
            .answer(
                content,
                [
                    .dripHead(portion: 50, every: .milliseconds(20)),
                    .drip(portion: 6_000, every: .milliseconds(20)),
                ]), goingOn: .joined()),
    ].map { row in row.with { $0.isSlow = true } }

    private static let endlessBodies = [
        FaultRow(
            "a body without a length that never ends",
            .endless(
                head: Array("HTTP/1.1 200 OK\r\n\r\n".utf8), repeating: content.bytes),
            fresh: .never(.apple, 204), tagged: .never(.apple, 204), hashed: .never(.bahost, 1011)),
        FaultRow(
            "a chunked body that never ends",
            .endless(
                head: Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8),
                repeating: Array("EA60\r\n".utf8) + content.bytes + Array("\r\n".utf8)),
            fresh: .never(.apple, 204), tagged: .never(.apple, 204), hashed: .never(.bahost, 1011)),
        FaultRow(
            "more bytes than the declared length, and then the close",
            .long(content, extra: [1, 2, 3]), goingOn: .joined()),
        FaultRow(
            "garbage after the answer, on a connection that stays open",
            .answer(content, [.append(Array("HTTP/1.1 200 OK\r\n\r\nx".utf8))]),
            goingOn: .joined()),
    ]

    static let lengths: [FaultRow] =
        [
            FaultRow("no length, the close is the end", .unsized(content), goingOn: .joined()),
            FaultRow(
                "no length, and closes after 30000 bytes",
                .answer(content, [.set("Content-Length", nil), .cut(after: 30_000, .close)]),
                fresh: .unnoticed(),
                tagged: .later(.transport, 18, keeps: 50_000),
                hashed: .later(.bahost, 1011, keeps: 50_000)),
            FaultRow(
                "declares a byte more than it sends",
                .answer(content, [.length(by: 1), .end(.close)]),
                fresh: .later(.transport, 18, keeps: 60_000),
                tagged: .later(.transport, 18, 2, keeps: 60_000),
                hashed: .never(.bahost, 1011, 2)),
            FaultRow(
                "declares a byte less than it sends",
                .answer(content, [.length(by: -1), .end(.close)]),
                fresh: .unnoticed(), tagged: .unnoticed(2), hashed: .never(.bahost, 1011, 2)),
            FaultRow(
                "the length twice, the same",
                .answer(
                    content,
                    [
                        .whenStatus(200, [.line("Content-Length: 60000\r\n")]),
                        .whenStatus(206, [.line("Content-Length: 40000\r\n")]),
                    ]), goingOn: .joined()),
            FaultRow(
                "the length twice, different",
                .answer(content, [.line("Content-Length: 7\r\n")]), .later(.transport, 8)),
        ] + unreadableLengths + codings

    private static let unreadableLengths: [FaultRow] =
        ["60000, 60000", "-1", "+60000", "many", "60000 bytes", "", "18446744073709551616"].map {
            unreadableLength($0)
        } + [
            FaultRow(
                "a length that no file can have",
                .answer(content, [.set("Content-Length", "9223372036854775808")]),
                .never(.transport, 63))
        ]

    private static func unreadableLength(_ text: String) -> FaultRow {
        FaultRow(
            "a length that is \(shown(text))", .answer(content, [.set("Content-Length", text)]),
            .later(.transport, 8))
    }

    private static let codings = [
        FaultRow("chunked", .chunked(content), goingOn: .joined()),
        FaultRow("chunked, with a length too", .answer(content, [.chunked]), goingOn: .joined()),
        FaultRow(
            "chunked, with a wrong length too",
            .answer(content, [.set("Content-Length", "9"), .chunked]), goingOn: .joined()),
        FaultRow(
            "chunked, and closes within the chunk",
            .answer(
                content, [.set("Content-Length", nil), .chunked, .cut(after: 30_000, .close)]),
            fresh: .later(.transport, 18, keeps: 29_994),
            tagged: .later(.transport, 18, keeps: 49_994),
            hashed: .later(.transport, 18, keeps: 49_994)),
        FaultRow(
            "says chunked and is not",
            .answer(
                content, [.set("Content-Length", nil), .set("Transfer-Encoding", "chunked")]),
            fresh: .later(.transport, 56),
            tagged: .later(.transport, 56),
            hashed: .later(.transport, 56)),
        FaultRow(
            "gzip, but only when `Accept-Encoding: identity` is sent",
            .gzip(content, onlyWhenAsked: true), fresh: .whole(2), tagged: .joined(2),
            hashed: .joined(2)),
        FaultRow(
            "gzip, whatever is asked", .gzip(content, onlyWhenAsked: false),
            .never(.transport, 61, 2)),
        FaultRow(
            "gzip as a transfer coding",
            .answer(
                content,
                [.set("Content-Length", nil), .set("Transfer-Encoding", "gzip, chunked")]),
            .never(.transport, 61, 2)),
    ]
}
