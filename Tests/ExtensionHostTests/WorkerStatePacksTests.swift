import ExtensionHost
import Glibc
import LinuxSystem
import Testing
import WireProtocol

/// A call about packs: its own budget, progress by pieces, and sentences that name the pack.
struct WorkerStatePacksTests {
    private func asking(
        _ identifiers: [String] = ["a", "b", "c"], wallBudget: Duration = .seconds(30)
    ) throws -> SupervisedWorker {
        var worker = SupervisedWorker(wallBudget: wallBudget)
        worker.load()
        try ask(&worker, identifiers)
        return worker
    }

    private func ask(_ worker: inout SupervisedWorker, _ identifiers: [String]) throws {
        let packs = try identifiers.map { identifier throws(WireError) in
            try AssetPackDescription(identifier: identifier)
        }
        worker.send(.call(.packs(try #require(PackBatch(prefixOf: packs[...])))))
    }

    private func finish(_ worker: inout SupervisedWorker) -> WorkerOutcome? {
        worker.send(.shutDown)
        return worker.end(exit: 0)
    }

    @Test func aBatchMayBeAnsweredInPieces() throws {
        var worker = try asking()
        #expect(worker.message(.answered([1])) == [.deliver(.answered([1]))])
        #expect(worker.message(.answered([0, 1])) == [.deliver(.answered([0, 1]))])
        worker.returned(0)
        #expect(worker.state.isIdle)
        try ask(&worker, ["d"])
        worker.message(.answered([1]))
        worker.returned(0)
        #expect(finish(&worker)?.verdict == .ok)
    }

    @Test func aPackHasOneSecondSinceTheLastProgress() throws {
        var worker = try asking()
        worker.pass(.seconds(1) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.message(.answered([1]))
        worker.pass(.seconds(1) - .nanoseconds(1))
        #expect(worker.send(.tick) == [])
        worker.pass(.nanoseconds(1))
        #expect(worker.send(.tick) == [.warn(1)])
        #expect(worker.reachDeadline() == [.kill])
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .wallTimeout)
        #expect(outcome?.stage == .entry)
        #expect(
            outcome?.detail == "bahost_should_download still ran after 1.0 s, for pack b")
    }

    /// What the worker's watcher sends at the warning makes the name exact.
    @Test func answersAfterTheWarningNameThePack() throws {
        var worker = try asking()
        #expect(worker.reachDeadline() == [.warn(1)])
        let grace = worker.state.nextDeadline
        #expect(worker.message(.answered([1, 0])) == [.deliver(.answered([1, 0]))])
        #expect(worker.state.nextDeadline == grace)
        worker.reachDeadline()
        let detail = worker.end(signal: SIGKILL)?.detail
        #expect(detail == "bahost_should_download still ran after 1.0 s, for pack c")
    }

    @Test func aReturnAfterTheWarningComesTooLate() throws {
        var worker = try asking()
        worker.reachDeadline()
        worker.returned(0)
        #expect(worker.actions.last == .kill)
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .wallTimeout)
        #expect(outcome?.detail.hasSuffix("for pack a") == true)
    }

    @Test func aShorterWallBudgetHoldsForPacksToo() throws {
        let worker = try asking(wallBudget: .milliseconds(250))
        #expect(worker.state.nextDeadline == worker.now + .milliseconds(250))
    }

    @Test func loadingDoesNotShortenTheFirstPack() throws {
        var worker = SupervisedWorker()
        worker.message(.ready(WorkerReady()))
        worker.pass(.milliseconds(1500))
        worker.message(.loaded(LoadedPlugin()))
        try ask(&worker, ["a"])
        #expect(worker.state.nextDeadline == worker.now + .seconds(1))
    }

    @Test(arguments: [2, 42, Int32.max] as [Int32])
    func aWrongReplyNamesThePack(status: Int32) throws {
        var worker = try asking()
        worker.message(.answered([1, status]))
        let actions = worker.message(
            .returned(EntryReturn(status: status, heldBytes: 0, wasCalled: true)))
        #expect(actions.first == .send(.shutdown, sequence: 0))
        let outcome = worker.end(exit: 0)
        #expect(outcome?.verdict == .badReply)
        #expect(
            outcome?.detail == "bahost_should_download returned \(status) for pack b; "
                + "allowed are 0, 1 and negative numbers")
        #expect(outcome?.log == [])
    }

