import Foundation
import LinuxSystem
import Testing
import WireProtocol

private let tagSource = """
    #include <bahost/bahost.h>
    BAHOST_PLUGIN_EX("Swift", "1.0", BAHOST_TAG_USES_SWIFT, TOOLCHAIN, 0);
    """

private let swiftSource = """
    import Dispatch
    import Foundation

    struct Item: Codable { var size: Int }

    @_cdecl("bahost_install")
    public func install(_ host: UnsafeRawPointer, _ request: UnsafeRawPointer) -> Int32 {
        let data = Data("[{\\"size\\":3}]".utf8)
        guard let items = try? JSONDecoder().decode([Item].self, from: data) else { return -1 }
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("x.txt")
        do { try Data("x".utf8).write(to: place, options: .atomic) } catch { return -2 }
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var sum = 0
        DispatchQueue.global().async {
            sum += items[0].size
            done.signal()
        }
        done.wait()
        Task.detached {
            await Task.yield()
            sum += 1
            done.signal()
        }
        done.wait()
        return sum == 4 ? 0 : -3
    }

    @_cdecl("bahost_update")
    public func update(_ host: UnsafeRawPointer, _ request: UnsafeRawPointer) -> Int32 {
        preconditionFailure("a trap on purpose")
    }
    """

private let plainSource = """
    @_cdecl("bahost_install")
    public func install(_ host: UnsafeRawPointer, _ request: UnsafeRawPointer) -> Int32 {
        (1...100).map { "\\($0)" }.joined().count == 192 ? 0 : -1
    }
    """

/// The toolchain that a Swift plugin is compiled with here, and its runtime.
private struct Toolchain {
    let compiler: String
    let runtime: String
    let name: String

    static let found: Toolchain? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for folder in path.split(separator: ":") {
            let compiler = URL(fileURLWithPath: folder + "/swiftc").resolvingSymlinksInPath()
            let runtime = compiler.deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("lib/swift/linux").path
            guard FileManager.default.isExecutableFile(atPath: folder + "/swiftc"),
                FileManager.default.fileExists(atPath: runtime + "/libswiftCore.so")
            else { continue }
            return Toolchain(compiler: folder + "/swiftc", runtime: runtime, name: ownName)
        }
        return nil
    }()

    private static var ownName: String {
        #if compiler(>=6.4)
            "swift-6.4"
        #elseif compiler(>=6.3)
            "swift-6.3"
        #else
            "swift-6.2"
        #endif
    }

    /// Compiled once, beside the test binary.
    static let plugin = Result { try build("swift", swiftSource, []) }

    /// Without Foundation, and with a runtime beside it.
    static let plain = Result {
        try build(
            "swift-plain", plainSource,
            ["-no-toolchain-stdlib-rpath", "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/swift"])
    }

    private static func build(
        _ name: String, _ source: String, _ options: [String]
    ) throws -> String {
        let folder = PluginWorkshop.buildFolder
        let toolchain = try #require(found)
        let tag = try PluginWorkshop.build(
            tagSource, in: folder, name: name + "-tag",
            ["-c", "-DTOOLCHAIN=\"\(toolchain.name)\""])
        let text = folder.appendingPathComponent("bahost-test-" + name + ".swift")
        try Data(source.utf8).write(to: text)
        let result = folder.appendingPathComponent("bahost-test-" + name + ".so").path
        try PluginWorkshop.compile(
            toolchain.compiler,
            [
                "-emit-library", "-module-name", "SwiftPlugin", text.path, tag, "-o", result,
                "-module-cache-path", folder.appendingPathComponent("bahost-test-cache").path,
            ] + options)
        return result
    }
}

@Suite(.enabled(if: Toolchain.found != nil)) struct SwiftPluginTests {
    private let workshop: PluginWorkshop
    private let plugin: String
    private let toolchain: Toolchain

    init() throws {
        workshop = try PluginWorkshop()
        toolchain = try #require(Toolchain.found)
        plugin = try workshop.copy(of: Toolchain.plugin.get())
    }

    private func harness(_ call: EntryCall) -> WorkerHarness {
        var harness = workshop.harness(plugin, [call])
        harness.setup.runtimeFolders = [toolchain.runtime]
        harness.setup.swiftToolchain = toolchain.name
        return harness
    }

    @Test func foundationDispatchAndTasksWorkWithinTheDefaultLimit() throws {
        let outcome = try harness(install()).run()
        #expect(outcome.loadFailure == nil)
        #expect(outcome.returns.map(\.status) == [0], "\(outcome.evidence) \(outcome.errors)")
        let ready = try #require(outcome.ready)
        let held = (outcome.returns.first?.heldBytes ?? 0) - ready.heldBytes
        print(
            "swift: baseline \(ready.heldBytes) B, reserve \(ready.reserveBytes) B,",
            "held beyond the baseline at the return \(held) B")
        #expect(held < 6 << 20)
    }

    @Test func aTrapIsASignalAndSaysItsMessage() throws {
        var app = AppDescription()
        app.identifier = "x"
        let outcome = try harness(.content(.update, app, manifestBytes: 0)).run()
        let signals = [SIGILL, SIGTRAP]
        #expect(signals.contains(outcome.evidence.first?.signal ?? 0))
        #expect(outcome.errors.contains("a trap on purpose"))
    }

    @Test func anotherToolchainIsAMismatchNamingBoth() throws {
        var harness = harness(install())
        harness.setup.swiftToolchain = "swift-5.1"
        let failure = try #require(try harness.run().loadFailure)
        #expect(failure.isMismatch)
        #expect(failure.sentence.contains("5.1"))
    }

    /// A cold run: nothing of the host's runtime is there.
    @Test func aPluginWithItsOwnRuntimeRunsWithWhateverVersion() throws {
        let other = try PluginWorkshop()
        let plain = try other.copy(of: Toolchain.plain.get())
        var harness = other.harness(plain, [install()])
        harness.setup.runtimeFolders = [toolchain.runtime]
        harness.setup.swiftToolchain = "swift-5.1"
        let mismatch = try #require(try harness.run().loadFailure)
        #expect(mismatch.isMismatch)
        let own = URL(fileURLWithPath: plain).deletingLastPathComponent().path + "/swift"
        try FileManager.default.createDirectory(
            atPath: own, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        for name in try FileManager.default.contentsOfDirectory(atPath: toolchain.runtime)
        where ["swift", "dispatch", "Blocks"].contains(where: { name.hasPrefix("lib\($0)") }) {
            try FileManager.default.copyItem(
                atPath: "\(toolchain.runtime)/\(name)", toPath: "\(own)/\(name)")
        }
        harness.launcherRuntime = []
        let outcome = try harness.run()
        #expect(outcome.loadFailure == nil)
        #expect(outcome.messages.contains(.needsSwiftRuntime) == false)
        #expect(outcome.returns.map(\.status) == [0], "\(outcome.evidence) \(outcome.errors)")
    }

    @Test func aBareLaunchersWorkerAsksForTheRuntime() throws {
        var harness = harness(install())
        harness.launcherRuntime = []
        let outcome = try harness.run()
        #expect(outcome.messages == [.needsSwiftRuntime])
        #expect(outcome.end?.exitCode == 0)
    }
}
