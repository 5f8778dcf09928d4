package import LinuxSystem
internal import WireProtocol

/// The launchers of one host: started when a worker is first asked of them, replaced when they have
/// ended, ended when nothing was asked of them for a while.
///
/// Used by one thread, which must live as long as its workers: the kernel ends a launcher with the
/// thread that started it. `prctl(2)`, PR_SET_PDEATHSIG.
package final class LauncherPool {
    private var launchers: [LauncherPlan: Launcher] = [:]
    private let cgroups: LauncherCgroups
    private let idleTime: Duration

    /// Plugins that were seen to need the Swift runtime.
    private var swiftPlugins: Set<FileIdentity> = []

    /// - Parameters:
    ///   - idleTime: How long a launcher without work is kept.
    ///   - cgroups: For a host of many runs `always`.
    package init(idleTime: Duration = .seconds(60), cgroups: CgroupUse = .never) {
        self.idleTime = idleTime
        self.cgroups = LauncherCgroups(cgroups)
    }

    /// Launchers that run.
    package var launcherCount: Int { launchers.count }

    /// Starts a worker and sends it its set-up.
    ///
    /// - Throws: ``ExtensionHostError`` with `cannotStart` or `messageTooLong`.
    package func start(
        _ plan: WorkerPlan, now: Instant
    ) throws(ExtensionHostError) -> WorkerSession {
        endIdle(now: now)
        return try WorkerSession(plan: plan, pool: self, now: now)
    }

    /// Starts the launcher that a worker of this plan will need, so that it is ready by then.
    ///
    /// What goes wrong is told when the worker is started.
    package func prepare(_ plan: WorkerPlan, now: Instant) {
        let hasSwiftRuntime = needsSwiftRuntime(plan.setup.pluginPath)
        _ = try? launcher(for: plan, hasSwiftRuntime: hasSwiftRuntime, now: now)
    }

    /// Ends all launchers, and with them their workers, without waiting for their ends.
    package func killAll() {
        for launcher in launchers.values { launcher.kill() }
    }

    /// When to call ``endIdle(now:)`` next; nil when nothing is idle.
    package var nextDeadline: Instant? {
        launchers.values.compactMap { $0.idleSince }.min().map { $0 + idleTime }
    }

    /// Ends launchers that have been idle for long or have ended.
    package func endIdle(now: Instant) {
        cgroups.removeRetired()
        launchers = launchers.filter { _, launcher in
            if launcher.isUnattended { launcher.service(now: now) }
            guard launcher.isUsable else { return false }
            guard let since = launcher.idleSince else { return true }
            return now - since < idleTime
        }
    }

    /// The launcher for a plan, started if need be.
    func launcher(
        for plan: WorkerPlan, hasSwiftRuntime: Bool, now: Instant
    ) throws(SystemError) -> Launcher {
        let key = LauncherPlan(plan, hasSwiftRuntime: hasSwiftRuntime)
        // It may have ended since it was last asked something.
        launchers[key]?.service(now: now)
        if let launcher = launchers[key], launcher.isUsable { return launcher }
        let launcher = try Launcher(plan: key, cgroup: cgroups.make(for: key), now: now)
        launchers[key] = launcher
        return launcher
    }

    func needsSwiftRuntime(_ path: String) -> Bool {
        FileIdentity(path).map { swiftPlugins.contains($0) } ?? false
    }

    func noteSwiftRuntime(_ path: String) {
        // One entry for each state of a plugin's file: a bound for hosts that live long.
        if swiftPlugins.count >= 1024 { swiftPlugins.removeAll() }
        if let identity = FileIdentity(path) { swiftPlugins.insert(identity) }
    }
}
