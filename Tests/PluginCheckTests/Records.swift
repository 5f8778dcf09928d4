import ExtensionHost
import PluginCheck
import WireProtocol

/// Records of workers that never ran.
enum Records {
    static func outcome(
        _ verdict: Verdict = .ok, _ detail: String = "", at place: RunPlace = .call(.install)
    ) -> WorkerOutcome {
        WorkerOutcome(Judgement(verdict, detail, at: place))
    }

    /// A cause that came after the first.
    static func later(_ verdict: Verdict, _ detail: String) -> Judgement {
        Judgement(verdict, detail, at: .call(.install))
    }

    static func call(
        _ entry: EntryPoint = .install, _ step: String = "without a manifest",
        returning status: Int32? = 0
    ) -> CallRecord {
        let call: EntryCall =
            switch entry {
            case .downloadFinished: .finished(DownloadDescription(), path: "Downloads/a")
            case .downloadFailed:
                .failed(
                    DownloadDescription(),
                    ErrorDescription(domain: 1, code: 202, httpStatus: 0, message: ""))
            default: .content(entry, AppDescription(), manifestBytes: 0)
            }
        var record = CallRecord(step, call)
        record.result = status.map {
            EntryReturn(status: $0, heldBytes: 1 << 20, wasCalled: true)
        }
        return record
    }

    static func record(
        _ rule: ContractRule = .noManifest, _ outcome: WorkerOutcome = outcome(),
        calls: [CallRecord] = [call()]
    ) -> ScriptRecord {
        var record = ScriptRecord(rule: rule, outcome: outcome)
        record.calls = calls
        return record
    }

    /// Many calls, each leaving something behind.
    static func repeats(
        _ count: Int = 48, outcome: WorkerOutcome = outcome(),
        leaving each: (Int, inout EntryReturn) -> Void
    ) -> ScriptRecord {
        let calls = (0..<count).map { number in
            var call = call()
            var result = EntryReturn(status: 0, heldBytes: 1 << 20, wasCalled: true)
            result.holdings = WorkerHoldings(openFiles: 6, threads: 2)
            each(number, &result)
            call.result = result
            return call
        }
        return record(.repeats, outcome, calls: calls)
    }

    static var judge: RuleJudge {
        RuleJudge(wallBudget: .seconds(10), packBudget: .seconds(1))
    }

    static func load(threads: UInt32 = 2, printed: Int = 0) -> ScriptRecord {
        var outcome = outcome(at: .shutdown)
        var loaded = LoadedPlugin()
        loaded.holdings = WorkerHoldings(openFiles: 6, threads: threads)
        outcome.loaded = loaded
        var record = record(.loads, outcome, calls: [])
        record.printedLines = printed
        record.firstLines = printed > 0 ? ["hello"] : []
        return record
    }
}

extension RuleJudge {
    /// The rules that have failed, and what was seen.
    var failures: [ContractRule: String] { seen(.failed) }
    var warnings: [ContractRule: String] { seen(.warning) }

    private func seen(_ level: RuleLevel) -> [ContractRule: String] {
        let pairs = findings.results.filter { $0.level == level }.map { ($0.rule, $0.seen) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