    @Test func negativeRepliesAreToldAtTheEnd() throws {
        var worker = try asking()
        worker.message(.answered([-7, 1, .min]))
        worker.returned(0)
        #expect(worker.state.isIdle)
        try ask(&worker, ["d"])
        worker.message(.answered([0]))
        worker.returned(0)
        let outcome = finish(&worker)
        #expect(outcome?.verdict == .pluginError)
        #expect(outcome?.stage == .entry)
        #expect(
            outcome?.detail == "bahost_should_download returned -7 for pack a, "
                + "and negative numbers for 1 other pack")
        #expect(outcome?.log == [])
    }

    @Test func oneNegativeReplyStandsAlone() throws {
        var worker = try asking()
        worker.message(.answered([1, -7, 1]))
        worker.returned(0)
        #expect(finish(&worker)?.detail == "bahost_should_download returned -7 for pack b")
    }

    @Test func aWorseEndWinsOverANegativeReply() throws {
        var worker = try asking()
        worker.message(.answered([-7]))
        var record = EvidenceRecord(kind: .signal)
        record.signal = SIGABRT
        record.signalCode = -6
        worker.send(.evidence(record))
        let outcome = worker.end(exit: 70)
        #expect(outcome?.verdict == .crash)
        #expect(
            outcome?.log == ["also: plugin_error: bahost_should_download returned -7 for pack a"])
    }

    @Test func withoutTheEntryPointNothingIsAnswered() throws {
        var worker = try asking()
        worker.message(.returned(EntryReturn(status: 1, heldBytes: 0, wasCalled: false)))
        #expect(worker.state.isIdle)
        #expect(finish(&worker)?.verdict == .ok)
    }

    @Test(arguments: [
        ([] as [Int32], 0 as Int32, true, "sent 0 of 3 answers"),
        ([1, 1], 0, true, "sent 2 of 3 answers"),
        ([1, 1, 1], 1, true, "sent a reply that is not its last answer"),
        ([1, 42], 0, true, "sent a reply that is not its last answer"),
        ([1], 1, false, "sent 1 of 3 answers without having asked the plugin"),
        ([], 0, false, "sent 0 of 3 answers without having asked the plugin"),
    ])
    func aReturnMustFitItsAnswers(
        answers: [Int32], status: Int32, wasCalled: Bool, sentence: String
    ) throws {
        var worker = try asking()
        worker.message(.answered(answers))
        let result = EntryReturn(status: status, heldBytes: 0, wasCalled: wasCalled)
        #expect(worker.message(.returned(result)) == [.kill])
        #expect(worker.actions.last == .kill)
        let outcome = worker.end(signal: SIGKILL)
        guard !answers.contains(42) else {
            // The wrong answer was seen first.
            #expect(outcome?.verdict == .badReply)
            #expect(outcome?.log == ["later: protocol_error: \(sentence)"])
            return
        }
        #expect(outcome?.verdict == .protocolError)
        #expect(outcome?.detail == sentence)
    }

    @Test(arguments: [[1, 1, 1, 1], [42, 1]] as [[Int32]])
    func anAnswerTooManyEndsTheRun(answers: [Int32]) throws {
        var worker = try asking()
        #expect(worker.message(.answered(answers)) == [.kill])
    }

    @Test func answersWithoutAQuestionEndTheRun() throws {
        var idle = SupervisedWorker()
        idle.load()
        #expect(idle.message(.answered([1])) == [.kill])
        #expect(
            idle.end(signal: SIGKILL)?.detail == "sent answers about packs between two calls")

        var installing = SupervisedWorker()
        installing.load()
        installing.install()
        #expect(installing.message(.answered([1])) == [.kill])

        var done = try asking(["a"])
        done.message(.answered([1]))
        done.returned(0)
        #expect(done.message(.answered([1])) == [.kill])
    }

    @Test func theTimeOfABatchCountsAsAWhole() throws {
        var worker = try asking()
        for _ in 0..<3 {
            worker.pass(.milliseconds(900))
            worker.message(.answered([1]))
        }
        worker.returned(0)
        #expect(finish(&worker)?.pluginTime == .milliseconds(2700))
    }

    @Test func namesFromOutsideAreCleaned() throws {
        var worker = try asking(["a\u{1B}[2J"])
        worker.reachDeadline()
        worker.reachDeadline()
        let detail = worker.end(signal: SIGKILL)?.detail
        #expect(detail?.hasSuffix("for pack a\u{FFFD}[2J") == true)
    }
}
