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
    ///   - manifest: What is to be read for it.
    ///   - base: What came of it before.
    /// - Throws: ``PluginCheckError`` when nothing can be said of the plugin.
    func checkBehaviour(
        of step: WorkerScript.Step, manifest: [UInt8]?, _ base: ScriptRecord
    ) throws(PluginCheckError) {
        let again = try runner.run(WorkerScript(.repeats, manifest: manifest, steps: [step]))
        judge.take(again)
        judge.takeRepeat(again, of: base)
        guard again.isWhole else { return }
        try checkLateCalls(of: step, manifest)
        try checkRefusals(of: step, manifest, base)
        var script = WorkerScript(
            .repeats, manifest: manifest,
            steps: Array(repeating: step, count: PluginChecker.repeats))
        script.timeBound = .seconds(2)
        script.leastSteps = Growth.leastReturns
        judge.takeRepeats(try runner.run(script))
    }

    private func checkLateCalls(
        of step: WorkerScript.Step, _ manifest: [UInt8]?
    ) throws(PluginCheckError) {
        var later = step
        later.pause = PluginChecker.pause
        judge.take(
            try runner.run(WorkerScript(.repeats, manifest: manifest, steps: [step, later])))
        judge.passLateCalls()
    }

    private func checkRefusals(
        of step: WorkerScript.Step, _ manifest: [UInt8]?, _ base: ScriptRecord
    ) throws(PluginCheckError) {
        guard base.calls.contains(where: { $0.questions > 0 }) else { return }
        let steps = Questions.refusals.map { code in
            var refused = WorkerScript.Step(
                "refused with \(code.status) (\(code.name))", step.call,
                answers: .refusing(code.status))
            refused.file = step.file
            return refused
        }
        try checkEach(steps, .refusals, manifest: manifest)
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
            guard let base = ordinary[entry], let call = base.calls.first, call.questions > 0
            else { continue }
            var step = WorkerScript.Step("told to end in \(entry.symbol)", call.call)
            if case .finished(let download, _) = call.call {
                step = Questions.finished(step.name, download.identifier)
            }
            var script = WorkerScript(.termination, manifest: base.manifest, steps: [step])
            script.isTold = true
            judge.takeTermination(
                try runner.run(script), hasEntryPoint: hasEntryPoint, grace: grace)
        }
        judge.skip(.termination, "it never waits for the host, so it cannot be told in time")
    }
}
