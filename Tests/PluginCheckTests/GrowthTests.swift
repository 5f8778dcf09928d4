import ExtensionHost
import PluginCheck
import Testing
import WireProtocol

@Suite struct GrowthTests {
    private func judge(
        _ count: Int = 48, outcome: WorkerOutcome = Records.outcome(),
        _ each: (Int, inout EntryReturn) -> Void
    ) -> RuleJudge {
        var judge = Records.judge
        judge.takeRepeats(Records.repeats(count, outcome: outcome, leaving: each))
        return judge
    }

    @Test func whatIsGivenBackPasses() {
        let judge = judge { _, _ in }
        for rule in [ContractRule.repeats, .descriptors, .threads, .memory] {
            #expect(judge.findings.level(of: rule) == .passed)
        }
    }

    @Test func whatTheFirstCallsOpenMayStay() {
        let judge = judge { number, result in
            result.holdings.openFiles += UInt32(min(number, 8))
            result.holdings.threads += UInt32(min(number, 8))
            result.heldBytes += UInt64(min(number, 8)) << 16
        }
        #expect(judge.failures.isEmpty && judge.warnings.isEmpty)
    }

    /// 39 calls after the eighth; a quarter of them is 9.
    @Test(arguments: [(8, false), (9, true)])
    func aDescriptorEveryFourthCallIsALeak(growth: Int, isLeak: Bool) {
        let judge = judge { number, result in
            result.holdings.openFiles += UInt32(max(0, number - 8) * growth / 39)
        }
        #expect((judge.failures[.descriptors] != nil) == isLeak)
        #expect(judge.failures.count == (isLeak ? 1 : 0))
    }

    /// What a lost thread or stream costs is not told as memory, too.
    @Test func aThreadForEachCallFailsThatRuleAlone() {
        let outcome = Records.outcome(.processLimit, "started a thread past the limit of 32")
        let judge = judge(30, outcome: outcome) { number, result in
            result.holdings.threads += UInt32(number)
            result.heldBytes += UInt64(number) << 14
        }
        #expect(judge.failures == [.threads: "21 more threads in 21 calls of bahost_install"])
        #expect(judge.warnings.isEmpty)
    }

    @Test(
        arguments: [
            (1_023, .passed), (1_024, .warning), (4_095, .warning), (4_096, .failed),
        ] as [(UInt64, RuleLevel)])
    func memoryHasTwoBounds(bytesPerCall: UInt64, level: RuleLevel) {
        let judge = judge { number, result in
            result.heldBytes += UInt64(number) * bytesPerCall
        }
        #expect(judge.findings.level(of: .memory) == level)
    }

    /// A worker may say any number.
    @Test func forgedFiguresAreALeakAndNoTrap() {
        let judge = judge { number, result in
            result.heldBytes = number < 40 ? 0 : UInt64.max
            result.holdings.threads = number < 40 ? 0 : UInt32.max
        }
        #expect(judge.findings.level(of: .threads) == .failed)
        let memory = self.judge { number, result in
            result.heldBytes = number < 40 ? 0 : UInt64.max
        }
        #expect(memory.failures.keys.map(\.self) == [.memory])
        let falling = self.judge { number, result in
            result.heldBytes = number < 40 ? UInt64.max : 0
        }
        #expect(falling.failures.isEmpty)
    }

    @Test(arguments: [(16, false), (17, true)])
    func tooFewCallsSayNothing(count: Int, isEnough: Bool) {
        var judge = judge(count) { _, _ in }
        for rule in [ContractRule.repeats, .descriptors, .threads, .memory] {
            #expect((judge.findings.level(of: rule) == .passed) == isEnough)
        }
        guard !isEnough else { return }
        let result = judge.findings.results.first { $0.rule == .threads }
        #expect(result?.level == .notTried)
        #expect(result?.seen.hasPrefix("16 calls of bahost_install returned") ?? false)
        // Another entry point's calls do not speak for this one's.
        judge.takeRepeats(Records.repeats { _, _ in })
        #expect(judge.findings.level(of: .threads) == .notTried)
        judge.takeRepeats(
            Records.repeats { number, result in result.holdings.threads += UInt32(number) })
        #expect(judge.findings.level(of: .threads) == .failed)
    }

    @Test func growthThatEndsIsNone() {
        let judge = judge { number, result in
            result.heldBytes += UInt64(min(number, 24)) << 16
        }
        #expect(judge.findings.level(of: .memory) == .passed)
    }

    @Test func aDeathWithoutALeakFailsRepeating() {
        var judge = Records.judge
        var record = Records.repeats(2, outcome: Records.outcome(.crash, "SIGABRT")) { _, _ in }
        record.calls[1].result = nil
        judge.takeRepeats(record)
        #expect(judge.failures == [.repeats: "without a manifest: crash: SIGABRT"])
    }

    @Test func memoryThatRunsOutIsALeak() {
        let judge = judge(20, outcome: Records.outcome(.memoryLimit, "asked for")) {
            number, result in
            result.heldBytes += UInt64(number) << 18
        }
        #expect(judge.failures.keys.map(\.self) == [.memory])
    }
}
