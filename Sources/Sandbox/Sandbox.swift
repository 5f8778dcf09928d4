internal import Glibc
internal import LinuxSystem

/// Closes this process in, once and for good.
///
/// Call it with a single thread.
package enum Sandbox {
    /// - Parameters:
    ///   - policy: What to set, and how much of it may be missing.
    ///   - prepared: What the launcher that this process was forked from has set.
    /// - Returns: What is in force and what is missing.
    /// - Throws: ``SandboxError`` naming the step. The process is then half closed and must end.
    package static func apply(
        _ policy: SandboxPolicy, after prepared: borrowing PreparedSandbox
    ) throws(SandboxError) -> SandboxReport {
        var closing = SandboxClosing(policy, prepared.facts)
        try closing.bindToLauncher()
        try closing.tuneLibrary()
        try closing.takeOver()
        try closing.enterView()
        try closing.takeIdentity()
        try closing.enterUserNamespace()
        try closing.giveUpPrivileges()
        try closing.lowerLimits()
        try closing.moveIntoContainer()
        try closing.confineFiles()
        try closing.installEvidence()
        try closing.filterCalls()
        return closing.report
    }

    /// Does what of ``apply(_:after:)`` leaves no trace, for the sake of what is made at first use.
    ///
    /// - Parameters:
    ///   - policy: Any.
    ///   - prepared: This process, a launcher.
    /// - Returns: A report of the right form, which says nothing.
    package static func rehearse(
        _ policy: SandboxPolicy, after prepared: borrowing PreparedSandbox
    ) -> SandboxReport {
        var closing = SandboxClosing(policy, prepared.facts)
        let view = FileView(policy.paths, changesUser: true, hasOwnProcesses: true)
        closing.report.paths = view.paths
        try? closing.takeOver()
        try? closing.checkReach()
        try? closing.attempt(.landlock, refusals: [ENOSYS]) { () throws(SystemError) in
            _ = try FileRules(policy.paths).ruleset()
        }
        return closing.report
    }
}

/// The steps of ``Sandbox/apply(_:after:)``, each callable once, in that order.
struct SandboxClosing {
    let policy: SandboxPolicy
    let prepared: PreparedSandbox.Facts
    var report: SandboxReport

    init(_ policy: SandboxPolicy, _ prepared: PreparedSandbox.Facts) {
        self.policy = policy
        self.prepared = prepared
        report = SandboxReport(paths: policy.paths)
    }

    /// True when `layer` is to be tried; otherwise notes why not.
    ///
    /// - Throws: ``SandboxError`` when the mode cannot do without.
    mutating func wants(_ layer: SandboxLayer) throws(SandboxError) -> Bool {
        if policy.isolation == .basic, !layer.isBasic {
            report.missing.append(AbsentLayer(layer, why: "not part of basic isolation"))
            return false
        }
        guard policy.absentLayers.contains(layer.rawValue) else { return true }
        try miss(layer, why: "treated as absent, as asked")
        return false
    }

    /// Notes a layer that this machine does not give.
    mutating func miss(_ layer: SandboxLayer, why: String) throws(SandboxError) {
        let isDemanded = policy.isolation == .full || (policy.isolation == .basic && layer.isBasic)
        guard !isDemanded else {
            throw SandboxError(.layerRefused, step: layer.rawValue, why)
        }
        report.missing.append(AbsentLayer(layer, why: why))
    }

    /// Sets one layer.
    ///
    /// An errno in `refusals` means that the machine does not give it.
    mutating func attempt(
        _ layer: SandboxLayer, refusals: Set<Int32>,
        _ body: () throws(SystemError) -> Void
    ) throws(SandboxError) {
        guard try wants(layer) else { return }
        do {
            try body()
        } catch {
            guard refusals.contains(error.code) else {
                throw SandboxError(step: layer.rawValue, error)
            }
            try miss(layer, why: error.description)
            return
        }
        report.layers.append(layer)
    }

