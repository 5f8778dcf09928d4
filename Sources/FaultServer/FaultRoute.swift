/// What a path of a ``FaultServer`` does to who asks for it.
package indirect enum FaultRoute: Sendable {
    /// Ranges, `If-Range` and 416 as RFC 9110 has them.
    case honest(FaultContent)
    /// 200 with the whole, whatever was asked.
    case ignoresRange(FaultContent)
    /// A 206 that begins this many bytes before where it was asked to (after, when negative).
    case wrongStart(FaultContent, by: Int)
    /// A 206 whose total is this much larger than the truth.
    case wrongTotal(FaultContent, by: Int)
    /// A 206 that says and sends fewer bytes than it was asked for.
    case shortRange(FaultContent, by: Int)
    /// Headers of the honest answer, then this many bytes of body, then a clean close.
    case short(FaultContent, after: Int)
    /// The honest answer with bytes after its declared end.
    case long(FaultContent, extra: [UInt8])
    /// No length at all: the close is the end.
    case unsized(FaultContent)
    /// Chunked transfer coding.
    case chunked(FaultContent)
    /// `Content-Encoding: gzip` over bytes that are not; only while `Accept-Encoding` is sent when
    /// `onlyWhenAsked`.
    case gzip(FaultContent, onlyWhenAsked: Bool)
    case status(Int, headers: [String: String] = [:], body: [UInt8] = [])
    case redirect(to: String, status: Int = 302)
    /// A portion at a time with a pause after each.
    case drip(FaultContent, portion: Int, every: Duration)
    /// Some bytes of body, then nothing and no close.
    case stall(FaultContent, after: Int)
    /// Some bytes of body, then a TCP reset.
    case reset(FaultContent, after: Int)
    /// These bytes in place of an answer, then a close.
    case raw([UInt8])
    /// Headers of this many bytes before the honest answer.
    case giantHeaders(FaultContent, bytes: Int)
    /// Takes the request and says nothing.
    case neverAnswers
    /// The n-th request gets the n-th route; the last one repeats.
    case sequence([FaultRoute])

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
