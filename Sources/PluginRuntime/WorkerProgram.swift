internal import CWorkerAllocator
internal import Glibc
internal import LinuxSystem
internal import PluginImage
internal import Sandbox
internal import WireProtocol

/// A worker: closes itself in, loads one plugin, calls it, ends.
enum WorkerProgram {
    /// - Parameters:
    ///   - prepared: What the launcher has set.
    ///   - facts: What else the launcher is.
    static func run(_ prepared: borrowing PreparedSandbox, _ facts: LauncherFacts) -> Never {
        let link = HostTable.link
        var run = WorkerRun(setup: receiveSetup(link), link: link, launcher: facts)
        do {
            try run.closeIn(prepared)
            switch run.setup.task {
            case .run: try run.load()
            case .inspect(let limit): try run.inspect(memoryLimitBytes: limit)
            }
        } catch {
            switch error {
            case .setup(let failure):
                link.send(.setupFailed(failure))
                WorkerExit.setupFailed.end()
            case .load(let failure):
                link.send(.loadFailed(failure))
                WorkerExit.loadFailed.end()
            }
        }
        while run.answer() {}
        WorkerExit.finished.end()
    }

    static func receiveSetup(_ link: HostLink) -> WorkerSetup {
        guard case (.setup(let setup), _) = link.receive() else {
            WorkerExit.protocolBroken.end()
        }
        return setup
    }
}

/// Why a worker gives up before its first call.
enum WorkerFault: Error {
    case setup(SetupFailure)
    case load(LoadFailure)

    static let unreadable = WorkerFault.setup(
        SetupFailure(step: "memory", sentence: "/proc/self/status is not there"))

    init(_ error: SandboxError) {
        self = .setup(SetupFailure(error))
    }

    init(step: String, _ error: SystemError) {
        self = .setup(SetupFailure(step: step, sentence: LogText.cut(error.description)))
    }

    init(_ refusal: LoadRefusal) {
        let sentence = LogText.cut(refusal.sentence)
        self = .load(LoadFailure(isMismatch: refusal.isMismatch, sentence: sentence))
    }
}

/// One run of a worker, step by step.
struct WorkerRun {
    private(set) var setup: WorkerSetup
    let link: HostLink
    private let launcher: LauncherFacts
    var report: SandboxReport?
    var library: LoadedLibrary?

    init(setup: WorkerSetup, link: HostLink, launcher: LauncherFacts) {
        self.setup = setup
        self.link = link
        self.launcher = launcher
    }

    var paths: SandboxPaths {
        report?.paths ?? SandboxPaths(setup)
    }

    mutating func closeIn(_ prepared: borrowing PreparedSandbox) throws(WorkerFault) {
        do { report = try Sandbox.apply(SandboxPolicy(setup), after: prepared) } catch {
            throw WorkerFault(error)
        }
    }

    /// Reads the file, measures, tells the host that it is ready, loads.
    mutating func load() throws(WorkerFault) {
        do {
            // Before a file is said to be too large for a limit that fits none.
            let watcher = setup.limits.threadStackBytes + (32 << 10)
            try checkLimit(
                setup.memoryRule == .strict ? MemoryReading.reserveBytes() + watcher : 0,
                hasSwift: false)
            let plugin = try PluginReader.read(setup: setup, paths: paths)
            let needsHosts = plugin.image.needsSwiftRuntime && !plugin.usesOwnRuntime
            if needsHosts, !launcher.hasSwiftRuntime, !setup.runtimeFolders.isEmpty {
                link.send(.needsSwiftRuntime)
                WorkerExit.finished.end()
            }
            let envelope = try LoadEnvelope(
                plugin, before: becomeReady(hasSwift: plugin.image.needsSwiftRuntime),
                memory: launcher.memory,
                hasLimits: hasLimits, setup: setup, paths: paths)
            let library = try LoadedLibrary(paths.plugin, plugin)
            try envelope.trim()
            unsafe HostWatcher.setFunction(library.function(.willTerminate))
            try library.callMain(path: paths.plugin, CallArena())
            self.library = library
            // What it has printed belongs to loading, not to its first call.
            fflush(nil)
            var loaded = LoadedPlugin(plugin.image)
            if setup.countsHoldings { loaded.holdings = Holdings.now(MemoryReading.current()) }
            link.send(.loaded(loaded))
        } catch let refusal as LoadRefusal {
            throw WorkerFault(refusal)
        } catch let fault as WorkerFault {
            throw fault
        } catch {
            throw WorkerFault(LoadRefusal("\(error)"))
        }
    }

    /// Tells the host that it is ready, reads the file, tells what it is.
    mutating func inspect(memoryLimitBytes: UInt64) throws(WorkerFault) {
        _ = try becomeReady(hasSwift: false)
        let inspector = PluginInspector(
            setup: setup, paths: paths, memoryLimitBytes: memoryLimitBytes)
        link.send(.inspected(inspector.facts()))
    }

    private var hasLimits: Bool { report?.layers.contains(.rlimits) ?? false }

