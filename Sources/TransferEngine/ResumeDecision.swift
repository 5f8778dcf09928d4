package import HTTPClient

/// What one answer means for the bytes that are there: design.md §6, as a table without side effects.
package struct ResumeDecision: Hashable, Sendable {
    /// The first byte asked for: what is on disk already.
    ///
    /// 0 asks without a range.
    package var firstByte: UInt64 = 0
    package var validator: Validator?
    /// The whole size as known before this answer.
    package var knownTotal: UInt64?
    package var agreedBytes: UInt64?
    package var maximumBytes = UInt64.max
    package var askedForIdentity = true
    /// Seconds since 1970, for a Retry-After that is a date.
    package var nowSeconds: Int64 = 0

    package init() {}

    package enum Verdict: Hashable, Sendable {
        /// Write the body from this byte on; 0 means that what is there goes first.
        case receive(from: UInt64, total: UInt64?)
        /// Everything is there: verify.
        case complete
        /// Drop what is there and ask for the whole, as often as restarts allow. Why, as a sentence.
        case restart(String)
        /// Ask again without `Accept-Encoding`.
        case askWithoutEncoding
        case redirect(String)
        case fail(TransferFailure)
    }

    /// Judges a final (not 1xx) answer; a body is written for `receive` only.
    package func judge(_ head: ResponseHead) -> Verdict {
        switch head.status {
        case 200: encoded(head) ?? impossible(head) ?? whole(head)
        case 206: encoded(head) ?? impossible(head) ?? part(head)
        case 301, 302, 303, 307, 308:
            head.location.map { .redirect($0) }
                ?? .fail(.unusable(8, head, "a redirect (\(head.status)) without a Location"))
        case 416 where firstByte > 0: outOfRange(head)
        default: .fail(.status(of: head, nowSeconds: nowSeconds))
        }
    }

    private func encoded(_ head: ResponseHead) -> Verdict? {
        guard head.isEncoded else { return nil }
        guard !askedForIdentity else { return .askWithoutEncoding }
        return .fail(.unusable(61, head, "the server insists on a content coding"))
    }

    /// A size beyond the largest `off_t`, which no file has and no record can hold.
    private func impossible(_ head: ResponseHead) -> Verdict? {
        let range = head.contentRange
        let sizes = [head.contentLength, range?.total, range?.bounds?.upperBound]
        guard let size = sizes.compactMap({ $0 }).first(where: { $0 > UInt64(Int64.max) }) else {
            return nil
        }
        return .fail(
            .unusable(63, head, "the server announces \(size) bytes, more than a file can have"))
    }

    private func whole(_ head: ResponseHead) -> Verdict {
        guard head.contentRange == nil else { return .restart("a 200 with a Content-Range") }
        if let agreed = agreedBytes, let length = head.contentLength, length != agreed {
            return .fail(.sizeMismatch(agreed: agreed, found: "\(length)"))
        }
        if let length = head.contentLength, length > maximumBytes, agreedBytes == nil {
            return .fail(.overAllowance(maximumBytes, hasBegun: false))
        }
        return .receive(from: 0, total: head.contentLength ?? agreedBytes)
    }

    private func part(_ head: ResponseHead) -> Verdict {
        guard firstByte > 0 else { return .restart("a 206 that nobody asked for") }
        guard let range = head.contentRange, let bounds = range.bounds else {
            return .restart("a 206 without a Content-Range")
        }
        guard bounds.lowerBound == firstByte else {
            return .restart("a 206 that begins at \(bounds.lowerBound), not at \(firstByte)")
        }
        guard let total = range.total ?? knownTotal ?? agreedBytes else {
            return .restart("a 206 that does not say the total")
        }
        guard total == knownTotal ?? total, total == agreedBytes ?? total else {
            return .restart("a 206 with another total, \(total)")
        }
        guard total > bounds.upperBound, bounds.upperBound == total - 1 else {
            return .restart("a 206 that ends at \(bounds.upperBound) of \(total)")
        }
        guard head.contentLength ?? total - firstByte == total - firstByte else {
            return .restart("a 206 whose length is not its range's")
        }
        guard !(validator?.isContradicted(by: head) ?? false) else {
            return .restart("a 206 of another version")
        }
        return .receive(from: firstByte, total: total)
    }

    private func outOfRange(_ head: ResponseHead) -> Verdict {
        let totals = [head.contentRange?.total, knownTotal, agreedBytes].compactMap { $0 }
        guard !totals.isEmpty, totals.allSatisfy({ $0 == firstByte }),
            !(validator?.isContradicted(by: head) ?? false)
        else { return .restart("a 416 for a file that is not complete") }
        return .complete
    }
}
