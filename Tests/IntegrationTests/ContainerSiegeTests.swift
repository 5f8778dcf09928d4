import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// Plugins that attack their container while the host publishes there and takes files back: nothing
/// outside is touched, the run ends by itself, rows and files agree, and the host's time is bounded.
@Suite(.enabled(if: SmallFileSystem.refusal == nil, "no small file system here"))
struct ContainerSiegeTests {
    /// What lies in the container before the plugin attacks.
    enum Crowd: String, Sendable, CaseIterable {
        case manyFiles
        case deepTree

        /// Second names of half the published files, and names in `Downloads/` of another file.
        case links

        /// What makes it, in the container's `Library/`, as the one whose it is.
        var script: String {
            let deed =
                switch self {
                case .manyFiles:
                    """
                    os.mkdir("crowd")
                    for number in range(100_000):
                        os.close(os.open(f"crowd/{number}", os.O_WRONLY | os.O_CREAT, 0o600))
                    """
                case .deepTree:
                    """
                    for number in range(2_000):
                        os.mkdir("deep")
                        os.chdir("deep")
                    """
                case .links:
                    """
                    with open("linked", "w") as linked:
                        linked.write("linked")
                    for number in range(12):
                        os.link("linked", f"../Downloads/q{number:02}")
                    for number in range(0, 13, 2):
                        os.link(f"../Downloads/p{number:02}", f"second-{number:02}")
                    """
                }
            return """
                import os, sys
                os.chdir(sys.argv[1])
                owner = os.stat(".").st_uid
                if owner != os.geteuid():
                    os.setuid(owner)
                \(deed)
                """
        }
    }

    /// Prints how many rows of published files have no file, how many are being taken back, and what
    /// lies in the host's folder.
    private static let compare = """
        import os, sqlite3, sys
        base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
        rows = base.execute("SELECT inode, sizeBytes, modifiedNanoseconds, isPurging"
                            " FROM publishedFiles").fetchall()
        stamps, folders = set(), [(sys.argv[2], 0)]
        while folders:
            folder, depth = folders.pop()
            for entry in os.scandir(folder):
                status = entry.stat(follow_symlinks=False)
                stamps.add((status.st_ino, status.st_size, status.st_mtime_ns))
                if entry.is_dir(follow_symlinks=False) and depth < 100:
                    folders.append((entry.path, depth + 1))
        print(sum(row[:3] not in stamps for row in rows), sum(row[3] for row in rows),
              [n for n in os.listdir(sys.argv[2] + "/.bahost") if n != "state"])
        """

    /// Ten times what the host was seen to take, in a debug build.
    private static let mostTime = Duration.seconds(12)
    private static let mostTimeInACrowd = Duration.seconds(27)

    private let fast: NginxServer
    private let slow: NginxServer

    init() throws {
        fast = try NginxServer(rate: "2m")
        slow = try NginxServer(rate: "512k")
    }

    @Test(arguments: users, Attack.allCases)
    func nothingOutsideIsTouched(user: UInt32?, attack: Attack) throws {
        let siege = try prepare(attack, as: user)
        let (result, time) = try end(of: siege.run.start(siege.plugin))
        let text = result.output + result.errors
        print("siege: \(attack) as \(user ?? geteuid()): \(time), \(result.status ?? -1)")
        #expect(attack == .many ? result.status == 26 : [0, 10].contains(result.status), "\(text)")
        #expect(text.contains(" made way for q"), "\(text)")
        switch attack {
        case .many, .finish: break
        // Plugins may make neither.
        case .links, .marks:
            #expect(text.contains("none of some succeeded, some came, some went"), "\(text)")
        default: #expect(text.contains("some of some succeeded, some came, some went"), "\(text)")
        }
        #expect(time < Self.mostTime)
        try expectAgreement(siege)
    }

    @Test(arguments: users.suffix(1), Crowd.allCases)
    func aCrowdIsBorne(user: UInt32?, crowd: Crowd) throws {
        let siege = try prepare(.renames, as: user)
        let library = "\(siege.run.disk.path)/out/Library"
        let made = try siege.run.disk.start(
            "/usr/bin/python3", ["-c", crowd.script, library]
        ).wait()
        try #require(made.status == 0, "\(made.errors)")
        let (result, time) = try end(of: siege.run.start(siege.plugin))
        let text = result.output + result.errors
        print("siege: \(crowd) as \(user ?? geteuid()): \(time), \(result.status ?? -1)")
        #expect(time < Self.mostTimeInACrowd)
        guard crowd != .deepTree else {
            // Nobody can say what such a plugin writes: it runs no more.
            #expect(result.status == 26, "\(text)")
            #expect(text.contains("the container cannot be looked through"), "\(text)")
            return try expectNothingElse(siege)
        }
        #expect([0, 10].contains(result.status), "\(text)")
        #expect(text.contains(" made way for q"), "\(text)")
        try expectAgreement(siege)
        if crowd == .links { expectLinksAreThere(siege) }
    }

