import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// A run of `bahost run` in a scratch folder of its own, and what it left there.
final class RunFixture {
    let scratch: ScratchFolder
    let user: UInt32?

    /// Layers to run without, by name.
    var absentLayers: [String] = []

    /// - Parameter user: Runs everything as this id; only root can ask for another.
    /// - Throws: What the system said when the folder could not be made.
    init(as user: UInt32? = nil) throws {
        scratch = try ScratchFolder("run")
        self.user = user
        try FileManager.default.createDirectory(
            atPath: "\(scratch.path)/tmp", withIntermediateDirectories: false)
        // The worker's command line names the scratch folder: the audit's marker.
        try FileManager.default.createSymbolicLink(
            atPath: workerLink,
            withDestinationPath: user == nil
                ? Products.program("bahost-worker") : ReachableCopies.program("bahost-worker"))
        if let user { unsafe chown(scratch.path, user, user) }
        if let user { unsafe chown("\(scratch.path)/tmp", user, user) }
    }

    private var workerLink: String { "\(scratch.path)/worker" }
    var output: String { "\(scratch.path)/out dir" }
    var state: String { "\(scratch.path)/state" }

    /// Starts a run; `tool` is a program with its arguments that it is started by.
    func start(
        _ plugin: String, _ options: [String] = [], under tool: [String] = []
    ) throws -> ProgramRun {
        let words =
            tool + [command.path] + command.before
            + ["run", "--plugin", plugin, "--output", output, "--state", state] + options
        return try ProgramRun(
            words[0], Array(words.dropFirst()), environment: environment,
            workingFolder: scratch.path)
    }

    /// Runs to the end and checks what must hold after every run: no process and no file is left.
    func run(
        _ plugin: String, _ options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ProgramResult {
        let result = try start(plugin, options).wait()
        audit(sourceLocation: sourceLocation)
        return result
    }

    /// Arguments as they are.
    func runPlain(
        _ arguments: [String], environment: [String: String] = [:],
        atMost limit: Duration = .seconds(120)
    ) throws -> ProgramResult {
        try startPlain(arguments, environment: environment).wait(atMost: limit)
    }

    func startPlain(
        _ arguments: [String], environment added: [String: String] = [:]
    ) throws -> ProgramRun {
        try ProgramRun(
            command.path, command.before + arguments,
            environment: environment.merging(added) { _, new in new },
            workingFolder: scratch.path)
    }

    func audit(sourceLocation: SourceLocation = #_sourceLocation) {
        expectNoProcess(sourceLocation: sourceLocation)
        #expect(
            scratch.contents(of: "out dir/tmp").isEmpty, "tmp/ is not empty",
            sourceLocation: sourceLocation)
        #expect(
            scratch.contents(of: "tmp").isEmpty, "TMPDIR is not empty",
            sourceLocation: sourceLocation)
        let partial = scratch.contents(of: "out dir/.bahost").filter { $0 != "state" }
        #expect(partial.isEmpty, "left: \(partial)", sourceLocation: sourceLocation)
    }

    /// Sizes of the unfinished downloads in the container.
    private var partialSizes: [Int] {
        let folder = "\(output)/.bahost"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".partial") }.map { name in
            var status = stat()
            return unsafe stat("\(folder)/\(name)", &status) == 0 ? Int(status.st_size) : 0
        }
    }

    var partialBytes: Int { partialSizes.reduce(0, +) }
    var partialCount: Int { partialSizes.count }

    func expectNoProcess(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            eventually(within: .seconds(2)) {
                ProcessAudit.alive(marked: scratch.path).isEmpty
            }, "a process is left", sourceLocation: sourceLocation)
    }

    /// `setpriv(1)` where another user is asked for; the programs are copied where it can read them.
    private var command: (path: String, before: [String]) {
        guard let user else { return (Products.program("bahost"), []) }
        return (
            "/usr/bin/setpriv",
            [
                "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--inh-caps=-all",
                ReachableCopies.program("bahost"),
            ]
        )
    }

    var environment: [String: String] {
        [
            "TMPDIR": "\(scratch.path)/tmp", "HOME": scratch.path, "XDG_STATE_HOME": state,
            "BAHOST_WORKER": workerLink,
            "BAHOST_ABSENT_LAYERS": absentLayers.joined(separator: ","),
        ]
    }

    /// Builds a plugin from C, as its author would.
    func compile(_ name: String, _ text: String, _ options: [String] = []) throws -> String {
        let source = try scratch.write("\(name).c", text)
        let plugin = "\(scratch.path)/\(name).so"
        let built = try runProgram(
            "/usr/bin/cc",
            ["-shared", "-fPIC", "-I\(Products.root)/SDK/include", source, "-o", plugin]
                + options)
        #expect(built.status == 0, "\(built.errors)")
        return plugin
    }

    func plugin(_ name: String) -> String {
        user == nil ? Products.plugin(name) : ReachableCopies.plugin(name)
    }
}

