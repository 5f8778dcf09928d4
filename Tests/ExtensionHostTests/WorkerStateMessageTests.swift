import ExtensionHost
import Glibc
import LinuxSystem
import Testing
import WireProtocol

struct WorkerStateMessageTests {
    private static let messages: [(String, WorkerMessage)] = [
        ("ready", .ready(WorkerReady())),
        ("loaded", .loaded(LoadedPlugin())),
        ("returned", .returned(EntryReturn(status: 0, heldBytes: 0, wasCalled: true))),
        ("setupFailed", .setupFailed(SetupFailure(step: "x", sentence: "y"))),
        ("loadFailed", .loadFailed(LoadFailure(isMismatch: false, sentence: "y"))),
        ("schedule", .hostCall(.schedule(DownloadWish()))),
    ]

    /// In which of the states set-up, loading, idle, calling, shutting down a message may come.
    @Test(arguments: [
        ("ready", [true, false, false, false, false]),
        ("loaded", [false, true, false, false, false]),
        ("returned", [false, false, false, true, false]),
        ("setupFailed", [true, false, false, false, false]),
        ("loadFailed", [true, true, false, false, false]),
        ("schedule", [false, false, true, true, true]),
    ])
    func aFrameForAnImpossibleStateEndsTheRun(name: String, allowed: [Bool]) {
        guard let message = WorkerStateMessageTests.messages.first(where: { $0.0 == name })?.1
        else {
            Issue.record("no message \(name)")
            return
        }
        for (stage, isAllowed) in allowed.enumerated() {
            var worker = SupervisedWorker()
            if stage == 1 { worker.message(.ready(WorkerReady())) }
            if stage > 1 { worker.load() }
            if stage == 3 { worker.install() }
            if stage == 4 { worker.send(.shutDown) }
            let actions = worker.message(message, 1)
            #expect(actions.contains(.kill) == !isAllowed, "\(name) in state \(stage)")
            guard !isAllowed else { continue }
            #expect(worker.end(signal: SIGKILL)?.verdict == .protocolError)
        }
    }

    /// The promise is 1.05 × limit + 256 KiB, plus the printed reserve.
    @Test(arguments: [(UInt64(0), false), (1, true)])
    func whatGetsPastTheKernelIsEndedByTheSampler(past: UInt64, isEnded: Bool) {
        var worker = SupervisedWorker()
        var ready = WorkerReady()
        ready.heldBytes = 1 << 20
        ready.reserveBytes = 500_000
        worker.message(.ready(ready))
        worker.message(.loaded(LoadedPlugin()))
        worker.install()
        let limit: UInt64 = 6 << 20
        var memory = ProcessMemory()
        memory.heldBytes = 1 << 20 + limit + limit / 20 + 256 << 10 + 500_000 + past
        #expect(worker.send(.sampled(memory)) == (isEnded ? [.kill] : []))
        guard isEnded else { return }
        #expect(worker.end(signal: SIGKILL)?.verdict == .memoryLimit)
    }

