import FaultServer
import TransferEngine

extension FaultTable {
    static let ranges: [FaultRow] =
        [
            FaultRow("ignores the range", .ignoresRange(content), goingOn: .whole()),
            FaultRow(
                "206 to a request without a range",
                .answer(
                    content,
                    [
                        .whenStatus(
                            200, [.status(206), .set("Content-Range", "bytes 0-59999/60000")])
                    ]),
                fresh: .never(.transport, 33, 4), tagged: .joined(), hashed: .joined()),
            FaultRow(
                "200 with a Content-Range",
                .answer(
                    content, [.ignoresRange, .set("Content-Range", "bytes 0-59999/60000")]),
                .never(.transport, 33, 4)),
            FaultRow(
                "begins a byte before", .wrongStart(content, by: 1), goingOn: .whole(2)),
            FaultRow("begins a byte after", .wrongStart(content, by: -1), goingOn: .whole(2)),
            FaultRow("begins at 0", .wrongStart(content, by: 20_000), goingOn: .whole(2)),
            FaultRow("ends ten bytes before", .shortRange(content, by: 10), goingOn: .whole(2)),
            FaultRow("a total of one more", .wrongTotal(content, by: 1), goingOn: .whole(2)),
            FaultRow("a total of one less", .wrongTotal(content, by: -1), goingOn: .whole(2)),
        ] + contentRanges + partBodies

    /// Content-Ranges of a 206 and whether it is gone on with.
    private static let contentRanges: [FaultRow] =
        [
            ("bytes 20000-59999/*", true), ("BYTES 20000-59999/60000", true),
            ("bytes 20000-60000/*", false), ("items 20000-59999/60000", false),
            ("bytes 20000-59999", false), ("bytes */60000", false), ("bytes 20000-/60000", false),
            ("bytes 59999-20000/60000", false), ("20000-59999/60000", false),
            ("bytes=20000-59999/60000", false), ("bytes 0x4e20-59999/60000", false),
            ("bytes 20000-18446744073709551616/18446744073709551617", false), ("", false),
        ].map { (text: String, isTaken: Bool) in
            FaultRow(
                "Content-Range: \(shown(text))",
                .answer(content, [.whenStatus(206, [.set("Content-Range", text)])]),
                goingOn: isTaken ? .joined() : .whole(2))
        } + [
            FaultRow(
                "206 without a Content-Range",
                .answer(content, [.whenStatus(206, [.set("Content-Range", nil)])]),
                goingOn: .whole(2)),
            FaultRow(
                "two Content-Ranges",
                .answer(
                    content,
                    [.whenStatus(206, [.line("Content-Range: bytes 20001-59999/60000\r\n")])]),
                goingOn: .whole(2)),
        ]

    private static let multipart = FaultEdit.set(
        "Content-Type", "multipart/byteranges; boundary=x")

    private static let partBodies: [FaultRow] = [
        FaultRow(
            "multipart/byteranges",
            .answer(
                content, [.whenStatus(206, [multipart, .set("Content-Range", nil)])]),
            goingOn: .whole(2)),
        FaultRow(
            "multipart/byteranges with a Content-Range",
            .answer(content, [.whenStatus(206, [multipart])]), goingOn: .whole(2)),
        FaultRow(
            "declares ten bytes more than its range has",
            .answer(
                content,
                [.whenStatus(206, [.append([UInt8](repeating: 1, count: 10)), .length(by: 0)])]),
            goingOn: .whole(2)),
        FaultRow(
            "sends more than its range, without a length",
            .answer(
                content,
                [
                    .whenStatus(
                        206, [.set("Content-Length", nil), .append([1, 2, 3]), .end(.close)])
                ]), goingOn: .whole(2)),
    ]

    static let versions: [FaultRow] = [
        FaultRow(
            "replaced by one of the same size, with an ETag of its own", .honest(newer),
            fresh: .whole(), tagged: .whole(), hashed: .never(.bahost, 1012, 2)),
        FaultRow(
            "replaced, and `If-Range` is ignored", .answer(newer, [.ignoresCondition]),
            fresh: .whole(), tagged: .whole(2), hashed: .never(.bahost, 1012, 2)),
        FaultRow(
            "replaced under the same ETag",
            .honest(FaultContent(newer.bytes, entityTag: content.entityTag)),
            fresh: .whole(), tagged: .unnoticed(joinedAt: 20_000),
            hashed: .never(.bahost, 1012, 2)),
        FaultRow(
            "replaced, no ETag any more", .honest(FaultContent(newer.bytes, entityTag: nil)),
            fresh: .whole(), tagged: .whole(), hashed: .never(.bahost, 1012, 2)),
        FaultRow(
            "replaced between two requests of one order",
            .sequence([.wrongStart(content, by: 1), .honest(newer)]),
            fresh: .whole(), tagged: .whole(2), hashed: .never(.bahost, 1012, 2)),
        FaultRow(
            "the same bytes with another ETag",
            .honest(FaultContent(content.bytes, entityTag: "\"v3\"")),
            fresh: .whole(), tagged: .whole(), hashed: .joined()),
        FaultRow(
            "a weak ETag", .honest(FaultContent(content.bytes, entityTag: "W/\"v1\"")),
            fresh: .whole(), tagged: .whole(), hashed: .joined()),
        FaultRow(
            "another ETag with each request", .answer(content, [.freshTag]),
            fresh: .whole(), tagged: .whole(), hashed: .joined()),
        FaultRow(
            "another ETag with each request, and `If-Range` is ignored",
            .answer(content, [.freshTag, .ignoresCondition]),
            fresh: .whole(), tagged: .whole(2), hashed: .joined()),
        FaultRow(
            "two ETags in one answer", .answer(content, [.line("ETag: \"v2\"\r\n")]),
            goingOn: .joined()),
        FaultRow(
            "a page of somebody else's in place of the file",
            .status(200, headers: ["Content-Type": "text/html"], body: Array("<html>".utf8)),
            fresh: .unnoticed(), tagged: .unnoticed(), hashed: .never(.bahost, 1011)),
    ]

    static let outOfRange: [FaultRow] =
        [
            "bytes */60000", "bytes */20000", "bytes */59999", "bytes */*", "bytes 0-59999/60000",
            "rubbish", nil,
        ].map { text in
            FaultRow(
                text.map { "to every range, Content-Range: `\($0)`" }
                    ?? "to every range, without a Content-Range",
                .answer(
                    content,
                    [.whenSent("range", [.status(416), .set("Content-Range", text)])]),
                goingOn: .whole(2))
        } + [
            FaultRow(
                "to everything", .status(416), fresh: .never(.http, 416),
                tagged: .never(.http, 416, 2), hashed: .never(.http, 416, 2))
        ] + completeFiles

    /// All 60,000 bytes are there.
    private static let completeFiles = [
        ("bytes */60000", 1), (nil, 1), ("rubbish", 1), ("bytes */59999", 2), ("bytes */60001", 2),
    ].map { text, requests in
        FaultRow(
            "when nothing is missing, "
                + (text.map { "Content-Range: `\($0)`" } ?? "without a Content-Range"),
            .answer(content, [.whenStatus(416, [.set("Content-Range", text)])]),
            fresh: .whole(), tagged: .whole(requests), hashed: .whole(0)
        ).with { $0.had = 60_000 }
    }
}
