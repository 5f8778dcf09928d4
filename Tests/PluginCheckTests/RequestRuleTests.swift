import ExtensionHost
import PluginCheck
import Testing
import WireProtocol

@Suite struct RequestRuleTests {
    private func wish(_ change: (inout DownloadWish) -> Void = { _ in }) -> DownloadWish {
        var wish = DownloadWish()
        wish.identifier = "level-1"
        wish.url = "https://cdn.example.com/1"
        wish.sizeBytes = 1
        change(&wish)
        return wish
    }

    private func judge(
        _ entry: EntryPoint, _ wishes: [DownloadWish], _ refusals: [Refusal] = []
    ) -> RuleJudge {
        var call = Records.call(entry)
        call.wishes = wishes
        call.refusals = refusals
        var judge = Records.judge
        judge.takeRequests(Records.record(.requests, calls: [call]))
        return judge
    }

    @Test func goodRequestsPassAndNoneSaysNothing() {
        #expect(judge(.install, [wish()]).findings.level(of: .requests) == .passed)
        #expect(judge(.install, []).findings.level(of: .requests) == .notTried)
    }

    @Test(arguments: RefusalCode.allCases)
    func everyRefusalHasItsWeight(code: RefusalCode) {
        let judge = judge(.install, [wish()], [Refusal(code, "no", identifier: "level-1")])
        let level = judge.findings.level(of: .requests)
        switch code {
        case .badArgument, .badString, .urlRefused, .noFeature, .downloadInvalid:
            #expect(level == .failed)
        case .groupNotYours, .downloadEssentialDownloadNotPermitted: #expect(level == .passed)
        default: #expect(level == .warning)
        }
    }

    @Test(arguments: [EntryPoint.install, .update])
    func essentialNeedsASize(entry: EntryPoint) {
        #expect(judge(entry, [wish { $0.isEssential = true }]).failures.isEmpty)
        let refusal = Refusal(.badArgument, "needs its size", identifier: "level-1")
        let without = wish {
            $0.isEssential = true
            $0.sizeBytes = 0
        }
        #expect(
            judge(entry, [without], [refusal]).failures
                == [.essential: "level-1 is essential and has no size"])
    }

    @Test(arguments: [EntryPoint.checkForUpdates, .downloadFinished, .downloadFailed])
    func essentialIsNotForEveryEntryPoint(entry: EntryPoint) {
        let refusal = Refusal(
            .downloadEssentialDownloadNotPermitted, "no", identifier: "level-1")
        #expect(
            judge(entry, [wish { $0.isEssential = true }], [refusal]).failures
                == [.essential: "level-1 is essential in \(entry.symbol)"])
    }
}
