internal import Glibc
internal import LinuxSystem
internal import Sandbox
internal import WireProtocol

/// The program `bahost-worker`: a launcher, which makes itself ready once and then forks a worker
/// for each run that the host asks for.
///
/// It has a single thread, holds nothing of any run, and ends with the host.
package enum LauncherProgram {
    /// - Parameter arguments: Without the program's name.
    package static func run(_ arguments: [String]) -> Never {
        guard arguments == ["launcher"] else {
            let line = "usage: bahost-worker launcher (bahost starts it; it is not for the shell)\n"
            _ = DescriptorIO.write(2, Array(line.utf8)[...])
            WorkerExit.usage.end()
        }
        // Not for workers: it has done its work in this process. ld.so(8).
        unsafe unsetenv("LD_AUDIT")
        StopSignals.ignoreBrokenPipes()
        try? ProcessConfinement.dieWithParent(signal: SIGKILL)
        guard case .prepare(let setup) = LauncherConnection.next()?.0 else {
            WorkerExit.protocolBroken.end()
        }
        do throws(SetupFailure) {
            let launcher = try Launcher.ready(setup)
            launcher.serve()
        } catch {
            LauncherConnection.send(.failed(error))
            WorkerExit.setupFailed.end()
        }
    }
}

/// The launcher's end of its connection to the host; whatever is wrong with it ends the launcher.
enum LauncherConnection {
    static let raw: Int32 = 3

    /// The next request with its descriptors, waited for; nil for a descriptor's wake-up only.
    static func next() -> (LauncherRequest, [Int32])? {
        var room = [UInt8](repeating: 0, count: 65_536)
        switch DescriptorMessage.receive(from: raw, into: &room) {
        case .message(let bytes, let descriptors):
            do { return (try LauncherRequest(Frame(message: room[..<bytes])), descriptors) } catch {
                WorkerExit.protocolBroken.end()
            }
        case .wouldBlock: return nil
        case .ended: WorkerExit.hostGone.end()
        case .failed: WorkerExit.protocolBroken.end()
        }
    }

    static func send(_ report: LauncherReport, passing descriptors: [Int32] = []) {
        do {
            try DescriptorMessage.send(report.frame().bytes, passing: descriptors, over: raw)
        } catch {
            WorkerExit.hostGone.end()
        }
    }
}

/// What a worker knows of the launcher it was forked from.
struct LauncherFacts: Sendable {
    var hasSwiftRuntime = false
    var memory = LauncherMemory()
}

/// A launcher that is ready.
struct Launcher: ~Copyable {
    private let prepared: PreparedSandbox
    private let facts: LauncherFacts

    /// This process, for workers to see that it lives.
    private let own: OwnedDescriptor

    private init(
        prepared: consuming PreparedSandbox, facts: LauncherFacts, own: consuming OwnedDescriptor
    ) {
        self.prepared = prepared
        self.facts = facts
        self.own = own
    }

    /// Sets what is set once, and loads the runtime.
    static func ready(_ setup: LauncherSetup) throws(SetupFailure) -> Launcher {
        var facts = LauncherFacts(hasSwiftRuntime: !setup.runtimeFolders.isEmpty)
        let own = try openOwn()
        let policy = LauncherPolicy(setup)
        var prepared = try prepare(policy)
        if facts.hasSwiftRuntime { try SwiftPreload.load(from: setup.runtimeFolders) }
        Rehearsal.run(prepared, facts)
        MemoryReading.noteReserve()
        prepared.closeMemory(policy)
        facts.memory = LauncherMemory(isSealed: prepared.isSealed, fence: prepared.fence)
        return Launcher(prepared: prepared, facts: facts, own: own)
    }

    private static func openOwn() throws(SetupFailure) -> OwnedDescriptor {
        do throws(SystemError) { return try Descriptor.process(getpid()) } catch {
            throw SetupFailure(step: "parent", sentence: error.description)
        }
    }

    private static func prepare(_ policy: LauncherPolicy) throws(SetupFailure) -> PreparedSandbox {
        do throws(SandboxError) { return try PreparedSandbox(policy) } catch {
            throw SetupFailure(error)
        }
    }

