import PluginCheck
import Testing

@Suite struct FindingsTests {
    @Test func numbersAndPagesNeverChange() {
        #expect(ContractRule.allCases.map(\.name) == (1...24).map { "R\($0)" })
        #expect(ContractRule.loads.page == "docs/plugin-rules.md#r1")
        #expect(ContractRule.refusals.rawValue == 10 && ContractRule.files.rawValue == 24)
        #expect(Set(ContractRule.allCases.map(\.title)).count == 24)
    }

    @Test func theWorstLevelStaysWithItsOwnSentences() {
        var findings = Findings()
        findings.warn(.output, "a line")
        findings.pass(.output)
        #expect(findings.level(of: .output) == .warning)
        findings.fail(.output, "first")
        findings.warn(.output, "not told")
        findings.fail(.output, "second")
        let result = findings.results.first { $0.rule == .output }
        #expect(result?.level == .failed && result?.seen == "first (and 1 more)")
    }

    @Test func aReasonForNotTryingGoesOnceItWasTried() {
        var findings = Findings()
        findings.skip(.packs, "none")
        findings.skip(.packs, "later")
        #expect(findings.results[10] == RuleResult(.packs, .notTried, seen: "none"))
        findings.pass(.packs)
        findings.skip(.packs, "again")
        #expect(findings.results[10] == RuleResult(.packs, .passed))
    }
}