/// Programs and plugins where any user can read them: the checkout may lie in a closed folder.
enum ReachableCopies {
    private static let folder: ScratchFolder? = {
        guard let folder = try? ScratchFolder("copies") else { return nil }
        let files = FileManager.default
        for name in ["bahost", "bahost-worker"] {
            try? copyProgram(Products.program(name), to: "\(folder.path)/\(name)")
        }
        // What a user's worker seals with lies beside it.
        try? files.copyItem(
            atPath: Products.plugin("libbahost-seal"), toPath: "\(folder.path)/libbahost-seal.so")
        let names = ["HelloDownload", "LevelPacks", "hostile", "legitimate-cxx", "legitimate-rust"]
        for name in names {
            try? files.copyItem(
                atPath: Products.plugin(name), toPath: "\(folder.path)/\(name).so")
        }
        try? files.copyItem(
            atPath: "\(Products.folder)/libLegitimateSwift.so",
            toPath: "\(folder.path)/legitimate-swift.so")
        try? files.copyItem(
            atPath: "\(Products.folder)/libEpisodes.so", toPath: "\(folder.path)/episodes.so")
        try? files.createDirectory(
            atPath: "\(folder.path)/conformance", withIntermediateDirectories: false)
        for name in (try? files.contentsOfDirectory(atPath: Products.plugins)) ?? []
        where ["hostile", "swift-hostile", "shape-", "swift-shape-", "libbahost-"]
            .contains(where: name.hasPrefix)
        {
            try? files.copyItem(
                atPath: "\(Products.plugins)/\(name)",
                toPath: "\(folder.path)/conformance/\(name)")
        }
        // Nothing lets go of a static value.
        atexit { ReachableCopies.folder?.remove() }
        return folder
    }()

    static func program(_ name: String) -> String { "\(folder?.path ?? "")/\(name)" }
    static func plugin(_ name: String) -> String { "\(folder?.path ?? "")/\(name).so" }
}

/// The part of a record that tests look at.
struct Record: Decodable {
    struct Download: Decodable {
        let identifier: String
        let state: String
        let bytes: Int
        let sha256: String?
        let path: String?
        let error: Failure?
    }

    struct Failure: Decodable {
        let domain: String
        let code: Int
        let name: String
        let message: String
    }

    struct Memory: Decodable {
        let limitBytes: Int
        let baselineBytes: Int?
        let runtimeReserveBytes: Int?
        let peakBytes: Int?
    }

    let result: String
    let detail: String?
    let stage: String?
    let status: Int
    let memory: Memory
    let downloads: [Download]
    let refused: [Refusal]
    let packs: [Pack]
    let isolation: Isolation
    let log: [String]

    struct Isolation: Decodable {
        struct Missing: Decodable {
            let layer: String
            let why: String
        }

        let layers: [String]
        let missing: [Missing]
    }

    struct Pack: Decodable {
        let identifier: String
        let shouldDownload: Bool?
        let code: Int?
    }

    struct Refusal: Decodable {
        let identifier: String
        let code: Int
        let name: String
        let message: String
    }

    /// The one line of `--json`.
    init(of result: ProgramResult) throws {
        self = try JSONDecoder().decode(Record.self, from: Data(result.output.utf8))
    }
}

/// Ids to run as: the tests' own, and for root an ordinary user's too.
let users: [UInt32?] = geteuid() == 0 ? [nil, 65_534] : [nil]
