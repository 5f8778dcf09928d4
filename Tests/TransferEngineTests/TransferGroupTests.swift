import Digests
import FaultServer
import Foundation
import Glibc
import HTTPClient
import LinuxSystem
import Testing
import TransferEngine

/// Files are published in groups, and each stands for itself.
struct TransferGroupTests {
    private let content = FaultContent(TransferFixture.noise(5_000))

    @Test func oneThatCannotBePublishedFailsAlone() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path("file-7"), withIntermediateDirectories: false)
        for id in 1...20 { fixture.engine.start(try fixture.order("/x", id: Int64(id))) }
        for id in 1...20 {
            let last = try fixture.events.wait { $0.first { $0.ends(Int64(id)) } }
            let run = TransferRun(id: Int64(id), last: last, all: [])
            #expect(run.isFinished == (id != 7))
            if id == 7 {
                #expect(run.failure?.code == EISDIR)
                #expect(run.failure?.isRetryable == false)
            } else {
                #expect(run.sha256 == (try SHA256Digest.digest(of: content.bytes)))
            }
        }
        // What could not be published is still there.
        #expect(fixture.bytes(of: "partial-7") == Blob(content.bytes))
        #expect(fixture.names.count == 21)
    }

    @Test func aFileIsToldWithItsStampAndThatOfTheOneItReplaced() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        let first = try published(by: fixture)
        #expect(first.stamp == fixture.stamp(of: "file-1"))
        #expect(first.stamp?.sizeBytes == 5_000)
        #expect(first.replaced == nil)
        let second = try published(by: fixture)
        #expect(second.stamp == fixture.stamp(of: "file-1"))
        #expect(second.replaced == first.stamp)
    }

    /// Times have steps of up to 2 s: also within one of them an edit has to make another stamp.
    @Test func anEditRightAfterThePublicationIsFarFromItsStamp() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        let stamp = try #require(try published(by: fixture).stamp)
        let file = try Descriptor.open(fixture.folder.path("file-1"), flags: O_WRONLY)
        try DescriptorIO.writeAll(file.raw, [0], subject: "file-1")
        let edited = try #require(fixture.stamp(of: "file-1"))
        #expect(edited.sizeBytes == stamp.sizeBytes)
        #expect(edited.modifiedNanoseconds - stamp.modifiedNanoseconds > 2_000_000_000)
    }

    /// It has another name, or is no file: nothing of the host's is gone.
    @Test(arguments: ["ln", "ln -s", "mkfifo"])
    func whatIsNotGoneWasNotReplaced(tool: String) throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.put([1, 2, 3], as: "other")
        let name = fixture.folder.path("file-1")
        switch tool {
        case "ln": #expect(unsafe link(fixture.folder.path("other"), name) == 0)
        case "ln -s": #expect(unsafe symlink("other", name) == 0)
        default: #expect(unsafe mkfifo(name, 0o600) == 0)
        }
        let file = try published(by: fixture)
        #expect(file.stamp == fixture.stamp(of: "file-1"))
        #expect(file.replaced == nil)
        #expect(fixture.bytes(of: "other") == [1, 2, 3])
    }

    @Test func withoutADestinationThereIsNoStamp() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        let file = try published(by: fixture) { $0.destination = nil }
        #expect(file.stamp == nil)
        #expect(fixture.bytes(of: "partial-1") == Blob(content.bytes))
    }

    private func published(
        by fixture: TransferFixture, _ change: (inout TransferOrder) -> Void = { _ in }
    ) throws -> FinishedTransfer {
        let run = try fixture.run(try fixture.order("/x", change))
        guard case .finished(let group) = run.last else {
            throw EventLog.TimedOut()
        }
        return try #require(group.first)
    }

    @Test func everyOrderIsVerifiedBeforeItIsFinished() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        let run = try fixture.run(try fixture.order("/x"))
        let kinds = run.all.map { event in
            switch event {
            case .began: "began"
            case .verified: "verified"
            case .finished: "finished"
            default: "other"
            }
        }
        #expect(kinds == ["began", "verified", "finished"])
    }

    @Test func aCancelWhileItIsPublishedIsAnsweredAfter() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        fixture.engine.start(try fixture.order("/x"))
        _ = try fixture.events.wait { $0.contains(.verified(id: 1)) ? true : nil }
        fixture.engine.cancel(1)
        fixture.engine.cancel(1)
        fixture.engine.stop()
        let ends = fixture.events.all.filter { $0.ends(1) }
        #expect(ends.count == 3)
        #expect(ends.dropFirst() == [.stopped(id: 1), .stopped(id: 1)])
        #expect(TransferRun(last: ends[0], all: []).isFinished)
        #expect(fixture.bytes(of: "file-1") == Blob(content.bytes))
    }

    /// Its hash is read back by a thread of its own.
    @Test func aLargeFileHasItsDigest() throws {
        let large = FaultContent(TransferFixture.noise(5 << 20))
        let fixture = try TransferFixture(["/x": .honest(large), "/y": .honest(large)])
        let run = try fixture.run(try fixture.order("/x"))
        #expect(run.sha256 == (try SHA256Digest.digest(of: large.bytes)))
        #expect(fixture.bytes(of: "file-1") == Blob(large.bytes))

        fixture.put(Array(large.bytes[..<(3 << 20)]), as: "partial-2")
        let second = try fixture.run(
            try fixture.order("/y", id: 2) {
                $0.resume = ResumeState(
                    receivedBytes: 3 << 20, validator: Validator(stored: "\"v1\""))
            })
        #expect(second.resumedFrom == 3 << 20)
        #expect(second.sha256 == run.sha256)
    }

    @Test func beginningAgainIsTold() throws {
        let fixture = try TransferFixture(["/x": .ignoresRange(content)])
        fixture.put(Array(content.bytes[..<1_000]), as: "partial-1")
        let run = try fixture.run(
            try fixture.order("/x") {
                $0.resume = ResumeState(
                    receivedBytes: 1_000, validator: Validator(stored: "\"v1\""))
            })
        #expect(run.isFinished)
        #expect(run.all.count { if case .restarted = $0 { true } else { false } } == 1)
        // So that what was stored of the other version is not joined with this one.
        #expect(run.lastCheckpoint?.receivedBytes == 0)
    }

    @Test func aPartThatOnlySizeAndDigestProveIsNotToldAsANewBeginning() throws {
        let fixture = try TransferFixture(["/x": .honest(content)])
        let run = try fixture.run(try fixture.order("/x"))
        #expect(!run.all.contains { if case .restarted = $0 { true } else { false } })
    }

    /// In a process of its own, because the limit belongs to all threads.
    @Test func aFileSizeLimitIsOneFinalFailureAndThePartialStays() async {
        await #expect(processExitsWith: .success) {
            let large = FaultContent(TransferFixture.noise(300_000))
            let fixture = try TransferFixture(["/x": .honest(large)])
            var limit = rlimit(rlim_cur: 100_000, rlim_max: .max)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let run = try fixture.run(try fixture.order("/x"))
            #expect(run.failure?.domain == .errno)
            #expect(run.failure?.code == EFBIG)
            #expect(run.failure?.isRetryable == false)
            #expect(run.failure?.message.contains("ulimit") == true)
            let kept = try #require(run.lastCheckpoint)
            #expect(kept.receivedBytes <= 100_000)
            limit.rlim_cur = .max
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let second = try fixture.run(try fixture.order("/x") { $0.resume = kept })
            #expect(second.isFinished)
            #expect(fixture.bytes(of: "file-1") == Blob(large.bytes))
        }
    }

    @Test(arguments: [
        (ENOSPC, "free some space"), (EDQUOT, "share of the disk"), (EFBIG, "ulimit"),
        (EROFS, "read-only"), (EACCES, "right to write"), (EXDEV, "one mount"),
    ])
    func aFaultOfTheDiskSaysWhatToDo(code: Int32, hint: String) {
        let failure = TransferFailure(SystemError(call: "write", subject: "/x/y", code: code))
        #expect(failure.code == code)
        #expect(!failure.isRetryable)
        #expect(failure.message.contains("/x/y"))
        #expect(failure.message.contains(hint))
    }
}
