import HTTPClient
import Testing
import TransferEngine

/// The table of design.md §6, a test per row.
struct ResumeDecisionTests {
    typealias Verdict = ResumeDecision.Verdict

    private func asked(
        from first: UInt64, _ change: (inout ResumeDecision) -> Void = { _ in }
    ) -> ResumeDecision {
        var decision = ResumeDecision()
        decision.firstByte = first
        decision.validator = Validator(stored: "\"v1\"")
        decision.knownTotal = first > 0 ? 100 : nil
        change(&decision)
        return decision
    }

    private func head(_ status: Int32, _ change: (inout ResponseHead) -> Void = { _ in })
        -> ResponseHead
    {
        var head = ResponseHead(status: status)
        change(&head)
        return head
    }

    private func part(_ first: UInt64, _ last: UInt64, _ total: UInt64?) -> ResponseHead {
        head(206) {
            $0.contentRange = ContentRange(bounds: first...last, total: total)
            $0.contentLength = last - first + 1
            $0.entityTag = "\"v1\""
        }
    }

    private func restarts(_ verdict: Verdict) -> Bool {
        if case .restart = verdict { return true }
        return false
    }

    private func failure(_ verdict: Verdict) -> TransferFailure? {
        if case .fail(let failure) = verdict { return failure }
        return nil
    }

