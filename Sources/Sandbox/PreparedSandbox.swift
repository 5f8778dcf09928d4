internal import Glibc
package import LinuxSystem

/// What a launcher is asked to set before it forks workers.
package struct LauncherPolicy: Hashable, Sendable {
    package var isolation = SandboxPolicy.Isolation.automatic

    /// Names of layers to treat as refused by the kernel.
    package var absentLayers: Set<String> = []

    /// The namespaces that this process was started in.
    package var namespaces = NamespaceSet()

    /// Why it was not started in the others.
    package var namespaceRefusal = "not asked for"

    /// The host's user and group, when this process is in a user namespace.
    package var outsideUser: UserAndGroup?

    package init() {}
}

/// What a launcher has set, for all the workers it forks.
package struct PreparedSandbox: ~Copyable {
    /// The part that does not hold a descriptor.
    struct Facts {
        /// Why a layer is not to be had; those not named are.
        var refusals: [SandboxLayer: String] = [:]

        /// The filter for a worker that is the first process of its namespace; nil elsewhere.
        var program: SystemCallProgram?

        /// The host's user and group, in a user namespace of the launcher.
        var outsideUser: UserAndGroup?

        var isInUserNamespace: Bool { outsideUser != nil }
    }

    /// The layers that a worker has from its launcher.
    static let inherited: [SandboxLayer] = [
        .networkNamespace, .ipcNamespace, .pidNamespace, .sealing, .fence,
    ]

    private(set) var facts = Facts()
    private var ownNamespace: PIDNamespace?

    /// Sets what is set once, in this process.
    ///
    /// Call it with a single thread, before anything of a runtime is loaded.
    ///
    /// - Throws: ``SandboxError`` naming the step.
    package init(_ policy: LauncherPolicy) throws(SandboxError) {
        do {
            try ProcessConfinement.disableHugePages()
            try LibraryTuning.useOneArena()
            try LibraryTuning.setThreadStack(256 << 10)
            try ProcessEvidence.noteStack()
        } catch { throw SandboxError(step: "memory", error) }
        noteNamespaces(policy)
        mapUser(policy)
        // It can do more than its workers, and has their user: they must not reach its memory.
        do { try ProcessConfinement.hideMemory() } catch {
            throw SandboxError(step: "memory", error)
        }
        guard policy.isolation != .basic else { return }
        followMounts(policy)
        prepareProcessNamespace(policy)
        guard ownNamespace != nil, !policy.absentLayers.contains(SandboxLayer.seccomp.rawValue)
        else { return }
        do { facts.program = try SystemCallFilter.program(process: 1) } catch {
            throw SandboxError(step: SandboxLayer.seccomp.rawValue, error)
        }
    }

    /// Forks a worker: nil in the worker, its number here.
    ///
    /// - Throws: ``SystemError``; no worker is there then.
    package func fork() throws(SystemError) -> Int32? {
        try ProcessNamespaces.fork(leaving: ownNamespace)
    }

    private mutating func noteNamespaces(_ policy: LauncherPolicy) {
        let layers: [(NamespaceSet, SandboxLayer)] = [
            (.network, .networkNamespace), (.ipc, .ipcNamespace), (.pid, .pidNamespace),
            (.mount, .mountNamespace),
        ]
        for (kind, layer) in layers where !policy.namespaces.contains(kind) {
            facts.refusals[layer] = policy.namespaceRefusal
        }
        facts.refusals[.sealing] = "not built yet"
        facts.refusals[.fence] = "not built yet"
    }

    /// In its own user namespace this process is root, and can do what no worker may.
    private mutating func mapUser(_ policy: LauncherPolicy) {
        guard let outside = policy.outsideUser else { return }
        do throws(SystemError) {
            try ProcessNamespaces.mapUser(
                inside: UserAndGroup(user: 0, group: 0), outside: outside)
            facts.outsideUser = outside
        } catch {
            for layer in [SandboxLayer.mountNamespace, .pidNamespace, .userNamespace] {
                facts.refusals[layer] = error.description
            }
        }
    }

    private mutating func followMounts(_ policy: LauncherPolicy) {
        guard facts.refusals[.mountNamespace] == nil else { return }
        do throws(SystemError) { try MountNamespace.followOutside() } catch {
            facts.refusals[.mountNamespace] = error.description
        }
    }

    /// Workers get PID namespaces only with a `/proc` that shows them: libdispatch reads there.
    private mutating func prepareProcessNamespace(_ policy: LauncherPolicy) {
        guard facts.refusals[.pidNamespace] == nil else { return }
        let absent = policy.absentLayers
        guard facts.refusals[.mountNamespace] == nil,
            !absent.contains(SandboxLayer.mountNamespace.rawValue)
        else {
            facts.refusals[.pidNamespace] = "its /proc needs a mount namespace"
            return
        }
        guard !absent.contains(SandboxLayer.pidNamespace.rawValue) else { return }
        do throws(SystemError) {
            try MountNamespace.mountProcesses()
            ownNamespace = try PIDNamespace()
        } catch {
            facts.refusals[.pidNamespace] = error.description
        }
    }
}