    @Test func aRefusedAllocationTellsThePeak() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        var record = EvidenceRecord(kind: .memoryRefused)
        record.askedBytes = 65_536
        record.leftBytes = 4_096
        worker.send(.evidence(record))
        let outcome = worker.end(exit: 70)
        #expect(outcome?.verdict == .memoryLimit)
        #expect(outcome?.peakBytes == 6 << 20 - 4_096)
        #expect(outcome?.peakSource == .counted)
    }

    @Test func aMalformedFrameEndsTheRun() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        #expect(worker.send(.malformed(WireError(.badMagic, "frame"))) == [.kill])
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .protocolError)
        #expect(
            outcome?.detail
                == "sent a malformed frame: frame does not begin with the protocol's magic number")
    }

    @Test func hostCallsAreDeliveredAndAnsweredOnce() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        let call = HostCall.acquireExclusive(timeoutMilliseconds: -1)
        #expect(
            worker.message(.hostCall(call), 9) == [.deliver(.hostCall(call, sequence: 9))])
        #expect(
            worker.send(.reply(.status(0), sequence: 9))
                == [.send(.reply(.status(0)), sequence: 9)])
        #expect(worker.send(.reply(.status(0), sequence: 9)) == [])
        #expect(worker.send(.reply(.status(0), sequence: 10)) == [])
    }

    @Test func aSequenceInUseMayNotBeUsedAgain() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.message(.hostCall(.releaseExclusive), 9)
        #expect(worker.message(.hostCall(.releaseExclusive), 9) == [.kill])
        #expect(worker.end(signal: SIGKILL)?.verdict == .protocolError)
    }

    @Test func unansweredHostCallsAreBounded() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        for sequence in 0..<UInt32(WorkerState.awaitingBound) {
            worker.message(.hostCall(.releaseExclusive), sequence)
        }
        #expect(!worker.actions.contains(.kill))
        worker.message(.hostCall(.releaseExclusive), 1_000_000)
        #expect(worker.actions.last == .kill)
    }

    @Test func oneHostCallTooManyEndsTheRun() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        let call = WorkerMessage.hostCall(.refused(identifier: "a", code: 1000, sentence: ""))
        for _ in 0..<WorkerState.hostCallBound {
            _ = worker.state.handle(.message(call, sequence: 0), now: worker.now)
        }
        #expect(!worker.state.isDone)
        #expect(worker.message(call) == [.kill])
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .protocolError)
        #expect(outcome?.detail == "made more than 100,000 host calls")
        #expect(outcome?.hostCalls == 100_001)
    }

    @Test func aCallFromAThreadAfterTheReplyIsNotAllowedNow() {
        var worker = SupervisedWorker()
        worker.load()
        #expect(
            worker.message(.hostCall(.cancel(identifier: "a")), 4)
                == [.send(.reply(.status(1006)), sequence: 4)])
        #expect(
            worker.message(.hostCall(.remaining(what: 1)), 5)
                == [.send(.reply(.value(0)), sequence: 5)])
        #expect(worker.message(.hostCall(.log(level: 2, text: "late")), 0) == [])
    }

    @Test func theLogIsCleanedAndKept() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.message(.hostCall(.log(level: 2, text: "a\u{1B}[2Jb")))
        worker.message(.hostCall(.log(level: 9, text: "c")))
        #expect(worker.end(exit: 0)?.log == ["notice: a\u{FFFD}[2Jb", "level 9: c"])
    }

    @Test func laterCausesAreInTheLog() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.reachDeadline()
        var record = EvidenceRecord(kind: .signal)
        record.signal = SIGABRT
        record.signalCode = -6
        worker.send(.evidence(record))
        let outcome = worker.end(exit: 70)
        #expect(outcome?.verdict == .wallTimeout)
        #expect(outcome?.log == ["later: crash: called abort in bahost_install"])
        #expect(outcome?.later.map(\.sentence) == ["crash: called abort in bahost_install"])
    }

    @Test func aFailedSetUpIsAskedToLeave() {
        var worker = SupervisedWorker()
        let failure = SetupFailure(step: "seccomp", sentence: "EINVAL")
        #expect(worker.message(.setupFailed(failure)) == [.send(.shutdown, sequence: 0)])
        #expect(worker.end(exit: 0)?.detail == "seccomp: EINVAL")
    }

    @Test func aCallIsIgnoredUnlessIdle() {
        var worker = SupervisedWorker()
        worker.install()
        #expect(worker.actions == [])
        worker.load()
        worker.install()
        worker.actions = []
        worker.install()
        #expect(worker.actions == [])
    }

    @Test func nothingIsSaidAfterTheEnd() {
        var worker = SupervisedWorker()
        _ = worker.end(exit: 1)
        #expect(worker.send(.tick) == [])
        #expect(worker.message(.ready(WorkerReady())) == [])
        #expect(worker.state.nextDeadline == nil)
    }
}