    @Test func wholeAnswerBeginsAtZero() {
        #expect(
            asked(from: 0).judge(head(200) { $0.contentLength = 100 })
                == .receive(from: 0, total: 100))
    }

    @Test func wholeAnswerToARangeBeginsAtZero() {
        #expect(
            asked(from: 40).judge(head(200) { $0.contentLength = 90 })
                == .receive(from: 0, total: 90))
    }

    @Test func wholeAnswerWithoutALengthTakesTheAgreedOne() {
        #expect(asked(from: 0).judge(head(200)) == .receive(from: 0, total: nil))
        let agreed = asked(from: 0) { $0.agreedBytes = 7 }
        #expect(agreed.judge(head(200)) == .receive(from: 0, total: 7))
    }

    @Test func matchingPartGoesOn() {
        #expect(asked(from: 40).judge(part(40, 99, 100)) == .receive(from: 40, total: 100))
    }

    @Test func partWithoutATotalNeedsOneKnown() {
        #expect(asked(from: 40).judge(part(40, 99, nil)) == .receive(from: 40, total: 100))
        #expect(restarts(asked(from: 40) { $0.knownTotal = nil }.judge(part(40, 99, nil))))
    }

    @Test(
        arguments: [
            (39, 99, 100), (41, 99, 100), (0, 99, 100), (40, 98, 100), (40, 100, 101), (40, 98, 99),
        ] as [(UInt64, UInt64, UInt64)])
    func partThatDiffersStartsOver(first: UInt64, last: UInt64, total: UInt64) {
        #expect(restarts(asked(from: 40).judge(part(first, last, total))))
    }

    @Test(arguments: [0, 1, 40, 99, 101, .max] as [UInt64])
    func storedTotalThatCannotBeStartsOver(total: UInt64) {
        #expect(restarts(asked(from: 40) { $0.knownTotal = total }.judge(part(40, 99, nil))))
    }

    /// No file can be longer than the largest `off_t`, and the database has no larger number.
    @Test func aSizeThatNoFileCanHaveFails() {
        let most = UInt64(Int64.max)
        #expect(
            asked(from: 0).judge(head(200) { $0.contentLength = most })
                == .receive(from: 0, total: most))
        for answer in [
            head(200) { $0.contentLength = most + 1 }, head(200) { $0.contentLength = .max },
            part(40, most, most + 1), part(40, .max - 1, .max), part(40, 99, most + 1),
            head(206) { $0.contentRange = ContentRange(bounds: 40...UInt64.max, total: nil) },
            head(206) { $0.contentLength = most + 1 },
        ] {
            let found = failure(asked(from: answer.status == 200 ? 0 : 40).judge(answer))
            #expect(found?.domain == .transport)
            #expect(found?.code == 63)
            #expect(found?.isRetryable == false)
            #expect(found?.message.hasSuffix("more than a file can have") == true)
        }
        let unknown = asked(from: 40) { $0.knownTotal = nil }
        #expect(
            unknown.judge(part(40, most - 1, most)) == .receive(from: 40, total: most))
    }

    @Test func partWithAnotherTotalThanAgreedStartsOver() {
        let decision = asked(from: 40) {
            $0.knownTotal = nil
            $0.agreedBytes = 99
        }
        #expect(restarts(decision.judge(part(40, 99, 100))))
    }

    @Test func partWhoseLengthIsNotItsRangeStartsOver() {
        var head = part(40, 99, 100)
        head.contentLength = 59
        #expect(restarts(asked(from: 40).judge(head)))
        head.contentLength = nil
        #expect(asked(from: 40).judge(head) == .receive(from: 40, total: 100))
    }

    @Test func partOfAnotherVersionStartsOver() {
        var head = part(40, 99, 100)
        head.entityTag = "\"v2\""
        #expect(restarts(asked(from: 40).judge(head)))
        head.entityTag = nil
        #expect(asked(from: 40).judge(head) == .receive(from: 40, total: 100))
    }

    @Test func partWithAnotherDateStartsOver() {
        let decision = asked(from: 40) {
            $0.validator = Validator(stored: "Sun, 06 Nov 1994 08:49:37 GMT")
        }
        var head = part(40, 99, 100)
        head.lastModified = "Sun, 06 Nov 1994 08:49:38 GMT"
        #expect(restarts(decision.judge(head)))
        head.lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(decision.judge(head) == .receive(from: 40, total: 100))
    }

    @Test func partNobodyAskedForStartsOver() {
        #expect(restarts(asked(from: 0).judge(part(0, 99, 100))))
    }

    @Test func partWithoutARangeStartsOver() {
        #expect(restarts(asked(from: 40).judge(head(206))))
    }

    @Test func wholeWithARangeStartsOver() {
        let head = head(200) { $0.contentRange = ContentRange(bounds: 40...99, total: 100) }
        #expect(restarts(asked(from: 40).judge(head)))
    }

    @Test(arguments: [200, 206] as [Int32])
    func encodedIsAskedOnceMoreThenFails(status: Int32) {
        var encoded = status == 200 ? head(200) : part(40, 99, 100)
        encoded.isEncoded = true
        #expect(asked(from: 40).judge(encoded) == .askWithoutEncoding)
        let second = asked(from: 40) { $0.askedForIdentity = false }
        #expect(failure(second.judge(encoded))?.isRetryable == false)
    }

    @Test func outOfRangeWithACompleteFileIsComplete() {
        let head = head(416) { $0.contentRange = ContentRange(bounds: nil, total: 100) }
        #expect(asked(from: 100).judge(head) == .complete)
        #expect(asked(from: 100).judge(self.head(416)) == .complete)
    }

    @Test func outOfRangeOtherwiseStartsOver() {
        let head = head(416) { $0.contentRange = ContentRange(bounds: nil, total: 100) }
        #expect(restarts(asked(from: 99).judge(head)))
        #expect(restarts(asked(from: 100) { $0.agreedBytes = 101 }.judge(head)))
        var other = head
        other.entityTag = "\"v2\""
        #expect(restarts(asked(from: 100).judge(other)))
    }

    @Test func outOfRangeNeedsAllTotalsToAgree() {
        let head = head(416) { $0.contentRange = ContentRange(bounds: nil, total: 40) }
        #expect(restarts(asked(from: 40).judge(head)))
        #expect(asked(from: 40) { $0.knownTotal = 40 }.judge(head) == .complete)
        #expect(asked(from: 40) { $0.knownTotal = nil }.judge(head) == .complete)
        let unknown = asked(from: 40) { $0.knownTotal = nil }
        #expect(restarts(unknown.judge(self.head(416))))
    }

    @Test func outOfRangeWithoutARangeIsAnError() {
        #expect(failure(asked(from: 0).judge(head(416)))?.code == 416)
    }

    @Test func anotherSizeThanAgreedFails() {
        let decision = asked(from: 0) { $0.agreedBytes = 100 }
        #expect(failure(decision.judge(head(200) { $0.contentLength = 101 }))?.code == 1011)
        #expect(failure(decision.judge(head(200) { $0.contentLength = 99 }))?.code == 1011)
    }

    @Test func moreThanMayBeFetchedFailsBeforeItBegins() {
        let decision = asked(from: 0) { $0.maximumBytes = 100 }
        #expect(
            decision.judge(head(200) { $0.contentLength = 100 }) == .receive(from: 0, total: 100))
        let over = failure(decision.judge(head(200) { $0.contentLength = 101 }))
        #expect(over?.domain == .apple)
        #expect(over?.code == 203)
    }

    @Test(arguments: [301, 302, 303, 307, 308] as [Int32])
    func redirectsNeedALocation(status: Int32) {
        #expect(asked(from: 0).judge(head(status) { $0.location = "/x" }) == .redirect("/x"))
        #expect(failure(asked(from: 0).judge(head(status)))?.isRetryable == false)
    }

    @Test(
        arguments: [
            (408, true), (429, true), (500, true), (503, true), (599, true), (400, false),
            (401, false),
            (403, false), (404, false), (410, false), (204, false), (203, false), (304, false),
            (300, false),
        ] as [(Int32, Bool)])
    func otherStatusesFail(status: Int32, isRetryable: Bool) {
        let found = failure(asked(from: 40).judge(head(status)))
        #expect(found?.domain == .http)
        #expect(found?.httpStatus == status)
        #expect(found?.isRetryable == isRetryable)
    }

    @Test func retryAfterIsHandedOn() {
        let busy = head(503) { $0.retryAfter = .seconds(7) }
        #expect(failure(asked(from: 0).judge(busy))?.retryAfter == .seconds(7))
        let gone = head(404) { $0.retryAfter = .seconds(7) }
        #expect(failure(asked(from: 0).judge(gone))?.retryAfter == nil)
    }
}

