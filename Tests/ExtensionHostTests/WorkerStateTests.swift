import ExtensionHost
import Glibc
import LinuxSystem
import Testing
import WireProtocol

/// A state machine with a clock of its own.
struct SupervisedWorker {
    var state: WorkerState
    var now = Instant(nanoseconds: 1_000_000_000)
    var actions: [WorkerState.Action] = []

    init(wallBudget: Duration = .seconds(2)) {
        var terms = WorkerState.Terms()
        terms.wallBudget = wallBudget
        state = WorkerState(
            terms: terms, judge: VerdictJudge(systemCallName: { _ in nil }), now: now)
    }

    @discardableResult
    mutating func send(_ event: WorkerState.Event) -> [WorkerState.Action] {
        let new = state.handle(event, now: now)
        actions += new
        return new
    }

    @discardableResult
    mutating func message(_ message: WorkerMessage, _ sequence: UInt32 = 0)
        -> [WorkerState.Action]
    {
        send(.message(message, sequence: sequence))
    }

    mutating func pass(_ time: Duration) {
        now = now + time
    }

    /// Lets the time come that the machine asked for.
    @discardableResult
    mutating func reachDeadline() -> [WorkerState.Action] {
        if let next = state.nextDeadline { now = next }
        return send(.tick)
    }

    mutating func load() {
        message(.ready(WorkerReady()))
        message(.loaded(LoadedPlugin()))
    }

    mutating func install() {
        send(.call(.content(.install, AppDescription(), manifestBytes: 0)))
    }

    mutating func returned(_ status: Int32) {
        message(.returned(EntryReturn(status: status, heldBytes: 0, wasCalled: true)))
    }

    mutating func end(exit code: Int32? = nil, signal: Int32? = nil) -> WorkerOutcome? {
        send(.childEnded(ChildEnd(exitCode: code, signal: signal, cpuTime: .milliseconds(3))))
        send(.outputEnded)
        return outcome
    }

    var outcome: WorkerOutcome? {
        for case .deliver(.ended(let outcome)) in actions { return outcome }
        return nil
    }
}