    /// Answers the host until it goes.
    consuming func serve() -> Never {
        var workers: [ForkedWorker] = []
        while true {
            var set = PollSet()
            let place = set.add(LauncherConnection.raw)
            for worker in workers { set.add(worker.child.descriptor) }
            try? set.wait(timeout: nil)
            workers.removeAll { reportEnd(of: $0) }
            guard set.isReadable(place), let (request, descriptors) = LauncherConnection.next()
            else { continue }
            guard case .start(let run) = request,
                descriptors.count == LauncherRequest.workerDescriptors
            else { WorkerExit.protocolBroken.end() }
            if let worker = start(run, descriptors) { workers.append(worker) }
            for raw in descriptors { close(raw) }
        }
    }

    private borrowing func start(_ run: UInt32, _ descriptors: [Int32]) -> ForkedWorker? {
        do throws(SystemError) {
            guard let child = try prepared.fork() else { become(descriptors) }
            let worker = ForkedWorker(run: run, child: try ChildProcess(adopting: child))
            LauncherConnection.send(.started(run: run), passing: [worker.child.descriptor])
            return worker
        } catch {
            let failure = SetupFailure(step: "fork", sentence: LogText.cut(error.description))
            LauncherConnection.send(.notStarted(run: run, failure))
            return nil
        }
    }

    /// In the worker.
    private borrowing func become(_ descriptors: [Int32]) -> Never {
        let places = [-1] + descriptors + [own.raw]
        do throws(SystemError) { try Descriptor.place(places) } catch {
            WorkerExit.setupFailed.end()
        }
        WorkerProgram.run(prepared, facts)
    }

    private borrowing func reportEnd(of worker: ForkedWorker) -> Bool {
        var end = WorkerEnd()
        do throws(SystemError) {
            guard let ended = try worker.child.reap() else { return false }
            end.exitCode = ended.exitCode
            end.signal = ended.signal
            end.cpuNanoseconds = ended.cpuTime.wholeNanoseconds
        } catch {
            // Nobody else reaps it: what it ended with cannot be known.
        }
        LauncherConnection.send(.ended(run: worker.run, end))
        return true
    }
}

/// A worker, as the launcher that waits for it has it.
private final class ForkedWorker {
    let run: UInt32
    var child: ChildProcess

    init(run: UInt32, child: consuming ChildProcess) {
        self.run = run
        self.child = child
    }
}

/// The libraries of the Swift runtime that a launcher loads, for everyone to see.
enum SwiftPreload {
    /// Foundation brings those it is made of.
    private static let names = [
        "libswiftCore.so", "libswift_Concurrency.so", "libswift_StringProcessing.so",
        "libswiftGlibc.so", "libswiftSynchronization.so", "libswiftSwiftOnoneSupport.so",
        "libswiftDispatch.so", "libswiftObservation.so", "libswiftRegexBuilder.so",
        "libFoundation.so",
    ]

    static func load(from folders: [String]) throws(SetupFailure) {
        do throws(LoadRefusal) { try LoadedLibrary.preload(names, from: folders) } catch {
            throw SetupFailure(step: "runtime", sentence: error.sentence)
        }
    }
}

extension SetupFailure: Error {
    init(_ error: SandboxError) {
        self.init(step: error.step, sentence: LogText.cut(error.sentence))
    }
}

extension LauncherPolicy {
    /// What the host's first message asks for.
    init(_ setup: LauncherSetup) {
        self.init()
        isolation = SandboxPolicy.Isolation(setup.isolation)
        absentLayers = Set(setup.absentLayers)
        namespaces = NamespaceSet(rawValue: setup.namespaces)
        namespaceRefusal = setup.namespaceRefusal
        identity = setup.identity
        if let user = setup.outsideUser, let group = setup.outsideGroup {
            outsideUser = UserAndGroup(user: user, group: group)
        }
    }
}

extension SandboxPolicy.Isolation {
    init(_ mode: IsolationMode) {
        switch mode {
        case .basic: self = .basic
        case .automatic: self = .automatic
        case .full: self = .full
        }
    }
}
