import Foundation
import LinuxSystem
import TestSupport
import Testing
import WireProtocol

/// What a worker did, from its start to its end.
struct WorkerOutcome {
    var messages: [WorkerMessage] = []
    var hostCalls: [HostCall] = []
    var evidence: [EvidenceRecord] = []
    var launcherFailure: SetupFailure?
    var output = ""
    var errors = ""
    var end: ChildEnd?

    /// The most `RssAnon` and `RssShmem` seen at a message.
    var peakHeldBytes: UInt64 = 0

    var ready: WorkerReady? {
        for case .ready(let ready) in messages { return ready }
        return nil
    }

    var loadFailure: LoadFailure? {
        for case .loadFailed(let failure) in messages { return failure }
        return nil
    }

    var setupFailure: SetupFailure? {
        for case .setupFailed(let failure) in messages { return failure }
        return nil
    }

    var returns: [EntryReturn] {
        messages.compactMap { if case .returned(let result) = $0 { result } else { nil } }
    }

    var refusals: [HostCall] {
        hostCalls.filter { if case .refused = $0 { true } else { false } }
    }

    var wishes: [DownloadWish] {
        hostCalls.compactMap { if case .schedule(let wish) = $0 { wish } else { nil } }
    }
}

/// Runs the real `bahost-worker` against a plugin and plays the host.
struct WorkerHarness {
    var setup: WorkerSetup
    var calls: [EntryCall] = []
    var answer: (HostCall) -> HostReply = { _ in .status(0) }

    /// Sent on the control pipe when the first host call comes.
    var controlByte: UInt8?

    /// A program and its arguments that become the worker at their end, such as setpriv(1).
    var wrapper: [String] = []

    /// What the launcher loads, where that is not the worker's.
    var launcherRuntime: [String]?

    /// What the wrapper starts the launcher in.
    var wrapperNamespaces: NamespaceSet?

    /// Bytes to send in place of the first message.
    var firstBytes: [UInt8]?
    var closesControlWhenLoaded = false
    var isSilentAfterReturn = false
    var program = WorkerHarness.worker

    /// Beside this test binary.
    static let worker: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return URL(fileURLWithPath: own ?? "").deletingLastPathComponent()
            .appendingPathComponent("bahost-worker").path
    }()

    static let environment = [
        "LANG=C.UTF-8", "TZ=UTC", "SWIFT_BACKTRACE=enable=no",
        "LD_AUDIT=" + Products.plugin("libbahost-seal"),
    ]

    /// What the launcher is started in; a wrapper has to do without.
    private var namespaces: NamespaceSet {
        let isRoot = geteuid() == 0
        return wrapper.isEmpty && isRoot ? [.pid, .network, .ipc, .mount] : []
    }

    func run() throws -> WorkerOutcome {
        let (connection, launcherEnd) = try boxes(DescriptorMessage.pair())
        let (link, workerLink) = try boxes(Descriptor.socketPair())
        let (output, workerOutput) = try boxes(Descriptor.pipe())
        let (errors, workerErrors) = try boxes(Descriptor.pipe())
        let (workerControl, control) = try boxes(Descriptor.pipe())
        let (evidence, workerEvidence) = try boxes(Descriptor.pipe())
        try Descriptor.setNonblocking(workerEvidence.raw)
        let command = wrapper + [program, "launcher"]
        let launcher = try ChildProcess(
            path: command[0], arguments: Array(command.dropFirst()),
            environment: WorkerHarness.environment, descriptors: [nil, nil, nil, launcherEnd.raw],
            namespaces: namespaces)
        var launcherSetup = LauncherSetup()
        launcherSetup.isolation = setup.isolation
        launcherSetup.absentLayers = setup.absentLayers
        launcherSetup.runtimeFolders = launcherRuntime ?? setup.runtimeFolders
        launcherSetup.namespaces = (wrapperNamespaces ?? namespaces).rawValue
        launcherSetup.namespaceRefusal = "not asked for by the test"
        for (request, descriptors) in [
            (.prepare(launcherSetup), []),
            (
                .start(run: 9),
                [workerOutput, workerErrors, workerLink, workerControl, workerEvidence].map(\.raw)
            ),
        ] as [(LauncherRequest, [Int32])] {
            try DescriptorMessage.send(
                request.frame().bytes, passing: descriptors, over: connection.raw)
        }
        for box in [
            launcherEnd, workerLink, workerOutput, workerErrors, workerControl, workerEvidence,
        ] {
            box.close()
        }
        var session = WorkerSession(self, link: link, control: control, launcher: connection)
        return try session.drive(launcher, streams: [output, errors, evidence])
    }

    private func boxes(_ pair: consuming DescriptorPair) -> (Box, Box) {
        pair.take { first, second in (Box(first), Box(second)) }
    }
}

/// A descriptor in a collection.
final class Box {
    private var descriptor: OwnedDescriptor?
    let raw: Int32

    init(_ descriptor: consuming OwnedDescriptor) {
        raw = descriptor.raw
        self.descriptor = consume descriptor
    }

    func close() {
        descriptor = nil
    }
}