struct WorkerStateTests {
    /// By system calls, where the kernel does not count them.
    @Test func moreThreadsThanAllowedEndTheRun() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        var memory = ProcessMemory()
        memory.threads = 32
        #expect(worker.send(.sampled(memory)) == [])
        memory.threads = 33
        #expect(worker.send(.sampled(memory)) == [.kill])
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .processLimit)
        #expect(outcome?.detail == "ran more threads than the limit of 32")
    }

    @Test func aWorkerWithoutItsFirstThreadIsEndedAndSaysSo() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        #expect(worker.send(.leaderless) == [.kill])
        #expect(worker.send(.leaderless) == [])
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .exitedEarly)
        #expect(outcome?.detail == "ended the thread that it was called on in bahost_install")
    }

    @Test func aLauncherThatDoesNotTellOfAKillIsEndedToo() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        #expect(worker.send(.terminate(.writtenBytes)) == [.kill])
        #expect(worker.send(.streamEnded) == [])
        #expect(worker.reachDeadline() == [.killLauncher])
        #expect(worker.send(.outputEnded).count == 1)
        #expect(worker.state.isDone)
    }

    @Test func theHangUpOfAWorkerThatIsReplacedIsNotTheNextOnes() {
        var worker = SupervisedWorker()
        worker.send(.streamEnded)
        worker.state.startAnew(needsRuntime: false, now: worker.now)
        worker.pass(WorkerState.Terms().hangUpTime + .seconds(1))
        #expect(worker.send(.tick).isEmpty)
        worker.send(.streamEnded)
        worker.pass(WorkerState.Terms().hangUpTime)
        #expect(worker.send(.tick) == [.kill])
    }

    @Test func aGoodRunIsOk() {
        var worker = SupervisedWorker()
        worker.load()
        worker.pass(.milliseconds(100))
        worker.install()
        worker.pass(.milliseconds(300))
        worker.returned(0)
        #expect(worker.state.isIdle)
        #expect(worker.state.nextDeadline == nil)
        worker.send(.shutDown)
        let outcome = worker.end(exit: 0)
        #expect(outcome?.verdict == .ok)
        #expect(outcome?.status == 0)
        #expect(outcome?.exitCode == 0)
        #expect(outcome?.pluginTime == .milliseconds(300))
        #expect(outcome?.wallTime == .milliseconds(400))
        #expect(outcome?.cpuTime == .milliseconds(3))
        #expect(worker.state.isDone)
    }

    @Test func isKilledWhenNotReadyAfterTenSeconds() {
        var worker = SupervisedWorker()
        worker.pass(.seconds(10) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.pass(.nanoseconds(1))
        #expect(worker.send(.tick) == [.kill])
        #expect(worker.end(signal: SIGKILL)?.verdict == .setupError)
    }

    @Test func isWarnedAtTheBudgetAndKilledAfterTheGrace() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.pass(.seconds(2) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.pass(.nanoseconds(1))
        #expect(worker.send(.tick) == [.warn(1)])
        worker.pass(.milliseconds(500) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.pass(.nanoseconds(1))
        #expect(worker.send(.tick) == [.kill])
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .wallTimeout)
        #expect(outcome?.detail == "bahost_install still ran after 2.0 s")
        #expect(outcome?.signal == SIGKILL)
    }

    @Test func loadingCountsInTheFirstCallOnly() {
        var worker = SupervisedWorker()
        worker.message(.ready(WorkerReady()))
        worker.pass(.milliseconds(1500))
        worker.message(.loaded(LoadedPlugin()))
        worker.install()
        #expect(worker.state.nextDeadline == worker.now + .milliseconds(500))
        worker.returned(0)
        worker.install()
        #expect(worker.state.nextDeadline == worker.now + .seconds(2))
    }

    @Test func aReplyAfterTheBudgetComesTooLate() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.reachDeadline()
        worker.returned(0)
        #expect(worker.actions.last == .kill)
        #expect(worker.end(signal: SIGKILL)?.verdict == .wallTimeout)
    }

    @Test func aPluginStuckInLoadingIsEnded() {
        var worker = SupervisedWorker()
        worker.message(.ready(WorkerReady()))
        #expect(worker.reachDeadline() == [.warn(1)])
        #expect(worker.reachDeadline() == [.kill])
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .wallTimeout)
        #expect(outcome?.stage == .load)
    }

    @Test func theUserCanEndACallAndAnIdleWorker() {
        var calling = SupervisedWorker()
        calling.load()
        calling.install()
        #expect(calling.send(.terminate(.userInterrupt)) == [.warn(3)])
        #expect(calling.reachDeadline() == [.kill])
        #expect(calling.end(signal: SIGKILL)?.verdict == .interrupted)

        var idle = SupervisedWorker()
        idle.load()
        #expect(idle.send(.terminate(.userInterrupt)) == [.send(.shutdown, sequence: 0)])
        #expect(idle.end(exit: 0)?.verdict == .interrupted)
    }

    @Test func theDaysRuntimeIsToldToThePlugin() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        #expect(worker.send(.terminate(.dailyRuntime)) == [.warn(2)])
        worker.reachDeadline()
        #expect(worker.end(signal: SIGKILL)?.verdict == .wallTimeout)
    }

    @Test func aWorkerThatDoesNotLeaveIsKilled() {
        var worker = SupervisedWorker()
        worker.load()
        worker.send(.shutDown)
        worker.pass(.seconds(2) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.pass(.nanoseconds(1))
        #expect(worker.send(.tick) == [.kill])
        #expect(worker.end(signal: SIGKILL)?.verdict == .wallTimeout)
    }

    @Test func outputIsDrainedForOneSecond() {
        var worker = SupervisedWorker()
        worker.load()
        worker.send(.shutDown)
        worker.send(.childEnded(ChildEnd(exitCode: 0, signal: nil, cpuTime: .zero)))
        worker.pass(.seconds(1) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.pass(.nanoseconds(1))
        worker.send(.tick)
        #expect(worker.outcome?.verdict == .ok)
    }

    @Test func aReplyReadAfterTheChildsEndStillCounts() {
        var worker = SupervisedWorker()
        worker.message(.ready(WorkerReady()))
        worker.send(.childEnded(ChildEnd(exitCode: 1, signal: nil, cpuTime: .zero)))
        worker.message(.loadFailed(LoadFailure(isMismatch: true, sentence: "needs ABI 2")))
        worker.send(.outputEnded)
        #expect(worker.outcome?.verdict == .abiMismatch)
        #expect(worker.outcome?.detail == "needs ABI 2")
    }

    @Test func aClosedConnectionIsForgivenForOneSecond() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.send(.streamEnded)
        worker.pass(.seconds(1) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.pass(.nanoseconds(1))
        #expect(worker.send(.tick) == [.kill])
        #expect(worker.end(signal: SIGKILL)?.detail == "closed its connection to the host")
    }

    @Test func anEvidenceRecordComesBeforeTheWaitStatus() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        var record = EvidenceRecord(kind: .signal)
        record.signal = SIGSEGV
        record.signalCode = 1
        worker.send(.evidence(record))
        let outcome = worker.end(exit: 70)
        #expect(outcome?.verdict == .crash)
        #expect(outcome?.detail == "SIGSEGV at address 0x0 in bahost_install")
    }

    @Test func aNamedCallThatOnlyFailedIsInTheLog() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        var record = EvidenceRecord(kind: .processRefused)
        record.text = "popen"
        worker.send(.evidence(record))
        worker.returned(0)
        worker.send(.shutDown)
        let outcome = worker.end(exit: 0)
        #expect(outcome?.verdict == .ok)
        #expect(outcome?.log == ["refused: called popen: plugins may not start processes"])
    }

    @Test func aReplyThatIsNotAllowedEndsTheRun() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.returned(42)
        #expect(worker.actions.contains(.send(.shutdown, sequence: 0)))
        #expect(worker.end(exit: 0)?.verdict == .badReply)
    }

    @Test func aNegativeReplyLeavesTheNextStepToTheEngine() {
        var worker = SupervisedWorker()
        worker.load()
        worker.install()
        worker.returned(-7)
        #expect(worker.state.isIdle)
        worker.state.noteDiscarded(3)
        worker.send(.shutDown)
        let outcome = worker.end(exit: 0)
        #expect(outcome?.verdict == .pluginError)
        #expect(
            outcome?.detail == "bahost_install returned -7; 3 collected requests were discarded")
        #expect(outcome?.status == -7)
    }

    @Test func theLargerPeakIsKeptWithItsSource() {
        var worker = SupervisedWorker()
        var ready = WorkerReady()
        ready.heldBytes = 1000
        worker.message(.ready(ready))
        worker.message(.loaded(LoadedPlugin()))
        worker.install()
        var memory = ProcessMemory()
        memory.heldBytes = 1500
        memory.pageTableBytes = 40
        worker.send(.sampled(memory))
        memory.heldBytes = 3000
        memory.pageTableBytes = 50
        worker.send(.sampled(memory))
        worker.message(.returned(EntryReturn(status: 0, heldBytes: 2500, wasCalled: true)))
        worker.send(.shutDown)
        let outcome = worker.end(exit: 0)
        #expect(outcome?.baselineBytes == 1000)
        #expect(outcome?.peakBytes == 2010)
        #expect(outcome?.peakSource == .sampled)
    }
}
