import ExtensionHost
import PluginCheck
import Testing
import WireProtocol

@Suite struct TerminationRuleTests {
    private let grace = Duration.milliseconds(500)

    private func judge(
        after time: Duration?, hasEntryPoint: Bool = true,
        _ change: (inout WorkerOutcome) -> Void = { _ in }
    ) -> RuleJudge {
        var record = Records.record(.termination, Records.outcome(.wallTimeout))
        record.outcome.signal = 9
        change(&record.outcome)
        record.timeAfterWord = time
        var judge = Records.judge
        judge.takeTermination(record, hasEntryPoint: hasEntryPoint, grace: grace)
        return judge
    }

    @Test func oneThatWasNeverToldIsNotJudged() {
        #expect(judge(after: nil).findings.level(of: .termination) == .notTried)
    }

    @Test func returningWithinTheGracePasses() {
        let judge = judge(after: .milliseconds(499))
        #expect(judge.findings.level(of: .termination) == .passed)
    }

    @Test func theWholeGraceWarnsWhoeverHasTheEntryPoint() {
        #expect(judge(after: grace).findings.level(of: .termination) == .warning)
        let other = judge(after: grace, hasEntryPoint: false)
        #expect(other.findings.level(of: .termination) == .passed)
    }

    @Test func aCrashOrAnExitFails() {
        let crash = judge(after: .zero) { $0.later = [Records.later(.crash, "SIGSEGV")] }
        #expect(crash.failures == [.termination: "after it was told to end: crash: SIGSEGV"])
        let exit = judge(after: .zero) {
            $0.exitCode = 3
            $0.signal = nil
        }
        #expect(exit.failures == [.termination: "called exit with status 3 when told to end"])
    }
}
