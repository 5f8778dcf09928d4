import HTTPClient
import TransferEngine

/// What an answer means for the bytes that are there.
///
/// The first line is what is known: first byte, total, agreed size, most bytes, validator, and `i` when
/// identity was asked for; `-` or a missing word is none. The rest is the head of the answer.
enum ResumeTarget {
    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        let end = input.firstIndex(of: 0x0A) ?? input.endIndex
        let decision = known(String(decoding: input[..<end], as: UTF8.self))
        guard case .finished(let head) = AnswerTarget.read(Array(input[end...].dropFirst())) else {
            return
        }
        let verdict = decision.judge(head)
        try expect(verdict == decision.judge(head), "an answer is judged otherwise again")
        switch verdict {
        case .receive(let start, let total):
            try checkReceived(decision, head, from: start, total: total)
        case .complete: try checkComplete(decision, head)
        case .restart(let why):
            try expectPrintable(why, atMost: 256)
            try expect([200, 206, 416].contains(head.status), "\(head.status) starts over")
        case .askWithoutEncoding:
            try expect(head.isEncoded && decision.askedForIdentity, "asks again for no reason")
        case .redirect(let location):
            try expect(
                (300...399).contains(head.status) && location == head.location,
                "\(head.status) is no redirect to \(location.debugDescription)")
        case .fail(let failure):
            try expectPrintable(failure.message, atMost: 256)
            let delay = failure.retryAfter ?? .zero
            try expect(delay >= .zero && delay <= .seconds(3_600), "a delay of \(delay)")
        }
        try checkValidator(of: head)
    }

    private static func known(_ line: String) -> ResumeDecision {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        func number(_ place: Int) -> UInt64? { words.count > place ? UInt64(words[place]) : nil }
        var decision = ResumeDecision()
        decision.firstByte = number(0) ?? 0
        decision.knownTotal = number(1)
        decision.agreedBytes = number(2)
        decision.maximumBytes = number(3) ?? .max
        decision.validator = words.count > 4 ? Validator(stored: words[4]) : nil
        decision.askedForIdentity = words.count > 5 && words[5] == "i"
        return decision
    }

    private static func checkReceived(
        _ decision: ResumeDecision, _ head: ResponseHead, from start: UInt64, total: UInt64?
    ) throws(BrokenPromise) {
        try expect(!head.isEncoded, "encoded bytes are written")
        try expect(total ?? 0 <= UInt64(Int64.max), "a file of \(String(describing: total)) bytes")
        if let agreed = decision.agreedBytes {
            try expect(total == agreed, "\(String(describing: total)) bytes, agreed \(agreed)")
        }
        guard start > 0 else {
            try expect(head.status == 200, "\(head.status) is the whole file")
            try expect(head.contentRange == nil, "a slice is the whole file")
            return try expect(
                decision.agreedBytes != nil || total ?? 0 <= decision.maximumBytes,
                "more is begun than may be fetched")
        }
        let bounds = head.contentRange?.bounds
        try expect(
            head.status == 206 && start == decision.firstByte && bounds?.lowerBound == start,
            "byte \(start) is not the one asked for")
        try expect(
            total != nil && bounds?.upperBound == (total ?? 0) &- 1, "the part is not the last one")
        try expect(
            head.contentRange?.total ?? total == total && decision.knownTotal ?? total == total,
            "totals differ")
        try expect(
            head.contentLength.map { $0 == (total ?? 0) - start } ?? true, "lengths differ")
        if let validator = decision.validator, validator.text.hasPrefix("\"") {
            try expect(
                head.entityTag ?? validator.text == validator.text, "versions are mixed")
        }
    }

    private static func checkComplete(
        _ decision: ResumeDecision, _ head: ResponseHead
    ) throws(BrokenPromise) {
        try expect(head.status == 416 && decision.firstByte > 0, "\(head.status) is complete")
        let totals = [head.contentRange?.total, decision.knownTotal, decision.agreedBytes]
            .compactMap(\.self)
        try expect(
            !totals.isEmpty && totals.allSatisfy { $0 == decision.firstByte },
            "\(decision.firstByte) bytes are not complete")
    }

    /// What is stored is strong, comes back as it was, and can be sent.
    private static func checkValidator(of head: ResponseHead) throws(BrokenPromise) {
        guard let validator = Validator(of: head) else { return }
        try expect(!validator.text.hasPrefix("W/"), "a weak validator joins")
        try expect(Validator(stored: validator.text) == validator, "a validator is not storable")
        try expect(
            HTTPHeader(name: "If-Range", value: validator.text) != nil,
            "\(validator.text.debugDescription) cannot be sent")
    }
}
