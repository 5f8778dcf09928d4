import Foundation
import LinuxSystem
import Sandbox
import TestSupport
import Testing
import WireProtocol

/// The program itself: how it is started, which layers it sets, how it ends.
@Suite struct WorkerTests {
    private let workshop: PluginWorkshop
    private let plugin: String

    private static let basic = ["rlimits", "seccomp", "no-new-privileges", "capabilities"]

    init() throws {
        workshop = try PluginWorkshop()
        plugin = try workshop.build(helloSource)
    }

    private func output(of program: String, _ arguments: [String]) throws -> (String, Int32?) {
        let (reader, writer) = try Descriptor.pipe().take { (Box($0), Box($1)) }
        var child = try ChildProcess(
            path: program, arguments: arguments, environment: ["PATH=/usr/bin:/bin"],
            descriptors: [nil, writer.raw, writer.raw])
        writer.close()
        let bytes = try DescriptorIO.readAll(reader.raw, limit: 16 << 20, subject: program)
        var poll = PollSet()
        poll.add(child.descriptor)
        try poll.wait(timeout: .seconds(30))
        return (String(decoding: bytes, as: UTF8.self), try child.reap()?.exitCode)
    }

    @Test(arguments: [[], ["--help"], ["worker", "more"]])
    func startedByHandSaysOneLine(arguments: [String]) throws {
        let (text, status) = try output(of: WorkerHarness.worker, arguments)
        #expect(status == 64)
        #expect(text.hasPrefix("usage: bahost-worker"))
        #expect(text.split(separator: "\n").count == 1)
    }

    /// docs/threat-model.md: the hooks and nothing else, no Foundation, no Swift library.
    @Test func exportsTheHooksAndNeedsNoSwiftLibrary() throws {
        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/CWorkerAllocator/exports.list")
        let text = try String(contentsOf: list, encoding: .utf8)
        let hooks = Set(text.split { "{};\n ".contains($0) }.map(String.init))
        let (symbols, _) = try output(
            of: "/usr/bin/readelf", ["--dyn-syms", "-W", WorkerHarness.worker])
        var exported: Set<String> = []
        for line in symbols.split(separator: "\n") {
            let fields: [Substring] = line.split(separator: " ")
            guard fields.count >= 8, fields[0] != "Num:", fields[6] != "UND" else { continue }
            exported.insert(String(fields[7]))
        }
        #expect(exported == hooks)
        #expect(hooks.count == 28)
        let (dynamic, _) = try output(of: "/usr/bin/readelf", ["-d", "-W", WorkerHarness.worker])
        let needed = dynamic.split(separator: "\n").filter { $0.contains("(NEEDED)") }
        #expect(!needed.isEmpty)
        for line in needed {
            #expect(!line.contains("libswift") && !line.contains("Foundation"))
        }
    }

    @Test func allLayersOfThisKernelAreInForce() throws {
        let ready = try #require(try workshop.harness(plugin).run().ready)
        let more =
            workshop.identity == nil
            ? []
            : [
                "identity", "mount-namespace", "pid-namespace", "network-namespace",
                "ipc-namespace",
            ]
        #expect(Set(WorkerTests.basic + ["landlock"] + more).isSubset(of: ready.layers))
        #expect(Set(ready.layers).isDisjoint(with: ready.missing.map(\.layer)))
        let all = Set(SandboxLayer.allCases.map(\.rawValue))
        // The cgroup is the host's.
        let named = Set(ready.layers).union(ready.missing.map(\.layer))
        #expect(named == all.subtracting(["cgroup"]))
        #expect(ready.inForce == WorkerLimits())
        #expect(ready.reserveBytes > 0)
    }

