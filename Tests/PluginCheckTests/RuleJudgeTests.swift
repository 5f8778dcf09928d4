import ExtensionHost
import PluginCheck
import Testing
import WireProtocol

@Suite struct RuleJudgeTests {
    @Test func aQuietLoadPasses() {
        var judge = Records.judge
        judge.takeLoad(Records.load())
        #expect(judge.findings.level(of: .loads) == .passed)
        #expect(judge.findings.level(of: .loadsQuietly) == .passed)
    }

    @Test func aThreadAtLoadingFailsAndALineWarns() {
        var judge = Records.judge
        judge.takeLoad(Records.load(threads: 3))
        #expect(judge.failures == [.loadsQuietly: "1 thread of its own while it is loaded"])
        judge = Records.judge
        judge.takeLoad(Records.load(printed: 2))
        #expect(judge.warnings == [.loadsQuietly: "printed 2 lines (\"hello\") while it is loaded"])
    }

    @Test func aBadEndWhileLoadingFailsLoadingAlone() {
        var judge = Records.judge
        let outcome = Records.outcome(.crash, "SIGSEGV at address 0x0", at: .load)
        judge.takeLoad(Records.record(.loads, outcome, calls: []))
        #expect(judge.failures == [.loads: "crash: SIGSEGV at address 0x0"])
    }

    @Test(arguments: [
        Verdict.memoryLimit, .stackOverflow, .fileLimit, .processLimit, .cpuLimit, .wallTimeout,
        .policyViolation, .crash, .exitedEarly, .protocolError,
    ])
    func aBadEndFailsTheRuleThatWasTried(verdict: Verdict) {
        var judge = Records.judge
        judge.take(
            Records.record(
                .hugeManifest, Records.outcome(verdict, "why"),
                calls: [Records.call(.update, "with 16 MiB", returning: nil)]))
        #expect(judge.failures == [.hugeManifest: "with 16 MiB: \(verdict.rawValue): why"])
    }

    @Test func aNumberThatIsNoneFailsTheRuleOfRepliesAlone() {
        var judge = Records.judge
        judge.take(Records.record(.noManifest, Records.outcome(.badReply, "returned 3")))
        #expect(judge.failures == [.replies: "without a manifest: returned 3"])
        #expect(judge.findings.level(of: .noManifest) == .passed)
    }

    @Test func anErrorOfItsOwnWarnsForOrdinaryQuestionsOnly() {
        let record = Records.record(
            .noManifest, Records.outcome(.pluginError), calls: [Records.call(returning: -5)])
        var judge = Records.judge
        judge.take(record)
        #expect(judge.warnings.isEmpty && judge.failures.isEmpty)
        judge.take(record, isOrdinary: true)
        #expect(judge.warnings == [.noManifest: "bahost_install returned -5 without a manifest"])
    }