    /// Runs calls that must succeed.
    func must(_ step: String, _ body: () throws(SystemError) -> Void) throws(SandboxError) {
        do { try body() } catch { throw SandboxError(step: step, error) }
    }

    /// The kernel ends this process when the launcher ends.
    func bindToLauncher() throws(SandboxError) {
        try must("parent") { () throws(SystemError) in
            try ProcessConfinement.dieWithParent(signal: SIGKILL)
        }
        guard policy.launcherDescriptor >= 0 else { return }
        // It may have ended before the call above: then nobody sends that signal any more.
        var set = PollSet()
        let place = set.add(policy.launcherDescriptor)
        try must("parent") { () throws(SystemError) in try set.wait(timeout: .zero) }
        guard !set.isReadable(place) else {
            throw SandboxError(.hostGone, step: "parent", "the launcher has ended")
        }
    }

    func tuneLibrary() throws(SandboxError) {
        try must("memory") { () throws(SystemError) in
            try LibraryTuning.setThreadStack(policy.limits.threadStackBytes)
            try LibraryTuning.bufferOutputByLines()
        }
    }

    /// Takes note of what came with the launcher.
    mutating func takeOver() throws(SandboxError) {
        for layer in PreparedSandbox.inherited where try wants(layer) {
            if let why = prepared.refusals[layer] {
                try miss(layer, why: why)
            } else {
                report.layers.append(layer)
            }
        }
    }

    mutating func giveUpPrivileges() throws(SandboxError) {
        try attempt(.noNewPrivileges, refusals: [EINVAL]) { () throws(SystemError) in
            try ProcessConfinement.refuseNewPrivileges()
        }
        try attempt(.capabilities, refusals: []) { () throws(SystemError) in
            try ProcessConfinement.dropBoundingSet()
            try ProcessConfinement.dropCapabilities()
        }
        // A change of user made the kernel forget the one and may have raised the other.
        try bindToLauncher()
        if policy.launcherDescriptor >= 0 { close(policy.launcherDescriptor) }
        try must("memory") { () throws(SystemError) in try ProcessConfinement.hideMemory() }
    }

    /// All but RLIMIT_DATA, which is set when the baseline has been measured.
    mutating func lowerLimits() throws(SandboxError) {
        let limits = policy.limits
        // Counted by user and user namespace: elsewhere others would use it up.
        let countsProcesses = report.layers.contains(.userNamespace)
        try attempt(.rlimits, refusals: []) { () throws(SystemError) in
            try ResourceLimit.stackBytes.set(limits.stackBytes)
            try ResourceLimit.fileSizeBytes.set(limits.fileSizeBytes)
            try ResourceLimit.coreBytes.set(0)
            // At the hard limit the kernel kills, and no evidence is written. getrlimit(2).
            try ResourceLimit.cpuSeconds.set(limits.cpuSeconds, hardMargin: 1)
            try ResourceLimit.pendingSignals.set(32)
            try ResourceLimit.messageQueueBytes.set(0)
            if countsProcesses {
                try ResourceLimit.processes.set(limits.threads)
            }
            try ResourceLimit.openFiles.set(limits.openFiles)
        }
    }

    func installEvidence() throws(SandboxError) {
        guard policy.evidenceDescriptor >= 0 else { return }
        try must("evidence") { () throws(SystemError) in
            try ProcessEvidence.install(descriptor: policy.evidenceDescriptor)
        }
    }

    mutating func filterCalls() throws(SandboxError) {
        // EACCES: without no-new-privileges only CAP_SYS_ADMIN may set a filter. seccomp(2).
        // The launcher's is for the first process of a namespace.
        let process = getpid()
        let hasView = report.layers.contains(.mountNamespace)
        let ready = process == 1 && hasView ? prepared.program : nil
        try attempt(.seccomp, refusals: [ENOSYS, EINVAL, EACCES]) { () throws(SystemError) in
            let program =
                if let ready {
                    ready
                } else {
                    try SystemCallFilter.program(process: process, keepsMetadata: !hasView)
                }
            try program.install()
        }
    }
}
