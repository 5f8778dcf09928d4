import FaultServer
import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// A container on a file system of 10 MiB, and three downloads that do not all fit.
@Suite(.enabled(if: SmallFileSystem.refusal == nil, "no small file system here"))
struct SmallDiskTests {
    static let names = ["one", "two", "three"]

    @Test(arguments: users)
    func aDownloadThatCannotFitIsRefusedBeforeItStarts(user: UInt32?) throws {
        let server = try NginxServer()
        let run = try SmallDiskRun(as: user)
        for (seed, name) in Self.names.enumerated() {
            let data = TestData.bytes(count: 4 << 20, seed: UInt64(seed))
            try server.serve(name, data)
            try run.want(name, data, size: data.count, url: "\(server.base)/\(name)")
        }
        let first = try run.run()
        let text = first.output + first.errors
        #expect(run.published == ["one", "two"], "\(text)")
        let told = Self.lines(of: text, with: " waits: ")
        #expect(told.count == 1, "\(text)")
        #expect(told.first?.contains("three waits: the download needs 4.0 MiB, ") == true)
        #expect(told.first?.contains(" are free on ") == true)
        #expect(first.output.contains(try Regex("\\nthree +waiting +0 B ")), "\(text)")
        #expect(!server.requests.contains { $0.hasPrefix("GET /three ") })

        try run.makeSpace()
        let second = try run.run()
        #expect(second.status == 0, "\(second.errors)")
        #expect(try run.digests() == run.wanted)
        #expect(server.requests.filter { $0.hasPrefix("GET /three ") }.count == 1)
    }

    @Test(arguments: users)
    func aFullDiskIsToldOnceForEachDownloadAndNothingIsTriedAgain(user: UInt32?) throws {
        let run = try SmallDiskRun(as: user)
        let server = try FaultServer(routes: [:])
        for (seed, name) in Self.names.enumerated() {
            // Each alone is more than there is, and nobody says so: neither manifest nor server.
            let data = TestData.bytes(count: 12 << 20, seed: UInt64(seed))
            let content = FaultContent(Array(data))
            server.setRoute("/\(name)", .sequence([.chunked(content), .honest(content)]))
            try run.want(name, data, size: 0, url: server.url("/\(name)"))
        }
        let first = try run.run()
        let text = first.output + first.errors
        #expect(run.published.isEmpty)
        for name in Self.names {
            let told = Self.lines(of: text, with: "\(name) waits: ")
            #expect(told.count == 1, "\(name): \(text)")
            #expect(told.first?.contains("No space left on device") == true)
            let row = Self.lines(of: first.output, with: "\(name) ")
            #expect(row.contains { $0.contains("waiting") }, "\(text)")
            #expect(server.requests(for: "/\(name)").count == 1, "\(name) was asked for again")
        }

        let partials = try Self.names.filter {
            first.output.contains(try Regex("\\n\($0) +waiting +[1-9]"))
        }.sorted()
        #expect(!partials.isEmpty)
        try run.makeSpace()
        let second = try run.run()
        #expect(second.status == 0, "\(second.errors)")
        #expect(try run.digests() == run.wanted)
        let resumed = Self.names.filter { name in
            let asked = server.requests(for: "/\(name)")
            #expect(asked.count == 2, "\(name)")
            return asked.last?.header("range") != nil
        }
        #expect(resumed.sorted() == partials, "what had bytes began again")
    }

    private static func lines(of text: String, with part: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.contains(part) }
    }
}

/// Runs of HelloDownload whose container is on a small file system.
final class SmallDiskRun {
    let fixture: RunFixture
    let disk: SmallFileSystem
    private let user: UInt32?
    private var manifest = ""

    /// By name, the digests of what the plugin asks for.
    private(set) var wanted: [String: String] = [:]

    /// Where the runs keep their state: elsewhere, or on the small disk as well.
    let state: String

    init(as user: UInt32?, hasStateOnDisk: Bool = false) throws {
        self.user = user
        fixture = try RunFixture(as: user)
        disk = try SmallFileSystem(mebibytes: 10, user: user)
        state = hasStateOnDisk ? "\(disk.path)/state" : fixture.state
    }

    func want(_ name: String, _ data: Data, size: Int, url: String) throws {
        wanted[name] = try TestData.sha256(data)
        manifest += "\(name) \(size) \(wanted[name] ?? "") \(url)\n"
    }

    /// The next run's plugin asks for nothing of this any more.
    func forgetWishes() {
        wanted = [:]
        manifest = ""
    }

    func run() throws -> ProgramResult {
        try start(fixture.plugin("HelloDownload")).wait()
    }

    /// Starts a run of a plugin that gets what was wanted as its manifest.
    func start(_ plugin: String) throws -> ProgramRun {
        let text = manifest.isEmpty ? "# nothing\n" : manifest
        return try start(
            "run",
            ["--plugin", plugin, "--manifest", try fixture.scratch.write("manifest", text)]
                + DownloadTests.network)
    }

    /// Starts a command on the container.
    func start(_ command: String, _ options: [String]) throws -> ProgramRun {
        let words =
            tool + [
                user == nil ? Products.program("bahost") : ReachableCopies.program("bahost"),
                command,
            ] + options + ["--output", "\(disk.path)/out", "--state", state]
        return try disk.start(
            words[0], Array(words.dropFirst()), environment: fixture.environment)
    }

    func storage(_ words: String...) throws -> ProgramResult {
        try start("storage", words).wait()
    }

    var freeBytes: UInt64 {
        get throws { try ConfinedFolder("\(disk.outerPath)/out/.bahost").freeBytes() }
    }

    /// Somebody else fills the disk until so many bytes are free.
    func fill(leavingBytes free: UInt64 = 0) throws {
        let size = try max(freeBytes, free) - free
        let words = free == 0 ? "head -c 20M" : "head -c \(size)"
        let done = try disk.start(
            "/bin/sh", ["-c", "\(words) /dev/zero >> \(disk.path)/others"]
        ).wait()
        #expect((done.status == 0) == (free > 0), "\(done.errors)")
    }

    /// An ordinary user is root in the namespace of its file system: no more so in one inside it.
    private var tool: [String] {
        let identifier = user ?? geteuid()
        guard identifier != 0 else { return [] }
        return [
            "/usr/bin/unshare", "--user", "--map-user=\(identifier)", "--map-group=\(identifier)",
        ]
    }

    /// With what to mount named: mount(8) would add the ids of another namespace to the options.
    func makeSpace() throws {
        let done = try disk.start(
            "/bin/mount", ["-t", "tmpfs", "-o", "remount,size=64m", "none", disk.path]
        ).wait()
        #expect(done.status == 0, "\(done.errors)")
    }

    var downloads: String { "\(disk.outerPath)/out/Downloads" }

    var published: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: downloads)) ?? []).sorted()
    }

    func digests() throws -> [String: String] {
        var found: [String: String] = [:]
        for name in published {
            found[name] = try TestData.sha256(
                Data(contentsOf: URL(fileURLWithPath: "\(downloads)/\(name)")))
        }
        return found
    }
}