    /// The first cause decides the verdict; an error of the plugin's own ends nothing.
    @Test func whatCameAfterAnErrorOfItsOwnDecides() {
        var outcome = Records.outcome(.pluginError, "bahost_install returned -1")
        outcome.log = ["info: later: crash: forged"]
        outcome.later = [Records.later(.crash, "SIGSEGV")]
        let calls = [
            Records.call(returning: -1), Records.call(.install, "the second", returning: nil),
        ]
        #expect(Records.record(calls: calls).calls.count == 2)
        #expect(Records.record(.refusals, outcome, calls: calls).end == .bad("crash: SIGSEGV"))
        outcome.later = [Records.later(.badReply, "returned 7")]
        #expect(Records.record(.refusals, outcome, calls: calls).end == .badReply("returned 7"))
        outcome.later = [Records.later(.pluginError, "bahost_install returned -1")]
        #expect(
            Records.record(.refusals, outcome, calls: calls).end
                == .bad("ended without having returned"))
        #expect(Records.record(.refusals, outcome, calls: [calls[0]]).end == .whole)
    }

    @Test func anEndlessQuestionFails() {
        var judge = Records.judge
        var record = Records.record(.refusals, Records.outcome(.protocolError))
        record.endlessQuestion = "schedule level-1"
        judge.take(record)
        #expect(
            judge.failures == [
                .refusals: "without a manifest: asked more than 100 times in one call:"
                    + " schedule level-1"
            ])
    }

    @Test func printingWarnsAndLateCallsFail() {
        var judge = Records.judge
        var record = Records.record(.emptyManifest)
        record.printedLines = 1
        record.firstLines = [String(repeating: "x", count: 100)]
        record.calls[0].result?.lateCalls = 2
        judge.take(record)
        #expect(
            judge.warnings[.output]?.hasPrefix("printed 1 line (\"xxx") ?? false
                && (judge.warnings[.output]?.utf8.count ?? 200) < 160)
        #expect(
            judge.failures == [
                .lateCalls: "called the host 2 times after bahost_install had returned"
            ])
    }

    /// Every worker prints again what is printed while the plugin is loaded.
    @Test func whatIsPrintedAtLoadingIsToldOnce() {
        var judge = Records.judge
        judge.takeLoad(Records.load(printed: 1))
        var record = Records.record()
        record.printedLines = 1
        record.firstLines = ["hello"]
        judge.take(record)
        #expect(judge.findings.level(of: .output) == .passed)
        record.printedLines = 2
        record.firstLines = ["hello", "world"]
        judge.take(record)
        #expect(judge.warnings[.output]?.hasPrefix("printed 1 line (\"world\")") ?? false)
    }

    @Test func strayFilesFail() {
        var judge = Records.judge
        var record = Records.record()
        record.strayNames = ["container/a\u{1b}", "b"]
        judge.take(record)
        #expect(judge.failures == [.files: "made container/a\u{FFFD} and 1 more"])
    }

    @Test func aKeptFileMustBeThere() {
        var judge = Records.judge
        var call = Records.call(.downloadFinished, "for a finished download", returning: 1)
        call.hasLostFile = true
        judge.take(Records.record(.finished, calls: [call]))
        #expect(judge.failures.keys.sorted { $0.rawValue < $1.rawValue } == [.finished])
    }

    @Test func otherAnswersTheSecondTimeWarn() {
        var judge = Records.judge
        var first = Records.record()
        var second = Records.record()
        judge.takeRepeat(second, of: first)
        #expect(judge.findings.level(of: .sameAnswers) == .passed)
        first.calls[0].note(DownloadWish())
        judge.takeRepeat(second, of: first)
        second.calls[0].result?.status = -1
        judge.takeRepeat(second, of: first)
        #expect(
            judge.warnings == [
                .sameAnswers: "bahost_install asked for 1 downloads, then for 0, not all of them"
                    + " the same (and 1 more)"
            ])
    }

    @Test func exportsAreNamed() {
        var judge = Records.judge
        judge.takeExports(Exports(names: [], count: 0))
        #expect(judge.findings.level(of: .exports) == .passed)
        judge.takeExports(Exports(names: ["helper", "other"], count: 2))
        #expect(
            judge.warnings == [
                .exports: "exports helper and 1 more; hide it with -fvisibility=hidden"
            ])
    }

    /// Of a file with very many names only the first are told.
    @Test func exportsPastTheBoundAreCounted() {
        var facts = PluginFacts()
        facts.tag = TagFacts()
        facts.exports = [
            ExportFacts(name: "bahost_plugin", kind: .object),
            ExportFacts(name: "helper", kind: .function),
        ]
        facts.exportCount = 5_000
        #expect(Exports(facts) == Exports(names: ["helper"], count: 4_999))
        facts.exportCount = 0
        #expect(Exports(facts).count == 1)
    }

    @Test func aCallThatNeverReturnedHasTakenItsTime() {
        var judge = Records.judge
        var call = Records.call(returning: nil)
        call.duration = .seconds(10)
        judge.take(
            Records.record(.noManifest, Records.outcome(.wallTimeout, "10 s"), calls: [call]))
        judge.takeFigures(WorkerLimits())
        #expect(judge.warnings[.budgets] == "bahost_install took 10000 ms of 10000 ms")
    }

    @Test func whenTheTimeIsUpNothingMorePasses() {
        var judge = Records.judge
        judge.takeLoad(Records.load())
        judge.take(Records.record(.noManifest))
        judge.take(Records.record(.emptyManifest, Records.outcome(.crash, "SIGSEGV")))
        judge.takeTimeIsUp(.seconds(300))
        #expect(judge.findings.level(of: .loads) == .passed)
        #expect(judge.findings.level(of: .emptyManifest) == .failed)
        let result = judge.findings.results.first { $0.rule == .noManifest }
        #expect(
            result
                == RuleResult(.noManifest, .notTried, seen: "the time is up (300 s)"))
    }

    @Test(arguments: [(799, false), (800, true)])
    func fourFifthsOfALimitWarn(thousandths: Int, isNear: Bool) {
        var limits = WorkerLimits()
        limits.memoryBytes = 10_000
        var judge = Records.judge
        var slow = Records.record()
        slow.calls[0].duration = .milliseconds(thousandths * 10)
        judge.take(slow)
        judge.takeFigures(limits)
        #expect((judge.findings.level(of: .budgets) == .warning) == isNear)
        judge = Records.judge
        var large = Records.record()
        large.outcome.peakBytes = UInt64(thousandths * 10)
        judge.take(large)
        judge.takeFigures(limits)
        #expect((judge.findings.level(of: .budgets) == .warning) == isNear)
    }
}
