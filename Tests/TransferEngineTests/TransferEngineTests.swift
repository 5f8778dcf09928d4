import Digests
import FaultServer
import Foundation
import HTTPClient
import LinuxSystem
import Testing
import TransferEngine

struct TransferEngineTests {
    private let content = FaultContent(TransferFixture.noise(300_000))

    @Test func cancelKeepsThePartialAndTheNextOrderGoesOn() throws {
        let fixture = try TransferFixture([
            "/x": .sequence([.stall(content, after: 120_000), .honest(content)])
        ])
        fixture.engine.start(try fixture.order("/x"))
        _ = try fixture.events.wait { events in
            events.first {
                if case .progress(_, let at) = $0 { at.receivedBytes == 120_000 } else { false }
            }
        }
        fixture.engine.cancel(1)
        let last = try fixture.events.wait { $0.first { $0.ends(1) } }
        #expect(last == .stopped(id: 1))
        guard case .checkpoint(_, let state) = fixture.events.all.dropLast().last else {
            Issue.record("no checkpoint before the end")
            return
        }
        #expect(state.receivedBytes == 120_000)
        #expect(fixture.bytes(of: "file-1") == nil)

        let second = try fixture.run(try fixture.order("/x") { $0.resume = state })
        #expect(second.resumedFrom == 120_000)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
        let request = fixture.server.requests().last
        #expect(request?.header("range") == "bytes=120000-")
        #expect(request?.header("if-range") == "\"v1\"")
    }

    @Test func cancelBeforeTheHashIsRebuiltKeepsWhatWasStored() throws {
        let fixture = try TransferFixture(["/x": .neverAnswers], stallTime: .seconds(60))
        let size = 32 << 20
        fixture.put([UInt8](repeating: 0, count: size), as: "partial-1")
        let stored = ResumeState(
            receivedBytes: UInt64(size), validator: Validator(stored: "\"v1\""), totalBytes: 1 << 26
        )
        fixture.engine.start(try fixture.order("/x") { $0.resume = stored })
        fixture.engine.cancel(1)
        _ = try fixture.events.wait { $0.first { $0.ends(1) } }
        #expect(fixture.events.all == [.checkpoint(id: 1, state: stored), .stopped(id: 1)])
        #expect(fixture.bytes(of: "partial-1")?.bytes.count == size)
    }

    @Test func aSecondOrderOfARunningIdIsIgnored() throws {
        let fixture = try TransferFixture(
            ["/x": .neverAnswers, "/y": .honest(content)], stallTime: .seconds(60))
        fixture.engine.start(try fixture.order("/x"))
        fixture.engine.start(try fixture.order("/y"))
        fixture.engine.stop()
        #expect(fixture.events.all.count { $0.ends(1) } == 1)
        #expect(fixture.server.requests(for: "/y").isEmpty)
    }

    @Test func stopClosesEverything() throws {
        let fixture = try TransferFixture(["/x": .neverAnswers], stallTime: .seconds(60))
        for id in 1...3 { fixture.engine.start(try fixture.order("/x", id: Int64(id))) }
        fixture.engine.stop()
        let ended = fixture.events.all.filter { if case .stopped = $0 { true } else { false } }
        #expect(ended == [.stopped(id: 1), .stopped(id: 2), .stopped(id: 3)])
        fixture.engine.start(try fixture.order("/x", id: 4))
        #expect(!fixture.events.all.contains { $0.ids == [4] })
    }

    @Test func cancelOfAnUnknownOrderIsAnsweredAndNothingElse() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.engine.cancel(99)
        #expect(try fixture.run(try fixture.order("/x")).isFinished)
        #expect(fixture.events.all.filter { $0.ids == [99] } == [.stopped(id: 99)])
    }

    @Test func cancelOfAnEndedOrderIsAnsweredAndTheFileStays() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        #expect(try fixture.run(try fixture.order("/x")).isFinished)
        fixture.engine.cancel(1)
        fixture.engine.stop()
        #expect(fixture.events.all.last == .stopped(id: 1))
        #expect(fixture.events.all.count { $0.ends(1) } == 2)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
    }

    @Test func twentyAtOnce() throws {
        var routes: [String: FaultRoute] = [:]
        for id in 1...20 {
            routes["/\(id)"] = .honest(
                FaultContent(TransferFixture.noise(50_000 + id, seed: UInt64(id))))
        }
        let fixture = try TransferFixture(routes)
        for id in 1...20 { fixture.engine.start(try fixture.order("/\(id)", id: Int64(id))) }
        _ = try fixture.events.wait { events in
            events.reduce(0) { if case .finished(let group) = $1 { $0 + group.count } else { $0 } }
                == 20 ? true : nil
        }
        for id in 1...20 {
            let bytes = TransferFixture.noise(50_000 + id, seed: UInt64(id))
            #expect(fixture.bytes(of: "file-\(id)") == Blob(bytes))
        }
        #expect(fixture.names.count == 20)
    }

    @Test func progressNeverRunsBackwardsOrPastTheTotal() throws {
        let slow = FaultContent(TransferFixture.noise(60_000))
        let fixture = try TransferFixture(
            ["/x": .drip(slow, portion: 10_000, every: .milliseconds(120))])
        let run = try fixture.run(try fixture.order("/x"))
        var told: [UInt64] = []
        for case .progress(_, let at) in run.all {
            #expect(at.totalBytes == 60_000)
            told.append(at.receivedBytes)
        }
        #expect(!told.isEmpty)
        #expect(told == told.sorted())
        #expect(told.allSatisfy { $0 <= 60_000 })
    }

    @Test func partialThatIsShorterThanStoredIsBelieved() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put(Array(content.bytes[..<1_000]), as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/x") {
                $0.resume = ResumeState(
                    receivedBytes: 9_999, validator: Validator(stored: "\"v1\""))
            })
        #expect(run.resumedFrom == 1_000)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
    }

    @Test func partialThatIsLongerThanStoredIsCut() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put(Array(content.bytes[..<1_000]) + [0, 0, 0], as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/x") {
                $0.resume = ResumeState(
                    receivedBytes: 1_000, validator: Validator(stored: "\"v1\""))
            })
        #expect(run.resumedFrom == 1_000)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
    }

    @Test func damagedPartialIsCaughtByTheDigest() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put([UInt8](repeating: 0, count: 1_000), as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/x") {
                $0.sha256 = try? SHA256Digest.digest(of: content.bytes)
                $0.resume = ResumeState(
                    receivedBytes: 1_000, validator: Validator(stored: "\"v1\""))
            })
        #expect(run.failure?.code == 1012)
        #expect(fixture.names == [])
    }

    @Test func joinedWithoutAValidatorOnlyWhenTheDigestDecides() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put([UInt8](repeating: 0, count: 1_000), as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/x") {
                $0.expectedBytes = 300_000
                $0.sha256 = try? SHA256Digest.digest(of: content.bytes)
                $0.resume = ResumeState(receivedBytes: 1_000)
            })
        // The first 1,000 bytes were not the server's: found out by the digest, and fetched again.
        #expect(run.isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
        #expect(fixture.server.requests().map { $0.header("range") } == ["bytes=1000-", nil])
    }

    @Test func completePartialNeedsNoRequest() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put(content.bytes, as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/x") {
                $0.expectedBytes = 300_000
                $0.sha256 = try? SHA256Digest.digest(of: content.bytes)
                $0.resume = ResumeState(receivedBytes: 300_000)
            })
        #expect(run.isFinished)
        #expect(fixture.server.requests().isEmpty)
    }
}