    @Test func basicIsolationIsTheFirstFourLayers() throws {
        var harness = workshop.harness(plugin, [install()])
        harness.setup.isolation = .basic
        let outcome = try harness.run()
        let identity = workshop.identity == nil ? [] : ["identity"]
        #expect(Set(outcome.ready?.layers ?? []) == Set(WorkerTests.basic + identity))
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test(arguments: [
        "rlimits", "seccomp", "no-new-privileges", "capabilities", "landlock",
        "mount-namespace",
    ])
    func aLayerThatIsAbsentIsNamed(layer: String) throws {
        var harness = workshop.harness(plugin, [install()])
        harness.setup.absentLayers = [layer]
        let outcome = try harness.run()
        #expect(outcome.ready?.layers.contains(layer) == false)
        #expect(outcome.ready?.missing.map(\.layer).contains(layer) == true)
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test func anAbsentIdentityIsNoRunForRoot() throws {
        guard workshop.identity != nil else { return }
        var harness = workshop.harness(plugin, [install()])
        harness.setup.absentLayers = ["identity"]
        #expect(try harness.run().setupFailure?.step == "identity")
        harness.setup.absentLayers = []
        harness.setup.identity = nil
        #expect(try harness.run().setupFailure?.step == "identity")
        harness.setup.identity = 0
        #expect(try harness.run().setupFailure?.step == "identity")
    }

    @Test(.enabled(if: geteuid() == 0))
    func fullIsolationIsEverythingOrNoRun() throws {
        var harness = workshop.harness(plugin, [install()])
        harness.setup.isolation = .full
        let outcome = try harness.run()
        #expect(outcome.setupFailure == nil)
        #expect(outcome.ready?.missing == [])
        #expect(outcome.returns.map(\.status) == [0])
        for layer in ["fence", "sealing", "landlock", "user-namespace", "mount-namespace"] {
            harness.setup.absentLayers = [layer]
            let failure = try #require(try harness.run().setupFailure)
            // The fence needs sealing; a namespace of processes needs one of mounts.
            #expect([layer, "pid-namespace"].contains(failure.step))
            #expect(failure.sentence.isEmpty == false)
        }
    }

    @Test(arguments: [
        [UInt8](repeating: 0, count: 16), Array("GET / HTTP/1.0\r\n\r\n".utf8),
    ])
    func aMalformedFirstFrameEndsTheWorker(bytes: [UInt8]) throws {
        var harness = workshop.harness(plugin)
        harness.firstBytes = bytes
        let outcome = try harness.run()
        #expect(outcome.end?.exitCode == 71)
        #expect(outcome.messages == [])
    }

    @Test func aMessageOutOfOrderEndsTheWorker() throws {
        var harness = workshop.harness(plugin)
        harness.firstBytes = try HostMessage.shutdown.frame().bytes
        #expect(try harness.run().end?.exitCode == 71)
    }

    @Test func aMissingContainerFailsTheSetUp() throws {
        var harness = workshop.harness(plugin)
        harness.setup.containerPath = workshop.folder.appendingPathComponent("none").path
        let outcome = try harness.run()
        #expect(outcome.setupFailure?.sentence.contains("No such file") == true)
        #expect(outcome.end?.exitCode == 73)
    }

    /// A harness for another user, who can reach the program and owns the container.
    private func harness(of user: UInt32) throws -> WorkerHarness {
        try workshop.give(to: user)
        var harness = workshop.harness(plugin, [install()])
        harness.setup.identity = nil
        harness.program = workshop.folder.appendingPathComponent("bahost-worker").path
        try copyProgram(WorkerHarness.worker, to: harness.program)
        harness.wrapper = [
            "/usr/bin/setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "--",
        ]
        return harness
    }

    /// The same as an ordinary user; by setpriv(1) when this is root.
    @Test(.enabled(if: geteuid() == 0), arguments: [[], ["landlock"]])
    func runsAsAnOrdinaryUser(absent: [String]) throws {
        var harness = try harness(of: 60_124)
        harness.setup.absentLayers = absent
        let outcome = try harness.run()
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.ready?.layers.contains("landlock") == absent.isEmpty)
        #expect(outcome.ready?.missing.map(\.layer).contains("identity") == true)
        #expect(outcome.ready.map { Set(WorkerTests.basic).isSubset(of: $0.layers) } == true)
    }

    /// uid 0 of a user namespace that has no other users: what a rootless container may give.
    @Test(.enabled(if: geteuid() == 0), arguments: [[], ["mount-namespace"]])
    func runsAsRootOfAnotherUsersNamespace(absent: [String]) throws {
        var harness = try harness(of: 60_125)
        harness.setup.identity = 60_123
        harness.setup.absentLayers = absent
        harness.wrapper += ["/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--"]
        harness.wrapperNamespaces = .mount
        let outcome = try harness.run()
        #expect(outcome.setupFailure == nil)
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.ready?.missing.map(\.layer).contains("identity") == true)
        #expect(outcome.ready?.layers.contains("mount-namespace") == absent.isEmpty)
    }

    @Test func theManifestCanBeReadAndNotWritten() throws {
        let path = try workshop.build(
            """
            #include <bahost/bahost.h>
            #include <fcntl.h>
            #include <unistd.h>
            BAHOST_PLUGIN("Manifest", "1");
            int32_t bahost_install(const bahost_host *h, const bahost_content_request *r)
            {
                char text[8] = { 0 };
                int file = open(r->manifest_path, O_RDONLY);
                if (read(file, text, 8) != 4 || strcmp(text, "list") || r->manifest_size != 4)
                    return -1;
                return open(r->manifest_path, O_WRONLY) < 0 ? 0 : -2;
            }
            """, name: "manifest")
        let manifest = workshop.folder.appendingPathComponent("content list").path
        try Data("list".utf8).write(to: URL(fileURLWithPath: manifest))
        var app = AppDescription()
        app.identifier = "x"
        var harness = workshop.harness(path, [.content(.install, app, manifestBytes: 4)])
        harness.setup.manifestPath = manifest
        #expect(try harness.run().returns.map(\.status) == [0])
        harness.setup.absentLayers = ["mount-namespace"]
        #expect(try harness.run().returns.map(\.status) == [0])
    }

    @Test func helloHoldsLittle() throws {
        let outcome = try workshop.harness(plugin, [install()]).run()
        let ready = try #require(outcome.ready)
        let held = outcome.peakHeldBytes - ready.heldBytes
        print(
            "hello: baseline \(ready.heldBytes) B, reserve \(ready.reserveBytes) B,",
            "peak beyond the baseline \(held) B")
        #expect(held < 256 << 10)
    }
}
