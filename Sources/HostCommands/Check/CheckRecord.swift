internal import ExtensionHost
internal import LinuxSystem
internal import PluginCheck
internal import WireProtocol

/// The record of `bahost check --json`; docs/schema/check-1.json.
struct CheckRecord: Encodable {
    struct Plugin: Encodable {
        struct Rule: Encodable {
            let rule: String
            let title: String
            let level: String
            let seen: String
            let page: String
        }

        struct Call: Encodable {
            let entryPoint: String
            let calls: Int
            let longestUs: Int64
            let budgetMs: Int64
            let peakBytes: UInt64
            let limitBytes: UInt64
        }

        struct Skip: Encodable {
            let verdict: String
            let detail: String
        }

        let file: String
        let name: String
        let version: String
        let entryPoints: [String]
        @Nullable var skipped: Skip?
        let rules: [Rule]
        let calls: [Call]
        let passed: Int
        let warnings: Int
        let failed: Int
        let notTried: Int
        let workers: Int
        let wallTimeMs: Int64
    }

    let schema = 1
    let plugins: [Plugin]

    /// Files that break a rule, and those that were skipped or not checked.
    let failed: Int

    init(_ files: [CheckedFile]) {
        plugins = files.map(Plugin.init)
        failed = files.count { $0.hasFailed }
    }
}

extension CheckRecord.Plugin {
    fileprivate init(_ file: CheckedFile) {
        let report: CheckReport
        switch file.outcome {
        case .checked(let checked):
            report = checked
            _skipped = Nullable(wrappedValue: nil)
        case .notChecked(let reason):
            report = CheckReport()
            _skipped = Nullable(wrappedValue: Skip(verdict: "not_checked", detail: reason))
        case .skipped(let entry):
            report = CheckReport()
            _skipped = Nullable(
                wrappedValue: Skip(verdict: entry.verdict.rawValue, detail: entry.sentence))
        }
        self.file = file.target.name
        name = report.plugin?.name ?? ""
        version = report.plugin?.version ?? ""
        entryPoints = report.plugin?.entryPoints ?? []
        rules = report.results.map { result in
            Rule(
                rule: result.rule.name, title: result.rule.title, level: result.level.rawValue,
                seen: result.seen, page: result.rule.page)
        }
        calls = report.figures.map { figure in
            Call(
                entryPoint: figure.entry.symbol, calls: figure.calls,
                longestUs: figure.longest.wholeNanoseconds / 1_000,
                budgetMs: figure.budget.wholeMilliseconds, peakBytes: figure.peakBytes,
                limitBytes: report.memoryBytes)
        }
        passed = report.count(.passed)
        warnings = report.count(.warning)
        failed = report.count(.failed)
        notTried = report.count(.notTried)
        workers = report.workers
        wallTimeMs = report.wallTime.wholeMilliseconds
    }
}

extension CheckRecord.Plugin.Skip: Hashable, Sendable {}
