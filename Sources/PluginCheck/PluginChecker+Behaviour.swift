internal import ExtensionHost
internal import LinuxSystem
internal import WireProtocol

/// What is asked of every entry point that stands its ordinary question.
extension PluginChecker {
    /// Calls of one worker when it is asked again and again.
    private static let repeats = 48

    /// After so many steps that a worker did not survive, the rest would say nothing new.
    private static let faultBound = 3

    /// Time for threads that were left behind to call the host.
    private static let pause = Duration.milliseconds(30)

    /// - Parameters:
    ///   - step: The ordinary question.
    ///   - base: What came of it before, and the manifest that was read for it.
    /// - Throws: ``PluginCheckError`` when nothing can be said of the plugin.
    func checkBehaviour(
        of step: WorkerScript.Step, _ base: ScriptRecord
    ) throws(PluginCheckError) {
        let again = try runner.run(WorkerScript(.repeats, manifest: base.manifest, steps: [step]))
        judge.take(again)
        judge.takeRepeat(again, of: base)
        guard again.isWhole else { return }
        try checkLateCalls(of: step, base)
        try checkRefusals(of: step, base)
        var script = WorkerScript(
            .repeats, manifest: base.manifest,
            steps: Array(repeating: step, count: PluginChecker.repeats))
        script.timeBound = .seconds(2)
        script.leastSteps = Growth.leastReturns
        judge.takeRepeats(try runner.run(script))
    }

    private func checkLateCalls(
        of step: WorkerScript.Step, _ base: ScriptRecord
    ) throws(PluginCheckError) {
        var later = step
        later.pause = PluginChecker.pause
        judge.take(
            try runner.run(WorkerScript(.repeats, manifest: base.manifest, steps: [step, later])))
        judge.passLateCalls()
    }

    private func checkRefusals(
        of step: WorkerScript.Step, _ base: ScriptRecord
    ) throws(PluginCheckError) {
        guard base.calls.contains(where: { $0.questions > 0 }) else { return }
        let steps = Questions.refusals.map { code in
            var refused = step
            refused.name = "refused with \(code.status) (\(code.name))"
            refused.answers = .refusing(code.status)
            return refused
        }
        try checkEach(steps, .refusals, manifest: base.manifest)
    }

    /// Asks one step after the other, in one worker where that is possible; one that ends the
    /// worker is tried alone, so that it is not blamed for those before it.
    func checkEach(
        _ steps: [WorkerScript.Step], _ rule: ContractRule, manifest: [UInt8]? = nil
    ) throws(PluginCheckError) {
        var rest = steps[...]
        var faults = 0
        while !rest.isEmpty, faults < PluginChecker.faultBound {
            let record = try runner.run(
                WorkerScript(rule, manifest: manifest, steps: Array(rest)))
            rest = rest.dropFirst(max(1, record.calls.count))
            guard !record.isWhole, record.calls.count > 1 else {
                judge.take(record)
                faults += record.isWhole ? 0 : 1
                continue
            }
            let last = steps[rest.startIndex - 1]
            let alone = try runner.run(
                WorkerScript(rule, manifest: manifest, steps: [last]))
            judge.take(alone)
            faults += alone.isWhole ? 0 : 1
        }
    }

    func checkTermination(hasEntryPoint: Bool) throws(PluginCheckError) {
        let grace = WorkerState.Terms().grace
        for entry in EntryPoint.allCases {
            guard let (asked, base) = ordinary[entry], let call = base.calls.first,
                call.questions > 0
            else { continue }
            var step = asked
            step.name = "told to end in \(entry.symbol)"
            var script = WorkerScript(.termination, manifest: base.manifest, steps: [step])
            script.isTold = true
            judge.takeTermination(
                try runner.run(script), hasEntryPoint: hasEntryPoint, grace: grace)
        }
        judge.skip(.termination, "it never waits for the host, so it cannot be told in time")
    }
}