struct ValidatorTests {
    private func validator(
        tag: String? = nil, modified: Int64? = nil, date: Int64? = nil
    ) -> Validator? {
        var head = ResponseHead(status: 200)
        head.entityTag = tag
        head.lastModified = modified.map { "date \($0)" }
        head.lastModifiedSeconds = modified
        head.dateSeconds = date
        return Validator(of: head)
    }

    @Test func strongTagIsOne() {
        #expect(validator(tag: "\"a\"")?.text == "\"a\"")
    }

    @Test func weakTagIsNoneEvenBesideADate() {
        #expect(validator(tag: "W/\"a\"") == nil)
        #expect(validator(tag: "W/\"a\"", modified: 10, date: 100) == nil)
    }

    @Test(arguments: [(99, true), (100, false), (101, false)] as [(Int64, Bool)])
    func dateMustBeASecondOlderThanTheAnswer(modified: Int64, isStrong: Bool) {
        #expect((validator(modified: modified, date: 100) != nil) == isStrong)
    }

    @Test func dateAloneIsNone() {
        #expect(validator(modified: 10) == nil)
        #expect(validator() == nil)
    }

    @Test func storedTextIsCheckedAgain() {
        #expect(Validator(stored: "\"a\"")?.text == "\"a\"")
        for text in ["", "W/\"a\"", "\"a\"\r\nX: y", String(repeating: "a", count: 513)] {
            #expect(Validator(stored: text) == nil)
        }
    }
}