    private func expectLinksAreThere(_ siege: Siege) {
        let outer = "\(siege.run.disk.outerPath)/out/Library"
        #expect(FileManager.default.contents(atPath: "\(outer)/linked") == Data("linked".utf8))
        for number in stride(from: 0, to: 13, by: 2) {
            let second = String(format: "\(outer)/second-%02d", number)
            #expect(FileManager.default.contents(atPath: second) == Self.data(number), "\(second)")
        }
    }

    // MARK: - Before

    private struct Siege {
        let run: SmallDiskRun
        let canary: Canary
        let plugin: String
    }

    private static func data(_ number: Int) -> Data {
        TestData.bytes(count: 512 << 10, seed: UInt64(number + 1))
    }

    /// Two thirds of the disk are full of published files; what is wanted next is no smaller.
    private func prepare(_ attack: Attack, as user: UInt32?) throws -> Siege {
        let run = try SmallDiskRun(as: user)
        let canary = try Canary(in: run.fixture.scratch)
        let plugin = try attack.plugin(in: run.fixture, outside: canary.path)
        try want("p", 13, of: run, from: fast)
        let first = try run.start(plugin).wait()
        try #require(first.status == 0, "\(first.output)\(first.errors)")
        run.forgetWishes()
        try want("q", 12, of: run, from: slow)
        return Siege(run: run, canary: canary, plugin: plugin)
    }

    private func want(
        _ letter: String, _ count: Int, of run: SmallDiskRun, from server: NginxServer
    ) throws {
        for number in 0..<count {
            let name = String(format: "\(letter)%02d", number)
            let data = Self.data(number)
            try server.serve(name, data)
            try run.want(name, data, size: data.count, url: "\(server.base)/\(name)")
        }
    }

    // MARK: - Afterwards

    /// The host's own time on the processors, and what came of it.
    private func end(of run: ProgramRun) throws -> (result: ProgramResult, time: Duration) {
        let hasEnded = eventually(within: .seconds(100)) {
            ProcessAudit.status("State", of: run.pid).hasPrefix("Z")
        }
        #expect(hasEnded, "it does not end")
        let ticks = ProcessAudit.ticks(of: run.pid)
        let second = max(1, sysconf(Int32(_SC_CLK_TCK)))
        return (try run.wait(), .milliseconds(1_000 * ticks / second))
    }

    private func expectAgreement(_ siege: Siege) throws {
        let run = siege.run
        run.forgetWishes()
        let next = try run.start(run.fixture.plugin("HelloDownload")).wait()
        #expect(next.status == 0, "\(next.output)\(next.errors)")
        let compared = try run.disk.start(
            "/usr/bin/python3",
            ["-c", Self.compare, run.fixture.state, "\(run.disk.path)/out"]
        ).wait()
        #expect(compared.output == "0 0 []\n", "\(compared.output)\(compared.errors)")

        try expectNothingElse(siege)
        try want("r", 1, of: run, from: fast)
        let last = try run.start(run.fixture.plugin("HelloDownload")).wait()
        #expect(last.status == 0, "\(last.output)\(last.errors)")
        let fetched = FileManager.default.contents(atPath: "\(run.downloads)/r00")
        #expect(fetched == Self.data(0))
    }

    /// No process is left, nothing is touched, and the commands work.
    private func expectNothingElse(_ siege: Siege) throws {
        let run = siege.run
        run.fixture.expectNoProcess()
        let show = try run.start("storage", ["show", "--json"]).wait()
        #expect(show.status == 0, "\(show.errors)")
        try SchemaCheck.expectValid(show.output, against: "storage-1.json")
        let purge = try run.start("storage", ["purge"]).wait()
        #expect(purge.status == 0, "\(purge.output)\(purge.errors)")
        // Looking at it reads it: once.
        #expect(siege.canary.changes == [])
    }
}
