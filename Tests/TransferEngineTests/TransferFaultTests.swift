import Digests
import FaultServer
import Testing
import TransferEngine

/// Each way a server misbehaves: the right bytes or the right error, never a wrong file.
struct TransferFaultTests {
    private let content = FaultContent(TransferFixture.noise(200_000))

    /// Runs one order against one route, with nothing on disk; half of the bytes when `isResuming`.
    private func run(
        _ route: FaultRoute, isResuming: Bool = false,
        _ change: (inout TransferOrder) -> Void = { _ in }
    ) throws -> (run: TransferRun, fixture: TransferFixture) {
        let fixture = try TransferFixture(["/x": route])
        let order = try fixture.order("/x") { order in
            if isResuming {
                fixture.put(Array(content.bytes[..<100_000]), as: "partial-1")
                order.resume = ResumeState(
                    receivedBytes: 100_000, validator: Validator(stored: "\"v1\""),
                    totalBytes: 200_000)
            }
            change(&order)
        }
        return (try fixture.run(order), fixture)
    }

    private func expectWhole(_ result: (run: TransferRun, fixture: TransferFixture)) {
        #expect(result.run.isFinished)
        #expect(result.fixture.bytes(of: "file-1") == Blob(content.bytes))
        #expect(result.fixture.names == ["file-1"])
    }

    /// No file, and no partial unless it may be gone on with.
    private func expectFailure(
        _ result: (run: TransferRun, fixture: TransferFixture), _ domain: TransferFailure.Domain,
        _ code: Int32, isRetryable: Bool
    ) {
        let failure = result.run.failure
        #expect(failure?.domain == domain)
        #expect(failure?.code == code)
        #expect(failure?.isRetryable == isRetryable)
        let isKept = isRetryable && (result.run.lastCheckpoint?.receivedBytes ?? 0) > 0
        #expect(result.fixture.names == (isKept ? ["partial-1"] : []))
    }

    @Test func honest() throws {
        let result = try run(.honest(content)) {
            $0.expectedBytes = 200_000
            $0.sha256 = try? SHA256Digest.digest(of: content.bytes)
        }
        expectWhole(result)
        #expect(result.run.sha256 == (try SHA256Digest.digest(of: content.bytes)))
        #expect(result.run.all.first == .began(id: 1, totalBytes: 200_000))
        let request = result.fixture.server.requests().first
        #expect(request?.header("accept-encoding") == "identity")
        #expect(request?.header("range") == nil)
    }

    @Test func emptyFile() throws {
        let result = try run(.honest(FaultContent([]))) { $0.expectedBytes = 0 }
        #expect(result.run.isFinished)
        #expect(result.fixture.bytes(of: "file-1") == [])
    }

    @Test func honestResume() throws {
        let result = try run(.honest(content), isResuming: true)
        expectWhole(result)
        #expect(result.run.resumedFrom == 100_000)
        let request = result.fixture.server.requests().first
        #expect(request?.header("range") == "bytes=100000-")
        #expect(request?.header("if-range") == "\"v1\"")
    }

    @Test func rangeIgnored() throws {
        let result = try run(.ignoresRange(content), isResuming: true)
        expectWhole(result)
        #expect(result.run.resumedFrom == nil)
        #expect(result.fixture.server.requests().count == 1)
    }

