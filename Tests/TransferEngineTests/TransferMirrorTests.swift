import Digests
import FaultServer
import HTTPClient
import Testing
import TransferEngine
import URLPolicy

struct TransferMirrorTests {
    private let content = FaultContent(TransferFixture.noise(300_000))

    private func urls(_ paths: [String], _ fixture: TransferFixture) throws -> [RemoteURL] {
        try paths.map { try URLParser.parse(fixture.server.url($0)) }
    }

    @Test func aFailureForGoodGoesToTheNextAddressAtOnce() throws {
        let fixture = try TransferFixture([
            "/a": .status(404), "/b": .status(410), "/c": .honest(content),
        ])
        let mirrors = try urls(["/b", "/c"], fixture)
        let run = try fixture.run(try fixture.order("/a") { $0.mirrors = mirrors })
        #expect(run.isFinished)
        #expect(fixture.server.requests().map(\.path) == ["/a", "/b", "/c"])
    }

    @Test func aFailureThatMayPassIsTheCallersToWaitFor() throws {
        let fixture = try TransferFixture(["/a": .status(503), "/b": .honest(content)])
        let mirrors = try urls(["/b"], fixture)
        let run = try fixture.run(try fixture.order("/a") { $0.mirrors = mirrors })
        #expect(run.failure?.isRetryable == true)
        #expect(fixture.server.requests().map(\.path) == ["/a"])
    }

    @Test func afterTwoRetriesTheNextAddressIsAsked() throws {
        let fixture = try TransferFixture(["/a": .status(503), "/b": .honest(content)])
        let mirrors = try urls(["/b"], fixture)
        for retries in 0...3 {
            let run = try fixture.run(
                try fixture.order("/a") { order in
                    order.mirrors = mirrors
                    order.retries = retries
                })
            #expect(run.isFinished == (retries == 3))
        }
        #expect(fixture.server.requests().map(\.path) == ["/a", "/a", "/a", "/b"])
    }

    @Test func allAddressesForGoodIsForGood() throws {
        let fixture = try TransferFixture(["/a": .status(404), "/b": .status(403)])
        let mirrors = try urls(["/b"], fixture)
        let run = try fixture.run(try fixture.order("/a") { $0.mirrors = mirrors })
        #expect(run.failure?.code == 403)
        #expect(run.failure?.isRetryable == false)
    }

    @Test(arguments: [true, false])
    func aMirrorKeepsProgressOnlyWithSizeAndDigest(isAgreed: Bool) throws {
        let fixture = try TransferFixture(["/a": .status(404), "/b": .honest(content)])
        let mirrors = try urls(["/b"], fixture)
        fixture.put(Array(content.bytes[..<100_000]), as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/a") { order in
                order.mirrors = mirrors
                order.retries = 3
                order.expectedBytes = isAgreed ? 300_000 : nil
                order.sha256 = isAgreed ? try? SHA256Digest.digest(of: content.bytes) : nil
                order.resume = ResumeState(
                    receivedBytes: 100_000, validator: Validator(stored: "\"v1\""))
            })
        #expect(run.isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
        let request = fixture.server.requests().first
        #expect(request?.path == "/b")
        #expect(request?.header("range") == (isAgreed ? "bytes=100000-" : nil))
        #expect(request?.header("if-range") == nil)
        #expect(run.lastCheckpoint?.validator == nil)
    }

    @Test func aMirrorWithAnotherFileIsCaughtAndLeavesNothing() throws {
        let other = FaultContent(TransferFixture.noise(300_000, seed: 9))
        let fixture = try TransferFixture(["/a": .status(404), "/b": .honest(other)])
        let mirrors = try urls(["/b"], fixture)
        fixture.put(Array(content.bytes[..<100_000]), as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/a") { order in
                order.mirrors = mirrors
                order.expectedBytes = 300_000
                order.sha256 = try? SHA256Digest.digest(of: content.bytes)
                order.resume = ResumeState(receivedBytes: 100_000)
            })
        #expect(run.failure?.code == 1012)
        #expect(run.lastCheckpoint?.receivedBytes == 0)
        #expect(fixture.names == [])
    }

    @Test func aWrongDigestGoesToTheNextAddressFromTheStart() throws {
        let other = FaultContent(TransferFixture.noise(300_000, seed: 9))
        let fixture = try TransferFixture(["/a": .honest(other), "/b": .honest(content)])
        let mirrors = try urls(["/b"], fixture)
        let run = try fixture.run(
            try fixture.order("/a") { order in
                order.mirrors = mirrors
                order.expectedBytes = 300_000
                order.sha256 = try? SHA256Digest.digest(of: content.bytes)
            })
        #expect(run.isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
        #expect(fixture.server.requests(for: "/b").first?.header("range") == nil)
    }

    @Test func aRefusedMirrorIsPassedOver() throws {
        let fixture = try TransferFixture(["/a": .status(404), "/b": .honest(content)])
        let refused = try URLParser.parse("https://10.0.0.1/")
        let mirrors = [refused] + (try urls(["/b"], fixture))
        let run = try fixture.run(try fixture.order("/a") { $0.mirrors = mirrors })
        #expect(run.isFinished)
        #expect(fixture.server.requests().map(\.path) == ["/a", "/b"])
    }

    @Test func credentialsAreNotForAMirrorElsewhere() throws {
        let fixture = try TransferFixture(["/a": .status(404), "/b": .status(404)])
        let elsewhere = try URLParser.parse(fixture.server.url("/b", host: "localhost"))
        let mirrors = try urls(["/b"], fixture) + [elsewhere]
        let secret = try #require(HTTPHeader(name: "Authorization", value: "secret"))
        let run = try fixture.run(
            try fixture.order("/a") { order in
                order.mirrors = mirrors
                order.headers = [secret]
            })
        #expect(run.failure?.code == 404)
        let sent = fixture.server.requests().map { $0.header("authorization") }
        #expect(sent == ["secret", "secret", nil])
    }
}
