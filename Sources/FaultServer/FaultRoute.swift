/// What a path of a ``FaultServer`` does to who asks for it.
package indirect enum FaultRoute: Sendable {
    /// Ranges, `If-Range` and 416 as RFC 9110 has them, then each edit in turn.
    case answer(FaultContent, [FaultEdit])
    case status(Int, headers: [String: String] = [:], body: [UInt8] = [])
    /// `{port}` in the address stands for the server's own.
    case redirect(to: String, status: Int = 302)
    /// These bytes in place of an answer, then a close.
    case raw([UInt8])
    /// These bytes once, then the others for as long as the client takes them.
    case endless(head: [UInt8], repeating: [UInt8])
    /// Takes the request and says nothing.
    case neverAnswers
    /// The n-th request gets the n-th route; the last one repeats.
    case sequence([FaultRoute])
}

/// The faults that have a name.
extension FaultRoute {
    package static func honest(_ content: FaultContent) -> FaultRoute { .answer(content, []) }

    /// 200 with the whole, whatever was asked.
    package static func ignoresRange(_ content: FaultContent) -> FaultRoute {
        .answer(content, [.ignoresRange])
    }

    /// A 206 that begins this many bytes before where it was asked to (after, when negative).
    package static func wrongStart(_ content: FaultContent, by offset: Int) -> FaultRoute {
        .answer(content, [.range(startBy: offset)])
    }

    /// A 206 whose total is this much larger than the truth.
    package static func wrongTotal(_ content: FaultContent, by excess: Int) -> FaultRoute {
        .answer(content, [.range(totalBy: excess)])
    }

    /// A 206 that says and sends fewer bytes than it was asked for.
    package static func shortRange(_ content: FaultContent, by missing: Int) -> FaultRoute {
        .answer(content, [.range(endBy: missing)])
    }

    /// Headers of the honest answer, then this many bytes of body, then a clean close.
    package static func short(_ content: FaultContent, after count: Int) -> FaultRoute {
        .answer(content, [.cut(after: count, .close)])
    }

    /// The honest answer with bytes after its declared end.
    package static func long(_ content: FaultContent, extra: [UInt8]) -> FaultRoute {
        .answer(content, [.append(extra), .end(.close)])
    }

    /// No length at all: the close is the end.
    package static func unsized(_ content: FaultContent) -> FaultRoute {
        .answer(
            content, [.set("Content-Length", nil), .set("Connection", "close"), .end(.close)])
    }

    /// Chunked transfer coding.
    package static func chunked(_ content: FaultContent) -> FaultRoute {
        .answer(content, [.set("Content-Length", nil), .chunked])
    }

    /// `Content-Encoding: gzip` over bytes that are not; only while `Accept-Encoding` is sent when
    /// `onlyWhenAsked`.
    package static func gzip(_ content: FaultContent, onlyWhenAsked: Bool) -> FaultRoute {
        let edits = [FaultEdit.set("Content-Encoding", "gzip")]
        return .answer(content, onlyWhenAsked ? [.whenSent("accept-encoding", edits)] : edits)
    }

    /// A portion at a time with a pause after each.
    package static func drip(
        _ content: FaultContent, portion: Int, every pause: Duration
    ) -> FaultRoute {
        .answer(content, [.drip(portion: portion, every: pause)])
    }

    /// Some bytes of body, then nothing and no close.
    package static func stall(_ content: FaultContent, after count: Int) -> FaultRoute {
        .answer(content, [.cut(after: count, .stall)])
    }

    /// Some bytes of body, then a TCP reset.
    package static func reset(_ content: FaultContent, after count: Int) -> FaultRoute {
        .answer(content, [.cut(after: count, .reset)])
    }

    /// Headers of this many bytes before the honest answer.
    package static func giantHeaders(_ content: FaultContent, bytes count: Int) -> FaultRoute {
        let filler = String(repeating: "x", count: 980)
        return .answer(
            content, (0..<(count / 1000)).map { .line("X-Filler-\($0): \(filler)\r\n") })
    }

    /// A garbled status line.
    package static let garbage = FaultRoute.raw(Array("GARBAGE 2OO yes\r\n\r\nhello".utf8))

    /// Cut after some bytes the first time, honest from then on.
    package static func cutOnce(_ content: FaultContent, after count: Int) -> FaultRoute {
        .sequence([.short(content, after: count), .honest(content)])
    }
}

/// The bytes behind a path, and how a client may recognise them later.
package struct FaultContent: Sendable {
    package var bytes: [UInt8]
    /// With quotes, and `W/` for a weak one.
    package var entityTag: String?
    package var lastModified: String?
    package var date: String?

    package init(
        _ bytes: [UInt8], entityTag: String? = "\"v1\"", lastModified: String? = nil,
        date: String? = nil
    ) {
        self.bytes = bytes
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.date = date
    }
}
