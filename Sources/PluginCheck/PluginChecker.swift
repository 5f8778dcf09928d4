package import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// Checks one plugin, rule by rule, with real workers.
///
/// The order: the file is loaded; each entry point is asked what any host may ask, then what only a
/// broken one would; an entry point that does not stand the ordinary is left alone after that, so
/// that one fault is told once.
package final class PluginChecker {
    let runner: ScriptRunner
    var judge: RuleJudge
    private let startedAt: Instant

    /// What came of loading, which says whether the file is to be kept away from.
    package private(set) var loading: WorkerOutcome?

    /// An identifier that the plugin has asked for itself.
    var knownIdentifier: String?

    /// The ordinary question and what came of it, where the answer was whole.
    var ordinary: [EntryPoint: (step: WorkerScript.Step, record: ScriptRecord)] = [:]

    /// - Parameters:
    ///   - subject: The plugin and the terms.
    ///   - pool: Where workers come from.
    ///   - stop: A descriptor that becomes readable when the user wants to stop.
    ///   - progress: Told of each rule before it is tried, of some more than once.
    package init(
        _ subject: CheckSubject, pool: LauncherPool, stop: Int32? = nil,
        progress: ((ContractRule) -> Void)? = nil
    ) {
        runner = ScriptRunner(subject, pool: pool, stop: stop)
        runner.progress = progress
        startedAt = BootClock.now()
        judge = RuleJudge(
            wallBudget: subject.wallBudget, packBudget: WorkerState.Terms().packBudget)
    }

    var subject: CheckSubject { runner.subject }

    /// - Throws: ``PluginCheckError`` when nothing can be said of the plugin.
    package func check() throws(PluginCheckError) -> CheckReport {
        let record = try runner.run(WorkerScript(.loads))
        loading = record.outcome
        judge.takeLoad(record)
        guard judge.findings.level(of: .loads) == .passed, let plugin = record.outcome.loaded
        else {
            for rule in ContractRule.allCases { judge.skip(rule, "the file cannot be loaded") }
            return report(record.outcome.loaded)
        }
        judge.takeExports(try runner.inspect().map { Exports($0) })
        let entries = EntryPoint.allCases.filter { plugin.entryPoints.contains($0.symbol) }
        do throws(PluginCheckError) {
            try checkEntries(entries)
        } catch {
            guard error.code == .timeIsUp else { throw error }
            judge.takeTimeIsUp(subject.timeBudget)
        }
        judge.takeFigures(subject.limits)
        skipAbsent(Set(entries))
        return report(plugin)
    }

    private func checkEntries(_ entries: [EntryPoint]) throws(PluginCheckError) {
        for entry in entries where entry.isContentRequest { try checkContent(entry) }
        if entries.contains(.shouldDownload) { try checkPacks() }
        if entries.contains(.downloadFinished) { try checkFinished() }
        if entries.contains(.downloadFailed) { try checkFailed() }
        try checkTermination(hasEntryPoint: entries.contains(.willTerminate))
        // The last script may have been cut short.
        try runner.checkTime()
    }

    /// What is left untried has a reason.
    private func skipAbsent(_ entries: Set<EntryPoint>) {
        let content = [EntryPoint.install, .update, .checkForUpdates]
        if entries.isDisjoint(with: content) {
            for rule in [.noManifest, .emptyManifest, .hugeManifest, .hostileManifest]
                as [ContractRule]
            {
                judge.skip(rule, "there is no entry point that reads a manifest")
            }
        }
        for entry in [EntryPoint.shouldDownload, .downloadFinished, .downloadFailed]
        where !entries.contains(entry) {
            let rule: ContractRule =
                switch entry {
                case .shouldDownload: .packs
                case .downloadFinished: .finished
                default: .failed
                }
            judge.skip(rule, "there is no \(entry.symbol)")
        }
        for rule in [.requests, .essential] as [ContractRule] {
            let advice = subject.manifest == nil ? "; give it one it can read with --manifest" : ""
            judge.skip(rule, "it asked for nothing" + advice)
        }
        judge.skip(.refusals, "it asked nothing of the host")
        for rule in ContractRule.allCases {
            judge.skip(rule, "no entry point could be asked")
        }
    }

    private func report(_ plugin: LoadedPlugin?) -> CheckReport {
        var report = CheckReport()
        report.plugin = plugin
        report.results = judge.findings.results
        report.figures = judge.figures.all
        report.memoryBytes = subject.limits.memoryBytes
        report.wallTime = BootClock.now() - startedAt
        report.workers = runner.workers
        return report
    }
}
