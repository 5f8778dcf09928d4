/// The status and the headers of one answer that a download needs, each already read.
package struct ResponseHead: Hashable, Sendable {
    package var status: Int32
    /// As sent, `W/` and quotes included; nil when absent or not an entity tag (RFC 9110 §8.8.3).
    package var entityTag: String?
    /// As sent, to be sent back in `If-Range`.
    package var lastModified: String?
    package var lastModifiedSeconds: Int64?
    package var dateSeconds: Int64?
    /// Nil when absent, or when the body is chunked (RFC 9112 §6.3).
    package var contentLength: UInt64?
    /// Without bounds and total when it was there and could not be read.
    package var contentRange: ContentRange?
    /// True when a coding other than identity lies over the bytes, by content or transfer coding.
    package var isEncoded = false
    package var retryAfter: RetryAfter?
    package var location: String?

    package init(status: Int32) {
        self.status = status
    }

    /// How long the server asks to be left alone, from 0 s to an hour (docs/extension-author.md).
    ///
    /// A Retry-After that is a date is counted from the answer's own `Date`, or from now when it
    /// has none.
    package func retryDelay(nowSeconds: Int64) -> Duration? {
        switch retryAfter {
        case nil: nil
        case .seconds(let seconds): .seconds(min(seconds, 3600))
        case .date(let seconds):
            .seconds(min(max(seconds.subtractingClamped(dateSeconds ?? nowSeconds), 0), 3600))
        }
    }

    package enum RetryAfter: Hashable, Sendable {
        case seconds(UInt64)
        case date(Int64)
    }
}

extension Int64 {
    fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
        let (value, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < 0 ? .min : .max) : value
    }
}

/// The value of `Content-Range: bytes 10-19/20`.
///
/// RFC 9110 §14.4.
package struct ContentRange: Hashable, Sendable {
    /// First and last byte; nil in `bytes */20`, which goes with 416.
    package let bounds: ClosedRange<UInt64>?
    /// Nil in `bytes 10-19/*`.
    package let total: UInt64?

    package init(bounds: ClosedRange<UInt64>?, total: UInt64?) {
        self.bounds = bounds
        self.total = total
    }

    /// What a `Content-Range` that cannot be read says.
    static let unreadable = ContentRange(bounds: nil, total: nil)

    /// Nil for another unit, a last byte before the first or past the total, or anything unclear.
    package init?(untrusted text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        total = Decimal.parse(sides[1])
        guard total != nil || sides[1] == "*" else { return nil }
        if sides[0] == "*" {
            bounds = nil
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Decimal.parse(ends[0]),
            let last = Decimal.parse(ends[1]),
            first <= last, total.map({ last < $0 }) ?? true
        else { return nil }
        bounds = first...last
    }
}

/// Numbers as HTTP writes them: digits, no sign.
enum Decimal {
    static func parse(_ text: some StringProtocol) -> UInt64? {
        isNumber(text) ? UInt64(text) : nil
    }

    /// The largest number for one that is larger still.
    static func parseClamped(_ text: String) -> UInt64? {
        isNumber(text) ? UInt64(text) ?? .max : nil
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }
}
