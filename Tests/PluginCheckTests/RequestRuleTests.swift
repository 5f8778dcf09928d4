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
        for wish in wishes { call.note(wish) }
        for refusal in refusals { call.note(refusal) }
        var judge = Records.judge
        judge.takeRequests(Records.record(.requests, calls: [call]))
        return judge
    }

    @Test func goodRequestsPassAndNoneSaysNothing() {
        #expect(judge(.install, [wish()]).findings.level(of: .requests) == .passed)
        #expect(judge(.install, []).findings.level(of: .requests) == .notTried)
    }

    /// A manifest that can be read and brings no request shows nothing.
    @Test func aGoodEndWithoutRequestsSaysNothingOfThem() {
        var judge = Records.judge
        let record = Records.record(.requests)
        judge.take(record, isOrdinary: true)
        judge.takeRequests(record)
        #expect(judge.findings.level(of: .requests) == .notTried)
        judge.take(Records.record(.requests, Records.outcome(.crash, "SIGSEGV")))
        #expect(judge.findings.level(of: .requests) == .failed)
    }

    @Test func manyAndLongRequestsLeaveLittle() {
        var call = Records.call()
        for number in 0..<2_000 {
            call.note(
                wish {
                    $0.identifier = "\(number)" + String(repeating: "x", count: 250)
                    $0.url = String(repeating: "u", count: 8_192)
                    $0.isEssential = number % 2 == 1
                })
            call.note(
                Refusal(
                    .badString, String(repeating: "m", count: 4_096), identifier: "\(number)"))
        }
        #expect(call.wishes.count == 2_000)
        #expect((2..<400).contains(call.wishes.kept.count))
        #expect(call.wishes.kept.count { !$0.isEssential } == 1)
        #expect((1...16).contains(call.refusals.count))
    }

    @Test func wishesAreTheSameInEveryFieldAndTheirOrder() {
        func noted(_ wishes: DownloadWish...) -> NotedWishes {
            var call = Records.call()
            for wish in wishes { call.note(wish) }
            return call.wishes
        }
        let other = wish { $0.url += "0" }
        #expect(noted(wish(), other) == noted(wish(), other))
        #expect(noted(wish(), other) != noted(wish(), wish()))
        #expect(noted(wish(), other, wish()) != noted(wish(), wish(), other))
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
