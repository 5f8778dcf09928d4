import ExtensionHost
import Glibc
import LinuxSystem
import Testing
import WireProtocol

struct InspectionStateTests {
    private func inspecting() -> SupervisedWorker {
        var terms = WorkerState.Terms()
        terms.isInspection = true
        terms.wallBudget = .seconds(5)
        var worker = SupervisedWorker()
        worker.state = WorkerState(
            terms: terms, judge: VerdictJudge(systemCallName: { _ in nil }), now: worker.now)
        return worker
    }

    private var facts: PluginFacts {
        var facts = PluginFacts()
        facts.kind = "text"
        return facts
    }

    @Test func factsEndAnInspectionWell() {
        var worker = inspecting()
        worker.message(.ready(WorkerReady()))
        #expect(worker.message(.inspected(facts)) == [.send(.shutdown, sequence: 0)])
        let outcome = worker.end(exit: 0)
        #expect(outcome?.verdict == .ok)
        #expect(outcome?.facts == facts)
        #expect(outcome?.ready != nil)
    }

    /// Nothing else may come from a worker that only reads, and facts from no other.
    @Test(
        arguments: [
            .loaded(LoadedPlugin()), .needsSwiftRuntime,
            .returned(EntryReturn(status: 0, heldBytes: 0, wasCalled: true)),
            .hostCall(.schedule(DownloadWish())), .answered([1]),
            .loadFailed(LoadFailure(isMismatch: false, sentence: "y")),
        ] as [WorkerMessage])
    func nothingElseMayComeWhileAFileIsRead(message: WorkerMessage) {
        var worker = inspecting()
        worker.message(.ready(WorkerReady()))
        #expect(worker.message(message).contains(.kill))
        #expect(worker.end(signal: SIGKILL)?.verdict == .protocolError)
    }

    @Test func anInspectionNeverAsksForTheSwiftLauncher() {
        var worker = inspecting()
        #expect(worker.message(.needsSwiftRuntime).contains(.kill))
    }

    @Test(arguments: [0, 1, 2, 3])
    func factsMayComeOnlyFromAnInspection(stage: Int) {
        var worker = SupervisedWorker()
        if stage == 1 { worker.message(.ready(WorkerReady())) }
        if stage > 1 { worker.load() }
        if stage == 3 { worker.install() }
        #expect(worker.message(.inspected(facts)).contains(.kill))
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .protocolError)
        #expect(outcome?.facts == nil)
    }

    @Test func factsComeOnce() {
        var worker = inspecting()
        worker.message(.ready(WorkerReady()))
        worker.message(.inspected(facts))
        #expect(worker.message(.inspected(facts)).contains(.kill))
    }

    @Test func aFileThatIsNotReadInTimeEndsIt() {
        var worker = inspecting()
        worker.message(.ready(WorkerReady()))
        worker.pass(.seconds(5))
        #expect(worker.send(.tick) == [.warn(1)])
        worker.reachDeadline()
        let outcome = worker.end(signal: SIGKILL)
        #expect(outcome?.verdict == .wallTimeout)
        #expect(outcome?.detail == "reading the file still ran after 5.0 s")
        #expect(outcome?.stage == .inspect)
    }

    @Test func aCrashWhileReadingIsOne() {
        var worker = inspecting()
        worker.message(.ready(WorkerReady()))
        let outcome = worker.end(signal: SIGSEGV)
        #expect(outcome?.verdict == .crash)
        #expect(outcome?.stage == .inspect)
    }
}

struct PluginInspectionTests {
    private func plan(_ mode: String) throws -> WorkerPlan {
        let setup = WorkerSetup(pluginPath: "/\(mode)", containerPath: "")
        var plan = WorkerPlan(workerPath: try #require(FakeWorker.path), setup: setup)
        plan.timeZone = nil
        return plan
    }

    @Test func aWorkersFactsComeBack() throws {
        let result = try PluginInspection.run(try plan("facts"), pool: LauncherPool())
        #expect(result.outcome.verdict == .ok)
        #expect(result.ready != nil)
        #expect(result.facts == PluginFacts())
    }

    @Test(arguments: [
        ("early", Verdict.setupError), ("garbage", .protocolError), ("hello", .protocolError),
    ])
    func aWorkerThatMisbehavesTellsNothing(mode: String, verdict: Verdict) throws {
        let result = try PluginInspection.run(try plan(mode), pool: LauncherPool())
        #expect(result.outcome.verdict == verdict)
        #expect(result.facts == nil)
    }

    @Test func aWorkerThatHangsIsEnded() throws {
        var plan = try plan("mute")
        plan.wallBudget = .milliseconds(50)
        let start = BootClock.now()
        let result = try PluginInspection.run(plan, pool: LauncherPool())
        #expect(result.outcome.verdict == .wallTimeout)
        #expect(result.facts == nil)
        #expect(BootClock.now() - start < .seconds(10))
    }

    @Test func aWishToStopEndsIt() throws {
        let pipe = try Descriptor.pipe()
        try DescriptorIO.writeAll(pipe.second.raw, [1], subject: "pipe")
        let result = try PluginInspection.run(
            try plan("mute"), pool: LauncherPool(), stop: pipe.first.raw)
        #expect(result.outcome.verdict == .interrupted)
    }

    @Test func oneLauncherServesManyInspections() throws {
        let pool = LauncherPool()
        for _ in 0..<3 {
            #expect(try PluginInspection.run(try plan("facts"), pool: pool).facts != nil)
        }
        #expect(pool.launcherCount == 1)
    }
}
