import ExtensionHost
import Foundation
import Glibc
import HostEngine
import LinuxSystem
import Testing
import TestSupport
import WireProtocol

/// One run of a crowd, from its start to its outcome.
final class CrowdMember {
    let session: WorkerSession
    fileprivate(set) var outcome: WorkerOutcome?

    fileprivate init(_ session: WorkerSession) {
        self.session = session
    }
}

/// Runs of one host process, side by side: real workers of one launcher pool, one loop.
final class Crowd {
    let scratch: ScratchFolder
    let pool = LauncherPool()
    private let identity = WorkerIdentity.forThisHost()
    private var members: [CrowdMember] = []

    init() throws {
        scratch = try ScratchFolder("crowd")
        for name in ["Downloads", "Library", "tmp"] {
            let folder = "\(container)/\(name)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            if let identity { unsafe chown(folder, identity, identity) }
        }
        // The command line names the scratch folder: the audit's marker.
        try FileManager.default.createSymbolicLink(
            atPath: "\(scratch.path)/worker",
            withDestinationPath: Products.program("bahost-worker"))
    }

    private var container: String { "\(scratch.path)/container" }

    /// What the workers have left in their container.
    var leftFiles: [String] {
        ["Downloads", "Library/Caches", "tmp"].flatMap { scratch.contents(of: "container/\($0)") }
    }

    /// How to start a plugin; a word is the first line of its manifest.
    func plan(_ word: String = "", plugin: String = "hostile") throws -> WorkerPlan {
        var setup = WorkerSetup(
            pluginPath: Products.plugin(plugin), containerPath: container)
        if !word.isEmpty { setup.manifestPath = try scratch.write("manifest-\(word)", word + "\n") }
        setup.identity = identity
        setup.runtimeFolders = SwiftRuntime.folders(
            environment: ProcessInfo.processInfo.environment)
        setup.swiftToolchain = SwiftRuntime.toolchain
        return WorkerPlan(workerPath: "\(scratch.path)/worker", setup: setup)
    }

    @discardableResult
    func start(_ plan: WorkerPlan) throws -> CrowdMember {
        let member = CrowdMember(try pool.start(plan, now: BootClock.now()))
        members.append(member)
        return member
    }

    /// Runs one to its end.
    func run(_ plan: WorkerPlan) throws -> WorkerOutcome {
        let member = try start(plan)
        try finish()
        return try #require(member.outcome)
    }

    /// Until all have ended: each is called once when it is loaded, then asked to leave.
    func finish(within bound: Duration = .seconds(60)) throws {
        let limit = BootClock.now() + bound
        while members.contains(where: { $0.outcome == nil }) {
            let now = BootClock.now()
            guard now < limit else {
                throw SystemError(call: "poll", subject: "a run that does not end", code: ETIMEDOUT)
            }
            var set = PollSet()
            for member in members { member.session.register(in: &set) }
            let due = members.compactMap { $0.session.nextDeadline }.min() ?? limit
            try set.wait(timeout: due > now ? min(due, limit) - now : .zero)
            for member in members { try service(member, set) }
        }
        members = []
    }

    private func service(_ member: CrowdMember, _ set: PollSet) throws {
        for event in member.session.service(set, now: BootClock.now()) {
            switch event {
            case .loaded:
                guard member.session.isIdle else { continue }
                let call = EntryCall.content(.install, AppDescription(), manifestBytes: 0)
                try member.session.call(call, now: BootClock.now())
            case .hostCall(let call, let sequence):
                guard call.wantsReply else { continue }
                member.session.reply(.status(0), sequence: sequence)
            case .returned: member.session.shutDown(now: BootClock.now())
            case .ended(let outcome): member.outcome = outcome
            case .ready, .answered, .printed: break
            }
        }
    }
}
