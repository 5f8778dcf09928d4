internal import LinuxSystem
package import WireProtocol

/// What came of reading one plugin's file.
package struct InspectionResult: Hashable, Sendable {
    /// How the worker ended; its verdict is `ok` when the file was read, whatever was found.
    package let outcome: WorkerOutcome

    /// The layers and limits under which it was read; nil when the worker did not come so far.
    package var ready: WorkerReady? { outcome.ready }

    /// Nil when the worker ended before it had told them.
    package var facts: PluginFacts? { outcome.verdict == .ok ? outcome.facts : nil }

    package init(outcome: WorkerOutcome) {
        self.outcome = outcome
    }
}

/// Reads a plugin's file in a worker, without running any of it.
package enum PluginInspection {
    /// For reading and telling.
    package static let wallBudget = Duration.seconds(5)

    /// Starts a worker, has it read the file, waits for its end.
    ///
    /// - Parameters:
    ///   - plan: As for a run of the plugin. Its memory limit is what the file is held against; the
    ///     worker itself has the usual limits. The container is not used and need not be there.
    ///   - pool: Where the worker comes from; the Swift launcher is never needed.
    ///   - stop: A descriptor, such as ``StopSignals/descriptor``; once it can be read, the
    ///     inspection ends early, as `interrupted`. Nothing is read from it.
    /// - Returns: What the worker told, and how it ended.
    /// - Throws: ``ExtensionHostError`` with `cannotStart` or `messageTooLong`.
    package static func run(
        _ plan: WorkerPlan, pool: LauncherPool, stop: Int32? = nil
    ) throws(ExtensionHostError) -> InspectionResult {
        let session = try pool.start(inspectionPlan(plan), now: BootClock.now())
        var stop = stop
        while true {
            var set = PollSet()
            session.register(in: &set)
            let stopPlace = stop.map { set.add($0) }
            let now = BootClock.now()
            let timeout = session.nextDeadline.map { $0 > now ? $0 - now : .zero }
            do { try set.wait(timeout: timeout) } catch {
                throw ExtensionHostError(.cannotStart, subject: error.call, systemCode: error.code)
            }
            if let stopPlace, set.isReadable(stopPlace) {
                stop = nil
                session.interrupt(now: BootClock.now())
            }
            for event in session.service(set, now: BootClock.now()) {
                if case .ended(let outcome) = event { return InspectionResult(outcome: outcome) }
            }
        }
    }

    static func inspectionPlan(_ plan: WorkerPlan) -> WorkerPlan {
        var plan = plan
        plan.setup.task = .inspect(memoryLimitBytes: plan.setup.limits.memoryBytes)
        plan.setup.limits = WorkerLimits()
        plan.setup.memoryRule = .normal
        plan.setup.memoryLimitAction = .end
        plan.setup.manifestPath = nil
        plan.terms.limits = plan.setup.limits
        plan.terms.isInspection = true
        plan.wallBudget = min(plan.wallBudget, wallBudget)
        return plan
    }
}
