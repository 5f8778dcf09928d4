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

    /// The number to take in a user namespace of its own, should the host be root.
    package var identity: UInt32?

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

        /// Whether the launcher has a user namespace of its own.
        var isInUserNamespace = false

        /// Whether its bounding set is empty, and so that of a worker that has just been forked.
        var hasEmptyBoundingSet = false
    }

    /// The layers that a worker has from its launcher.
    static let inherited: [SandboxLayer] = [
        .networkNamespace, .ipcNamespace, .pidNamespace, .sealing, .fence,
    ]

    private(set) var facts = Facts()

    /// What fills the unused address space; nil without it.
    package private(set) var fence: AddressFence?
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
        emptyBoundingSet(policy)
        // It can do more than its workers, and has their user: they must not reach its memory.
        do { try ProcessConfinement.hideMemory() } catch {
            throw SandboxError(step: "memory", error)
        }
        guard policy.isolation != .basic else { return }
        followMounts(policy)
        prepareProcessNamespace(policy)
        guard ownNamespace != nil, !policy.absentLayers.contains(SandboxLayer.seccomp.rawValue)
        else { return }
        do {
            facts.program = try SystemCallFilter.program(process: 1, keepsMetadata: false)
        } catch {
            throw SandboxError(step: SandboxLayer.seccomp.rawValue, error)
        }
    }

    /// Of each window that the fence leaves; a worker narrows them to what its limit needs.
    private static let fenceWindowBytes: UInt64 = 64 << 30

    /// True when no map that cannot be written now, or is loaded later, can be changed.
    package private(set) var isSealed = false

    /// Seals what is mapped, and fills the rest of the address space.
    ///
    /// Call it once all that workers share has been loaded.
    package mutating func closeMemory(_ policy: LauncherPolicy) {
        let absent = policy.absentLayers
        guard policy.isolation != .basic, !absent.contains(SandboxLayer.sealing.rawValue) else {
            facts.refusals[.fence] = "needs sealing"
            return
        }
        facts.refusals[.sealing] = sealMaps()
        isSealed = facts.refusals[.sealing] == nil
        guard isSealed else {
            facts.refusals[.fence] = "needs sealing"
            return
        }
        guard !absent.contains(SandboxLayer.fence.rawValue) else { return }
        do throws(SystemError) {
            fence = try AddressFence.build(windowBytes: PreparedSandbox.fenceWindowBytes)
        } catch {
            facts.refusals[.fence] = error.description
        }
    }

    /// Returns why the memory is not sealed; nil when it is.
    private func sealMaps() -> String? {
        guard MemorySealing.isAvailable else { return "this kernel has no mseal (Linux 6.10)" }
        // Asked first: after the pass everything here is sealed anyway.
        let hasAudit = MemorySealing.isOwnCodeSealed
        do throws(SystemError) { try MemorySealing.sealReadOnlyMaps() } catch {
            return error.description
        }
        return hasAudit ? nil : "libbahost-seal.so is not there or cannot be loaded"
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
    }

    /// In its own user namespace this process has all capabilities, and can do what no worker may.
    ///
    /// It keeps its number: what of `/proc` is the root's of a namespace would belong to the workers'
    /// own user if that were root here, their memory among it. proc(5).
    private mutating func mapUser(_ policy: LauncherPolicy) {
        guard let outside = policy.outsideUser else { return }
        do throws(SystemError) {
            // An outside root is somebody else here as well, for the same reason.
            let other = policy.identity ?? 65_534
            let inside = outside.user == 0 ? UserAndGroup(user: other, group: other) : outside
            try ProcessNamespaces.mapUser(inside: inside, outside: outside)
            facts.isInUserNamespace = true
        } catch {
            for layer in [SandboxLayer.mountNamespace, .pidNamespace, .userNamespace] {
                facts.refusals[layer] = error.description
            }
        }
    }

    /// It starts no program, so it loses nothing; workers of a root host need not do it each.
    private mutating func emptyBoundingSet(_ policy: LauncherPolicy) {
        guard ProcessConfinement.user == 0, !facts.isInUserNamespace,
            !policy.absentLayers.contains(SandboxLayer.capabilities.rawValue)
        else { return }
        facts.hasEmptyBoundingSet = (try? ProcessConfinement.dropBoundingSet()) != nil
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
