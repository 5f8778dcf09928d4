internal import ExtensionHost
internal import HostEngine
internal import LinuxSystem
internal import WireProtocol

/// Starts workers for scripts, one after the other, each with a container of its own.
final class ScriptRunner {
    let subject: CheckSubject
    private let pool: LauncherPool
    private let stop: Int32?

    /// From here on no further script is begun.
    private let deadline: Instant

    /// Told of the rule before each script.
    var progress: ((ContractRule) -> Void)?

    /// Started so far.
    private(set) var workers = 0

    init(_ subject: CheckSubject, pool: LauncherPool, stop: Int32?) {
        self.subject = subject
        self.pool = pool
        self.stop = stop
        deadline = BootClock.now() + subject.timeBudget
    }

    /// Runs one script to the worker's end.
    ///
    /// - Throws: ``PluginCheckError`` when the end says nothing of the plugin, and `timeIsUp`.
    func run(_ script: WorkerScript) throws(PluginCheckError) -> ScriptRecord {
        try checkTime()
        progress?(script.rule)
        let record = try runOnce(script)
        // Somebody has killed it: that may happen once.
        return try judgeable(
            record.outcome.verdict == .killedExternal ? runOnce(script) : record)
    }

    /// - Throws: ``PluginCheckError`` with `timeIsUp`.
    func checkTime() throws(PluginCheckError) {
        guard BootClock.now() < deadline else {
            throw PluginCheckError(.timeIsUp, "the time for this file is up")
        }
    }

    private func runOnce(_ script: WorkerScript) throws(PluginCheckError) -> ScriptRecord {
        let files = try ScriptFiles(in: subject.scratchPath, manifest: script.manifest)
        let now = BootClock.now()
        let session: WorkerSession
        workers += 1
        do throws(ExtensionHostError) {
            session = try pool.start(plan(script, files), now: now)
        } catch {
            throw PluginCheckError(.hostFault, "\(error)")
        }
        return try ScriptRun(script, session, files, subject, now: now, deadline: deadline)
            .finish(stop: stop)
    }

    /// What the file is, read by a worker; nil when it could not be read.
    func inspect() throws(PluginCheckError) -> PluginFacts? {
        // Its container is not used.
        let setup = setup(containerPath: subject.scratchPath)
        workers += 1
        let result: InspectionResult
        do throws(ExtensionHostError) {
            result = try PluginInspection.run(
                WorkerPlan(workerPath: subject.workerPath, setup: setup), pool: pool, stop: stop)
        } catch {
            throw PluginCheckError(.hostFault, "\(error)")
        }
        guard result.outcome.verdict != .interrupted else {
            throw PluginCheckError(.interrupted, "interrupted by the user")
        }
        return result.facts
    }

    private func judgeable(_ record: ScriptRecord) throws(PluginCheckError) -> ScriptRecord {
        let outcome = record.outcome
        switch outcome.verdict {
        case .setupError:
            throw PluginCheckError(
                .cannotSetUp, outcome.detail, minimumMemoryBytes: outcome.minimumMemoryBytes)
        case .internalError, .killedExternal:
            throw PluginCheckError(.hostFault, outcome.detail)
        default: return record
        }
    }

    private func plan(_ script: WorkerScript, _ files: ScriptFiles) -> WorkerPlan {
        var setup = setup(containerPath: files.path)
        if script.manifest != nil { setup.manifestPath = files.manifestPath }
        var plan = WorkerPlan(
            workerPath: subject.workerPath, setup: setup, wallBudget: subject.wallBudget)
        plan.writtenBytes = ScriptFiles.writtenBytes
        return plan
    }

    private func setup(containerPath: String) -> WorkerSetup {
        var setup = WorkerSetup.ofThisHost(
            subject.pluginPath, containerPath: containerPath, isolation: subject.isolation,
            absentLayers: subject.absentLayers, runtimeFolders: subject.runtimeFolders)
        setup.limits = subject.limits
        setup.countsHoldings = true
        return setup
    }
}
