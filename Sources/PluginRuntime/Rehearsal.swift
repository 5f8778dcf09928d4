internal import CWorkerAllocator
internal import Glibc
internal import LinuxSystem
internal import Sandbox
internal import WireProtocol

/// What every worker does in its own memory, done once by its launcher with made-up values.
///
/// The language's runtime makes types, conformances and constants when they are first used; made
/// here they are there in every worker. Nothing else is left of it, and it does not matter what
/// fails.
enum Rehearsal {
    static func run(_ prepared: borrowing PreparedSandbox, _ facts: LauncherFacts) {
        bah_find_threads()
        unsafe _ = HostTable.pointer
        _ = HostTable.link
        guard let pair = try? Descriptor.socketPair() else { return }
        let link = HostLink(pair.first.raw)
        let call = EntryCall.content(.install, AppDescription(), manifestBytes: 0)
        for message in [HostMessage.setup(setup), .call(call), .shutdown] {
            guard let frame = try? message.frame(),
                (try? DescriptorIO.writeAll(pair.second.raw, frame.bytes, subject: "worker")) != nil
            else { return }
        }
        let setup = WorkerProgram.receiveSetup(link)
        var run = WorkerRun(setup: setup, link: link, launcher: facts)
        run.report = Sandbox.rehearse(SandboxPolicy(setup), after: prepared)
        run.library = nil
        run.rehearse(call)
        while run.answer() {}
    }

    /// The C library stands for the plugin: its file has everything but a tag.
    private static var setup: WorkerSetup {
        var setup = WorkerSetup(
            pluginPath: LibraryTuning.glibcPath ?? "/", containerPath: "/tmp/container")
        setup.manifestPath = "/tmp/manifest"
        setup.runtimeFolders = ["/tmp/runtime"]
        setup.swiftToolchain = "swift-6.3"
        setup.identity = 1
        setup.countsHoldings = true
        return setup
    }
}

extension WorkerRun {
    fileprivate func rehearse(_ call: EntryCall) {
        _ = try? PluginReader.read(setup: setup, paths: paths)
        _ = PluginReader.rules(setup, paths)
        _ = MemoryReading.current()
        var ready = WorkerReady()
        ready.layers = SandboxLayer.allCases.map(\.rawValue)
        ready.missing = [MissingLayer(layer: "fence", why: LogText.cut("absent"))]
        ready.inForce = WorkerLimits.inForce(setup.limits, baseline: 0)
        link.send(.ready(ready))
        var plugin = LoadedPlugin()
        plugin.entryPoints = EntryPoint.symbols
        link.send(.loaded(plugin))
        let function: @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?) -> Int32 = { _, _ in 0 }
        guard let row = EntryPointTable.row(call.entryPoint) else { return }
        _ = link.whileInCall(with: { arguments(of: call, $0) }) { arguments in
            // SAFETY: a C function of the two parameters that the row of a content request has.
            let place = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
            return unsafe row.call(place, arguments)
        }
    }
}