    /// From here on what the plugin allocates counts.
    ///
    /// - Returns: The memory that the limit counts from.
    private mutating func becomeReady(hasSwift: Bool) throws(WorkerFault) -> MemoryMark {
        let link = link
        do { try HostWatcher.start() } catch { throw WorkerFault(step: "watcher", error) }
        var ready = WorkerReady()
        ready.reserveBytes = MemoryReading.reserveBytes()
        guard let memory = MemoryReading.current() else { throw WorkerFault.unreadable }
        try takeReserve(ready.reserveBytes, hasSwift: hasSwift)
        // By the strict rule nothing of it is beyond the limit.
        if setup.memoryRule == .strict { ready.reserveBytes = 0 }
        ready.heldBytes = memory.heldBytes
        ready.dataBytes = memory.dataBytes
        ready.layers = report?.layers.map(\.rawValue) ?? []
        ready.missing =
            report?.missing.map { MissingLayer(layer: $0.layer.rawValue, why: LogText.cut($0.why)) }
            ?? []
        do { try limitMemory(memory.dataBytes) } catch {
            throw WorkerFault(step: "rlimits", error)
        }
        ready.inForce = WorkerLimits.inForce(setup.limits, baseline: memory.dataBytes)
        link.send(.ready(ready))
        return MemoryReading.mark(memory)
    }

    /// Takes the reserve off the limit when the rule says so.
    private mutating func takeReserve(
        _ reserve: UInt64, hasSwift: Bool
    ) throws(WorkerFault) {
        let taken = setup.memoryRule == .strict ? reserve : 0
        try checkLimit(taken, hasSwift: hasSwift)
        setup.limits.memoryBytes = KernelShare.payable(setup.limits.memoryBytes - taken)
    }

    /// - Throws: ``WorkerFault`` with the least limit when less is left than the worker itself
    ///   needs.
    private func checkLimit(_ taken: UInt64, hasSwift: Bool) throws(WorkerFault) {
        let limit = setup.limits.memoryBytes
        if let shortage = OwnNeed.shortage(of: limit, taken: taken, hasSwift: hasSwift) {
            throw .setup(
                SetupFailure(
                    step: "memory", sentence: "a \(shortage.sentence)",
                    minimumBytes: shortage.minimumBytes))
        }
    }

    private func limitMemory(_ baseline: UInt64) throws(SystemError) {
        let (limit, overflow) = baseline.addingReportingOverflow(setup.limits.memoryBytes)
        if hasLimits, !overflow {
            try ResourceLimit.dataBytes.set(limit)
        }
        // This thread and the watcher run already.
        bah_arm_allocator(
            setup.memoryLimitAction == .end ? 0 : 1, limit, setup.limits.threads, 2)
    }

    /// Does what the host says next; false when that is to stop.
    func answer() -> Bool {
        switch link.receive() {
        case (.call(let call), let sequence):
            let result = self.call(call)
            link.send(.returned(result), sequence: sequence)
            return true
        case (.shutdown, _): return false
        case (.setup, _), (.reply, _): WorkerExit.protocolBroken.end()
        }
    }

    private func call(_ call: EntryCall) -> EntryReturn {
        guard let row = EntryPointTable.row(call.entryPoint),
            let function = unsafe library?.function(call.entryPoint)
        else {
            let absent = EntryPointTable.row(call.entryPoint)?.absentStatus ?? 0
            return entryReturn(absent, wasCalled: false)
        }
        let status: Int32
        if case .packs(let batch) = call {
            status = unsafe PackAsking(link: link, row: row, function: function).ask(batch)
        } else {
            let returned = link.whileInCall(with: { arguments(of: call, $0) }) { arguments in
                let status = unsafe row.call(function, arguments)
                fflush(nil)
                return status
            }
            guard let returned else { WorkerExit.protocolBroken.end() }
            status = returned
        }
        return entryReturn(status, wasCalled: true)
    }

    private func entryReturn(_ status: Int32, wasCalled: Bool) -> EntryReturn {
        let memory = MemoryReading.current()
        var result = EntryReturn(
            status: status, heldBytes: memory?.heldBytes ?? 0, wasCalled: wasCalled)
        if setup.countsHoldings { result.holdings = Holdings.now(memory) }
        result.lateCalls = link.takeLateCalls()
        return result
    }

    func arguments(of call: EntryCall, _ arena: CallArena) -> [ForeignArgument] {
        let host = unsafe ForeignArgument.pointer(HostTable.pointer)
        let container = paths.container ?? ""
        let places = CallPaths(container: container, manifest: paths.manifest)
        switch call {
        case .content(let entry, let app, let bytes):
            let request = unsafe arena.contentRequest(entry, app, manifestBytes: bytes, places)
            return unsafe [host, .pointer(request)]
        case .finished(let download, let path):
            let download = unsafe arena.value(arena.download(download))
            let place = unsafe arena.text(container + "/" + path)
            return unsafe [host, .pointer(download), .pointer(place)]
        case .failed(let download, let error):
            let download = unsafe arena.value(arena.download(download))
            return unsafe [host, .pointer(download), .pointer(arena.error(error))]
        case .packs: return []
        }
    }
}