struct TransferFileTests {
    private let content = FaultContent(TransferFixture.noise(5_000))

    @Test func replacesAFileButNeverAFolder() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put([1, 2, 3], as: "file-1")
        #expect(try fixture.run(try fixture.order("/x")).isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))

        try FileManager.default.createDirectory(
            atPath: fixture.folder.path("file-2"), withIntermediateDirectories: false)
        let run = try fixture.run(try fixture.order("/x", id: 2))
        #expect(run.failure?.domain == .errno)
        #expect(run.failure?.code == EISDIR)
    }

    @Test func withoutADestinationTheFileStays() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        #expect(try fixture.run(try fixture.order("/x") { $0.destination = nil }).isFinished)
        #expect(fixture.names == ["partial-1"])
        #expect(fixture.bytes(of: "partial-1") == Blob(content.bytes))
    }

    @Test func partialThatIsALinkIsRefused() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put([1, 2, 3], as: "target")
        try FileManager.default.createSymbolicLink(
            atPath: fixture.folder.path("partial-1"),
            withDestinationPath: fixture.folder.path("target"))
        let run = try fixture.run(try fixture.order("/x"))
        #expect(run.failure?.domain == .errno)
        #expect(run.failure?.code == ELOOP)
        #expect(fixture.bytes(of: "target") == [1, 2, 3])
        #expect(fixture.server.requests().isEmpty)
    }

    @Test func partialThatIsAFolderOrAFIFOIsRefused() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path("partial-1"), withIntermediateDirectories: false)
        #expect(try fixture.run(try fixture.order("/x")).failure?.code == EISDIR)
        #expect(unsafe mkfifo(fixture.folder.path("partial-2"), 0o600) == 0)
        #expect(try fixture.run(try fixture.order("/x", id: 2)).failure?.code == EINVAL)
    }

    @Test func missingFolderIsAnErrnoFailure() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        let run = try fixture.run(
            try fixture.order("/x") { $0.partialPath = fixture.folder.path("none/partial") })
        #expect(run.failure?.domain == .errno)
        #expect(run.failure?.code == ENOENT)
    }

    @Test func failureToOpenKeepsWhatWasStored() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        let stored = ResumeState(receivedBytes: 77, validator: Validator(stored: "\"v1\""))
        let run = try fixture.run(
            try fixture.order("/x") { order in
                order.partialPath = fixture.folder.path("none/partial")
                order.resume = stored
            })
        #expect(run.lastCheckpoint == stored)
    }

    @Test func fullDiskIsOneFinalErrnoFailure() {
        let failure = TransferFailure(SystemError(call: "write", subject: "/x", code: ENOSPC))
        #expect(failure.domain == .errno)
        #expect(failure.code == ENOSPC)
        #expect(!failure.isRetryable)
        #expect(failure.message.contains("free some space"))
    }

    @Test func descriptorsDoNotLeak() throws {
        let fixture = try TransferFixture(["/x": .honest(content), "/bad": .status(404)])
        func open() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
                let link = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(name)")
                return link?.hasPrefix(fixture.folder.root) ?? false
            }.count
        }
        let held = try Descriptor.open(fixture.folder.root, flags: O_RDONLY | O_DIRECTORY)
        // The fixture has one of its own.
        #expect(try open() == 2)
        try held.close()
        for id in 1...10 {
            _ = try fixture.run(
                try fixture.order(id.isMultiple(of: 2) ? "/x" : "/bad", id: Int64(id)))
        }
        fixture.engine.stop()
        #expect(try open() == 1)
    }
}
