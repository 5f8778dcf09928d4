internal import LinuxSystem
internal import PluginImage
internal import Sandbox
internal import WireProtocol

/// What the launcher has done to the memory that a worker was forked with.
struct LauncherMemory {
    /// True when every map that cannot be written is sealed, and the audit library seals those to
    /// come.
    var isSealed = false
    var fence: AddressFence?
}

/// The memory of one load: the libraries it needs, and the limits under which it happens.
struct LoadEnvelope {
    private let limits: LoadLimits
    private let isSealed: Bool

    /// Loads the system's libraries that the plugin needs, then closes the address space around
    /// the plugin and the libraries that it brings.
    ///
    /// RLIMIT_DATA must be in force.
    ///
    /// - Parameters:
    ///   - plugin: Read, not loaded.
    ///   - before: When RLIMIT_DATA was set.
    ///   - memory: From the launcher.
    ///   - hasLimits: Whether limits of the kernel are in force.
    ///   - setup: From the host.
    ///   - paths: As this process sees them.
    /// - Throws: ``WorkerFault``: a refusal of the plugin, or a limit that cannot be set.
    init(
        _ plugin: InspectedPlugin, before: MemoryMark, memory: LauncherMemory, hasLimits: Bool,
        setup: WorkerSetup, paths: SandboxPaths
    ) throws(WorkerFault) {
        let budget: LoadBudget
        do {
            budget = try LoadEnvelope.loadSystemLibraries(
                plugin, before: before, setup: setup, paths: paths)
        } catch { throw WorkerFault(error) }
        // What narrows the fence counts as address space, so the size is read after it.
        do { try LoadEnvelope.narrow(memory.fence, budget) } catch {
            throw WorkerFault(step: "fence", error)
        }
        guard let now = MemoryReading.mark(),
            let limits = LoadLimits(budget, before: before, now: now)
        else { throw WorkerFault.unreadable }
        self.limits = limits
        isSealed = memory.isSealed && hasLimits
        do {
            if hasLimits { try ResourceLimit.dataBytes.set(limits.dataBytes) }
            // Without seals RLIMIT_DATA alone holds better. The kernel refuses to make a map
            // writable when that breaks RLIMIT_DATA and its size would still have fitted into
            // RLIMIT_AS: with a tight RLIMIT_AS it never does, and every read-only page of the
            // process can be turned into memory. mm/mprotect.c, mprotect_fixup; measured by
            // MemorySealingTests.
            if isSealed { try ResourceLimit.addressSpaceBytes.set(limits.addressSpaceBytes) }
        } catch { throw WorkerFault(step: "memory", error) }
    }

    /// Takes back what the load left over.
    ///
    /// Nothing rests on it: a hostile constructor never returns to here.
    func trim() throws(WorkerFault) {
        guard isSealed, let loaded = MemoryReading.mark() else { return }
        let space = limits.trimmedAddressSpace(loaded)
        do { try ResourceLimit.addressSpaceBytes.set(space) } catch {
            throw WorkerFault(step: "memory", error)
        }
    }

    /// Once a library of the system's is loaded, the loader takes what comes with it before it
    /// looks into the plugin's folder, so the walk is repeated until it finds nothing to load.
    private static func loadSystemLibraries(
        _ plugin: InspectedPlugin, before: MemoryMark, setup: WorkerSetup, paths: SandboxPaths
    ) throws(LoadRefusal) -> LoadBudget {
        var tried: Set<String> = []
        while true {
            var walk = LibraryWalk(
                plugin.image.elf, plugin.identity, setup: setup, paths: paths)
            try walk.run(tried: tried)
            guard !walk.missing.isEmpty, tried.count <= LoadBudget.mostLibraries else {
                return walk.budget
            }
            for library in walk.missing where tried.insert(library).inserted {
                try LoadedLibrary.loadNeeded(library)
                // The kernel does not hold RLIMIT_DATA against a map that is laid over another, as
                // the loader lays writable segments. mm/mmap.c, mmap_region.
                guard let now = MemoryReading.mark(),
                    LoadLimits(walk.budget, before: before, now: now) != nil
                else {
                    throw LoadRefusal(LoadedLibrary.tooLarge(library[...]))
                }
            }
        }
    }

    /// Room for the load, for half as much again as the limit, and for aligning segments of up to
    /// 2 MiB; the heap alone may take the limit too.
    private static func narrow(
        _ fence: AddressFence?, _ budget: LoadBudget
    ) throws(SystemError) {
        guard var fence else { return }
        let allowance = min(budget.limitBytes, 1 << 40) / 2 * 3
        try fence.narrow(
            to: budget.needBytes + allowance + (2 << 20), heapBytes: allowance + (256 << 10))
    }
}