    @Test(arguments: [1, -1, 100_000])
    func partThatStartsElsewhere(offset: Int) throws {
        let result = try run(.wrongStart(content, by: offset), isResuming: true)
        expectWhole(result)
        #expect(
            result.fixture.server.requests().map { $0.header("range") } == ["bytes=100000-", nil])
    }

    @Test(arguments: [1, -1])
    func partWithAWrongTotal(excess: Int) throws {
        expectWhole(try run(.wrongTotal(content, by: excess), isResuming: true))
    }

    @Test func partThatEndsEarly() throws {
        expectWhole(try run(.shortRange(content, by: 10), isResuming: true))
    }

    @Test func shortBodyIsRetryableAndThenGoesOn() throws {
        let (first, fixture) = try run(.cutOnce(content, after: 70_000))
        #expect(first.failure?.code == 18)
        #expect(first.failure?.isRetryable == true)
        #expect(fixture.bytes(of: "file-1") == nil)
        #expect(first.lastCheckpoint?.receivedBytes == 70_000)
        let second = try fixture.run(try fixture.order("/x") { $0.resume = first.lastCheckpoint })
        #expect(second.resumedFrom == 70_000)
        expectWhole((second, fixture))
        #expect(fixture.server.requests().last?.header("range") == "bytes=70000-")
    }

    @Test func bytesAfterTheDeclaredEndAreNotTaken() throws {
        expectWhole(try run(.long(content, extra: [1, 2, 3])))
    }

    @Test func unsizedAnswers() throws {
        expectWhole(try run(.unsized(content)))
        expectWhole(try run(.chunked(content)) { $0.expectedBytes = 200_000 })
    }

    @Test func unsizedAnswerThatIsTooLongStopsAtTheAgreedSize() throws {
        let result = try run(.chunked(content)) { $0.expectedBytes = 199_999 }
        expectFailure(result, .bahost, 1011, isRetryable: false)
    }

    @Test func unsizedAnswerThatIsTooShortIsNotPublished() throws {
        let result = try run(.unsized(content)) { $0.expectedBytes = 200_001 }
        expectFailure(result, .bahost, 1011, isRetryable: true)
    }

    @Test(arguments: [199_999, 200_001] as [UInt64])
    func declaredSizeThatIsNotTheAgreedOne(agreed: UInt64) throws {
        let result = try run(.honest(content)) { $0.expectedBytes = agreed }
        expectFailure(result, .bahost, 1011, isRetryable: false)
    }

    @Test func maximumHoldsWithAndWithoutALength() throws {
        expectWhole(try run(.unsized(content)) { $0.maximumBytes = 200_000 })
        expectFailure(
            try run(.unsized(content)) { $0.maximumBytes = 199_999 }, .apple, 204,
            isRetryable: false)
        expectFailure(
            try run(.honest(content)) { $0.maximumBytes = 199_999 }, .apple, 203, isRetryable: false
        )
    }

    @Test func wrongDigest() throws {
        let result = try run(.honest(content)) { $0.sha256 = [UInt8](repeating: 7, count: 32) }
        expectFailure(result, .bahost, 1012, isRetryable: false)
        #expect(result.run.lastCheckpoint == ResumeState(receivedBytes: 0))
    }

    @Test func changedEntityTagStartsOver() throws {
        let newer = FaultContent(TransferFixture.noise(150_000, seed: 2), entityTag: "\"v2\"")
        let (result, fixture) = try run(.honest(newer), isResuming: true)
        #expect(result.isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(newer.bytes))
        #expect(fixture.server.requests().count == 1)
    }

    @Test func weakEntityTagNeverJoins() throws {
        var weak = content
        weak.entityTag = "W/\"v1\""
        let (first, fixture) = try run(.cutOnce(weak, after: 70_000))
        #expect(first.lastCheckpoint?.validator == nil)
        let second = try fixture.run(try fixture.order("/x") { $0.resume = first.lastCheckpoint })
        expectWhole((second, fixture))
        #expect(fixture.server.requests().last?.header("range") == nil)
    }

    @Test func lastModifiedStandsInForATag() throws {
        var dated = content
        dated.entityTag = nil
        dated.lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"
        dated.date = "Sun, 06 Nov 1994 08:49:38 GMT"
        let (first, fixture) = try run(.cutOnce(dated, after: 70_000))
        let second = try fixture.run(try fixture.order("/x") { $0.resume = first.lastCheckpoint })
        #expect(second.resumedFrom == 70_000)
        expectWhole((second, fixture))
        #expect(fixture.server.requests().last?.header("if-range") == dated.lastModified)
    }

    @Test func gzipOnRequestIsAskedAgainWithout() throws {
        let result = try run(.gzip(content, onlyWhenAsked: true))
        expectWhole(result)
        let sent = result.fixture.server.requests().map { $0.header("accept-encoding") }
        #expect(sent == ["identity", nil])
    }

    @Test func gzipInAnyCaseFails() throws {
        let result = try run(.gzip(content, onlyWhenAsked: false))
        expectFailure(result, .transport, 61, isRetryable: false)
        #expect(result.fixture.server.requests().count == 2)
    }

    @Test func outOfRangeWithEverythingThere() throws {
        let result = try run(.honest(content)) { order in
            order.resume = ResumeState(
                receivedBytes: 200_000, validator: Validator(stored: "\"v1\""))
        }
        expectWhole(result)

        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put(content.bytes, as: "partial-1")
        let order = try fixture.order("/x") {
            $0.resume = ResumeState(receivedBytes: 200_000, validator: Validator(stored: "\"v1\""))
        }
        expectWhole((try fixture.run(order), fixture))
        #expect(fixture.server.requests().map { $0.header("range") } == ["bytes=200000-"])
    }

    @Test(arguments: [
        (404, false), (403, false), (500, true), (503, true), (429, true), (408, true),
    ])
    func errorStatuses(status: Int, isRetryable: Bool) throws {
        let route = FaultRoute.status(status, headers: ["Retry-After": "9"], body: [65, 66])
        let result = try run(route)
        expectFailure(result, .http, Int32(status), isRetryable: isRetryable)
        #expect(result.run.failure?.retryAfter == (isRetryable ? .seconds(9) : nil))
    }

    @Test func errorBodyIsNeverAppended() throws {
        let (result, fixture) = try run(.status(503, body: content.bytes), isResuming: true)
        #expect(result.failure?.httpStatus == 503)
        #expect(fixture.bytes(of: "partial-1") == Blob(Array(content.bytes[..<100_000])))
        #expect(result.lastCheckpoint?.receivedBytes == 100_000)
        #expect(result.lastCheckpoint?.validator?.text == "\"v1\"")
    }

    @Test func dripIsWaitedFor() throws {
        let small = FaultContent(TransferFixture.noise(40_000))
        let fixture = try TransferFixture(
            ["/x": .drip(small, portion: 10_000, every: .milliseconds(50))])
        #expect(try fixture.run(try fixture.order("/x")).isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(small.bytes))
    }

    @Test func stallIsRetryable() throws {
        let result = try run(.stall(content, after: 1000))
        expectFailure(result, .transport, 28, isRetryable: true)
        #expect(result.run.lastCheckpoint?.receivedBytes == 1000)
    }

    @Test func silenceIsRetryable() throws {
        // Nothing came, so nothing is left.
        expectFailure(try run(.neverAnswers), .transport, 28, isRetryable: true)
    }

    @Test func resetIsRetryable() throws {
        let result = try run(.reset(content, after: 1000))
        #expect(result.run.failure?.domain == .transport)
        #expect(result.run.failure?.isRetryable == true)
        #expect(result.fixture.bytes(of: "file-1") == nil)
    }

    @Test func garbageIsRetryable() throws {
        let result = try run(.garbage)
        #expect(result.run.failure?.domain == .transport)
        #expect(result.run.failure?.isRetryable == true)
        #expect(result.fixture.bytes(of: "file-1") == nil)
    }

    @Test func giantHeadersAreRefused() throws {
        expectWhole(try run(.giantHeaders(content, bytes: 50_000)))
        let result = try run(.giantHeaders(content, bytes: 70_000))
        #expect(result.run.failure?.domain == .transport)
        #expect(result.run.failure?.message.contains("64 KiB") == true)
        #expect(result.fixture.bytes(of: "file-1") == nil)
    }

    /// What a server says beyond an answer is not the beginning of the next one.
    @Test(
        arguments: [
            [.append(Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad".utf8))],
            [.append([0, 1, 2])], [.append(Array("\r\n\r\n".utf8))], [.status(304)], [.status(204)],
            [.status(205)],
            [
                .set("Content-Length", nil), .chunked,
                .append(Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad".utf8)),
            ],
            [.set("Content-Length", nil), .chunked, .append(Array("3\r\nbad\r\n0\r\n\r\n".utf8))],
        ] as [[FaultEdit]])
    func leftoversDoNotReachTheNextAnswer(edits: [FaultEdit]) throws {
        let small = FaultContent([1, 2, 3, 4, 5])
        let fixture = try TransferFixture(["/x": .answer(small, edits), "/y": .honest(content)])
        for id in 1...3 as ClosedRange<Int64> {
            _ = try fixture.run(try fixture.order("/x", id: id))
            let run = try fixture.run(try fixture.order("/y", id: id + 10))
            #expect(run.isFinished)
            #expect(fixture.bytes(of: "file-\(id + 10)") == Blob(content.bytes))
        }
    }

    @Test func serverThatNeverAgreesIsGivenUp() throws {
        let range = FaultRoute.raw(
            Array(
                "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-9/10\r\nContent-Length: 10\r\n\r\n0123456789"
                    .utf8))
        let result = try run(range)
        expectFailure(result, .transport, 33, isRetryable: false)
        #expect(result.fixture.server.requests().count == 4)
    }

    @Test func nobodyListening() throws {
        let fixture = try TransferFixture([:])
        let order = try fixture.order("/x")
        fixture.server.stop()
        let result = try fixture.run(order)
        #expect(result.failure?.domain == .transport)
        #expect(result.failure?.isRetryable == true)
    }
}
