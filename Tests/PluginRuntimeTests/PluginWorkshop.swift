import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// A folder of one test, with a container, and a compiler.
final class PluginWorkshop {
    let folder: URL

    /// The user that the container belongs to and the worker becomes; nil when we are not root.
    let identity: UInt32? = geteuid() == 0 ? 60_123 : nil

    var container: URL { folder.appendingPathComponent("container") }

    init() throws {
        let pattern = Array("/tmp/bahost-test-XXXXXX".utf8CString)
        var name = pattern
        guard unsafe mkdtemp(&name) != nil else {
            throw SystemError(call: "mkdtemp", subject: "/tmp", code: errno)
        }
        folder = URL(
            fileURLWithPath: String(decoding: name.dropLast().map { UInt8($0) }, as: UTF8.self))
        unsafe chmod(folder.path, 0o755)
        for path in ["Downloads", "Library/Caches", "tmp", ".bahost"] {
            try FileManager.default.createDirectory(
                at: container.appendingPathComponent(path), withIntermediateDirectories: true)
        }
        if let identity { try give(to: identity) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Makes the container another user's.
    func give(to user: UInt32) throws {
        for path in ["", "Downloads", "Library", "Library/Caches", "tmp"] {
            let place = container.appendingPathComponent(path).path
            guard unsafe chown(place, user, user) == 0 else {
                throw SystemError(call: "chown", subject: place, code: errno)
            }
        }
    }

    /// Where the SDK's headers are: this file is in Tests/PluginRuntimeTests.
    static let headers = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("SDK/include").path

    /// Beside the test binary: for what several tests share.
    static let buildFolder = URL(fileURLWithPath: WorkerHarness.worker)
        .deletingLastPathComponent()

    /// Compiles C text to a shared object in this folder and returns its path.
    func build(_ source: String, name: String = "plugin", _ options: [String] = []) throws -> String
    {
        try PluginWorkshop.build(source, in: folder, name: name, options)
    }

    /// A copy of a shared object in this folder.
    func copy(of library: String) throws -> String {
        let place = folder.appendingPathComponent("plugin.so").path
        try FileManager.default.copyItem(atPath: library, toPath: place)
        return place
    }

    static func build(
        _ source: String, in folder: URL, name: String, _ options: [String]
    ) throws -> String {
        let text = folder.appendingPathComponent("bahost-test-" + name + ".c")
        try Data(source.utf8).write(to: text)
        let result = folder.appendingPathComponent("bahost-test-" + name + ".so").path
        let kind = options.contains("-c") ? [] : ["-shared"]
        try compile(
            "/usr/bin/cc",
            kind + ["-fPIC", "-O1", "-w", "-I", headers, text.path, "-o", result] + options)
        return result
    }

    /// Runs a compiler to its end.
    static func compile(_ program: String, _ arguments: [String]) throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        var compiler = try ChildProcess(
            path: program, arguments: arguments, environment: ["PATH=" + path],
            descriptors: [nil, nil, 2])
        var poll = PollSet()
        poll.add(compiler.descriptor)
        try poll.wait(timeout: .seconds(120))
        let end = try compiler.reap()
        try #require(end?.exitCode == 0, "\(program) \(arguments)")
    }

    /// A worker for a plugin of this workshop.
    func harness(_ plugin: String, _ calls: [EntryCall] = []) -> WorkerHarness {
        var setup = WorkerSetup(pluginPath: plugin, containerPath: container.path)
        setup.identity = identity
        return WorkerHarness(setup: setup, calls: calls)
    }
}

/// A call of `bahost_install` for an app of this identifier.
func install(_ identifier: String = "org.example.app") -> EntryCall {
    var app = AppDescription()
    app.identifier = identifier
    app.group = "group.example"
    return .content(.install, app, manifestBytes: 0)
}
