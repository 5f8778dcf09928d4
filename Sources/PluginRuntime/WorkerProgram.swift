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
            try run.load()
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
    let setup: WorkerSetup
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
        report?.paths ?? SandboxPaths(plugin: setup.pluginPath, container: setup.containerPath)
    }

    mutating func closeIn(_ prepared: borrowing PreparedSandbox) throws(WorkerFault) {
        do { report = try Sandbox.apply(SandboxPolicy(setup), after: prepared) } catch {
            throw WorkerFault(error)
        }
    }

    /// Reads the file, measures, tells the host that it is ready, loads.
    mutating func load() throws(WorkerFault) {
        do {
            let file = try PluginFile(paths.plugin)
            let image = try PluginReader.read(file, setup: setup, paths: paths)
            if image.needsSwiftRuntime, !launcher.hasSwiftRuntime, !setup.runtimeFolders.isEmpty {
                link.send(.needsSwiftRuntime)
                WorkerExit.finished.end()
            }
            try LoadedLibrary.preload(image.needed, from: paths.runtimeFolders)
            try becomeReady()
            let library = try LoadedLibrary(paths.plugin, image, file)
            unsafe HostWatcher.setFunction(library.function(.willTerminate))
            try library.callMain(path: paths.plugin, CallArena())
            self.library = library
            link.send(.loaded(LoadedPlugin(image)))
        } catch let refusal as LoadRefusal {
            throw WorkerFault(refusal)
        } catch let fault as WorkerFault {
            throw fault
        } catch {
            throw WorkerFault(LoadRefusal("\(error)"))
        }
    }

    /// From here on what the plugin allocates counts.
    private func becomeReady() throws(WorkerFault) {
        let link = link
        do { try HostWatcher.start() } catch { throw WorkerFault(step: "watcher", error) }
        var ready = WorkerReady()
        ready.reserveBytes = MemoryReading.reserveBytes()
        guard let memory = MemoryReading.current() else {
            throw .setup(SetupFailure(step: "memory", sentence: "/proc/self/status is not there"))
        }
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
    }

    private func limitMemory(_ baseline: UInt64) throws(SystemError) {
        let (limit, overflow) = baseline.addingReportingOverflow(setup.limits.memoryBytes)
        if report?.layers.contains(.rlimits) ?? false, !overflow {
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
            return EntryReturn(status: absent, heldBytes: heldBytes, wasCalled: false)
        }
        let status = link.whileInCall { arena in
            let arguments = arguments(of: call, arena)
            let status = unsafe row.call(function, arguments)
            fflush(nil)
            return status
        }
        guard let status else { WorkerExit.protocolBroken.end() }
        return EntryReturn(status: status, heldBytes: heldBytes, wasCalled: true)
    }

    private var heldBytes: UInt64 { MemoryReading.current()?.heldBytes ?? 0 }

    func arguments(of call: EntryCall, _ arena: CallArena) -> [ForeignArgument] {
        let host = unsafe ForeignArgument.pointer(HostTable.pointer)
        let places = CallPaths(container: paths.container, manifest: paths.manifest)
        switch call {
        case .content(let entry, let app, let bytes):
            let request = unsafe arena.contentRequest(entry, app, manifestBytes: bytes, places)
            return unsafe [host, .pointer(request)]
        case .finished(let download, let path):
            let download = unsafe arena.value(arena.download(download))
            let place = unsafe arena.text(places.container + "/" + path)
            return unsafe [host, .pointer(download), .pointer(place)]
        case .failed(let download, let error):
            let download = unsafe arena.value(arena.download(download))
            return unsafe [host, .pointer(download), .pointer(arena.error(error))]
        }
    }
}
