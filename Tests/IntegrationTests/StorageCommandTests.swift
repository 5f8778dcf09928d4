import Foundation
import Glibc
import Testing
import TestSupport

/// `bahost storage` after real runs, and beside one.
@Suite struct StorageCommandTests {
    private struct Listing: Decodable {
        struct Sum: Decodable, Equatable {
            let files: Int
            let bytes: Int
        }

        struct Container: Decodable {
            let purgeable: Sum
            let inUse: Sum
            let kept: Sum
            let partial: Sum
            let missing: Sum
        }

        let containers: [Container]
        let holder: Int32?
    }

    private struct Purge: Decodable {
        let files: [String]
        let bytes: Int
        let inUse: Int
        let isReached: Bool
    }

    /// Runs of a plugin, and the commands on their container.
    private struct Desk {
        let server: NginxServer
        let fixture: RunFixture

        init(as user: UInt32? = nil, rate: String = "0") throws {
            server = try NginxServer(rate: rate)
            fixture = try RunFixture(as: user)
        }

        /// Serves files and gives the lines of a manifest for them.
        func offer(_ names: [String], kibibytes: Int, word: String = "") throws -> String {
            var lines = ""
            for name in names {
                let data = TestData.bytes(
                    count: kibibytes << 10, seed: UInt64(name.utf8.last ?? 0))
                try server.serve(name, data)
                lines += "\(word)\(name) \(data.count) \(try TestData.sha256(data)) "
                lines += "\(server.base)/\(name)\n"
            }
            return lines
        }

        func options(_ lines: String) throws -> [String] {
            ["--manifest", try fixture.scratch.write("manifest", lines)] + DownloadTests.network
        }

        func run(_ plugin: String, _ lines: String) throws -> ProgramResult {
            try fixture.run(fixture.plugin(plugin), options(lines))
        }

        func storage(_ words: String...) throws -> ProgramResult {
            try fixture.runPlain(
                ["storage"] + words + ["--state", fixture.state, "--output", fixture.output])
        }

        func show() throws -> Listing {
            let result = try storage("show", "--json")
            #expect(result.status == 0, "\(result.errors)")
            try SchemaCheck.expectValid(result.output, against: "storage-1.json")
            return try JSONDecoder().decode(Listing.self, from: Data(result.output.utf8))
        }

        func purge(_ words: String...) throws -> Purge {
            let result = try fixture.runPlain(
                ["storage", "purge", "--json"] + words
                    + ["--state", fixture.state, "--output", fixture.output])
            #expect(result.status == 0, "\(result.errors)")
            try SchemaCheck.expectValid(result.output, against: "storage-1.json")
            return try JSONDecoder().decode(Purge.self, from: Data(result.output.utf8))
        }

        func setQuota(_ bytes: Int) throws {
            let done = try fixture.runPlain(["settings", "set", "quota", "\(bytes)"])
            #expect(done.status == 0, "\(done.errors)")
        }

        /// Of published files, in nanoseconds.
        var accessTimes: [Int] {
            downloads.map { name in
                var status = stat()
                guard unsafe stat("\(fixture.output)/Downloads/\(name)", &status) == 0 else {
                    return 0
                }
                return status.st_atim.tv_sec * 1_000_000_000 + status.st_atim.tv_nsec
            }
        }

        var downloads: [String] { fixture.scratch.contents(of: "out dir/Downloads") }
    }

    @Test(arguments: users) func showAndPurgeSayWhatIsThere(user: UInt32?) throws {
        let desk = try Desk(as: user)
        let lines = try desk.offer(["a", "b", "c"], kibibytes: 64)
        #expect(try desk.run("HelloDownload", lines).status == 0)
        try desk.fixture.scratch.write("out dir/Library/own", "12345")
        let held = try #require(try desk.show().containers.first)
        #expect(held.purgeable == Listing.Sum(files: 3, bytes: 3 << 16))
        #expect(held.kept == Listing.Sum(files: 1, bytes: 5))
        #expect(held.partial == Listing.Sum(files: 0, bytes: 0))
        let table = try desk.storage("show")
        #expect(table.output.contains("purgeable      3  192.0 KiB\n"), "\(table.output)")

        let plan = try desk.purge("--dry-run")
        #expect(plan.files.sorted() == ["Downloads/a", "Downloads/b", "Downloads/c"])
        #expect(desk.downloads == ["a", "b", "c"])
        #expect(try desk.purge("--until", "1").files == [])
        let done = try desk.storage("purge")
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains("3 files, 192.0 KiB, taken back; "), "\(done.output)")
        #expect(desk.downloads == [])
        #expect(try desk.show().containers.first?.purgeable.files == 0)
        let tooMuch = try desk.storage("purge", "--until", "1048576G")
        #expect(tooMuch.status == 1)
        #expect(tooMuch.errors.contains("are free, not 1024.0 TiB"))

        // What is gone is fetched again when it is asked for.
        #expect(try desk.run("HelloDownload", lines).status == 0)
        #expect(desk.downloads == ["a", "b", "c"])
        #expect(desk.server.requests.filter { $0.hasPrefix("GET /a ") }.count == 2)
    }

    @Test(arguments: users) func besideARunItIsShownAndNotPurged(user: UInt32?) throws {
        let desk = try Desk(as: user, rate: "12m")
        let lines = try desk.offer(["big"], kibibytes: 52 << 10)
        let run = try desk.fixture.start(
            desk.fixture.plugin("HelloDownload"), desk.options(lines))
        #expect(eventually(within: .seconds(60)) { desk.fixture.partialBytes > 1 << 20 })
        let listing = try desk.show()
        #expect(listing.holder == run.pid)
        #expect(listing.containers.first?.partial.files == 1)
        #expect(listing.containers.first?.partial.bytes ?? 0 > 1 << 20)
        #expect(try desk.purge("--dry-run").files == [])
        let purge = try desk.storage("purge")
        #expect(purge.status == 73)
        #expect(purge.errors.contains("in use by the host with process id \(run.pid)"))
        run.signal(SIGINT)
        #expect(try run.wait().status == 130)
    }

    @Test(arguments: users) func whatAPluginMovesStaysPurgeableAcrossRuns(user: UInt32?) throws {
        let desk = try Desk(as: user)
        let levels = try desk.offer(["level-0", "level-1"], kibibytes: 64, word: "level ")
        #expect(try desk.run("LevelPacks", levels).status == 0)
        let moved = ["Library/levels/level-0", "Library/levels/level-1"]
        #expect(try desk.purge("--dry-run").files.sorted() == moved)
        #expect(try desk.run("HelloDownload", "# nothing\n").status == 0)
        #expect(try desk.purge("--dry-run").files.sorted() == moved)
        try FileManager.default.removeItem(atPath: "\(desk.fixture.output)/\(moved[0])")
        let third = try desk.run("HelloDownload", "# nothing\n")
        #expect(third.status == 0)
        #expect(
            (third.output + third.errors).contains(
                "level-0: its file is gone, and is fetched again when it is asked for"))
        #expect(try desk.purge().files == [moved[1]])
        #expect(desk.fixture.scratch.contents(of: "out dir/Library/levels") == [])
    }

    @Test func afterALostDatabaseTheMarksTellWhatIsPurgeable() throws {
        let desk = try Desk()
        let lines = try desk.offer(["a", "b"], kibibytes: 64)
        #expect(try desk.run("HelloDownload", lines).status == 0)
        try #require(try desk.storage("show", "--json").output.contains("\"keepsMarks\":true"))
        try FileManager.default.removeItem(atPath: desk.fixture.state)
        let second = try desk.run("HelloDownload", "# nothing\n")
        #expect(second.status == 0, "\(second.errors)")
        #expect(
            (second.output + second.errors).contains(
                "the list of published files was lost: 2 files found by their marks"))
    }

    /// Their list: in another folder, in one that is gone, in none.
    @Test(arguments: users) func whoseListItIsDecides(user: UInt32?) throws {
        let desk = try Desk(as: user)
        let lines = try desk.offer(["a", "b"], kibibytes: 64)
        #expect(try desk.run("HelloDownload", lines).status == 0)
        let elsewhere = ["--state", "\(desk.fixture.scratch.path)/elsewhere"]
        let place = ["--output", desk.fixture.output] + elsewhere
        let other = try desk.fixture.runPlain(["storage", "show"] + place)
        #expect(other.status == 0, "\(other.errors)")
        #expect(
            other.output.contains(
                "2 files, 128.0 KiB, among the kept, were published and may be on the list in "
                    + desk.fixture.state), "\(other.output)")
        let foreign = try desk.fixture.runPlain(["storage", "purge"] + place)
        #expect(foreign.status == 0, "\(foreign.errors)")
        #expect(foreign.errors.contains("what is on it is not taken back here"))
        #expect(desk.downloads == ["a", "b"])
        #expect(!FileManager.default.fileExists(atPath: elsewhere[1]))

        try FileManager.default.removeItem(atPath: desk.fixture.state)
        let lost = try desk.storage("show")
        #expect(lost.status == 0, "\(lost.errors)")
        #expect(lost.output.contains("were published and are on no list here"))
        #expect(try desk.purge("--dry-run").files == [])
        let done = try desk.storage("purge")
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.errors.contains("2 files found by their marks"), "\(done.errors)")
        #expect(desk.downloads == [])
    }

    @Test(arguments: users) func whatIsDamagedIsFoundAndFetchedAgain(user: UInt32?) throws {
        let desk = try Desk(as: user)
        let lines = try desk.offer(["a", "b", "c"], kibibytes: 64)
        #expect(try desk.run("HelloDownload", lines).status == 0)
        // A disk's fault: other bytes, and nothing says so.
        let script = """
            import os, sys
            path = sys.argv[1]
            facts = os.stat(path)
            with open(path, "r+b") as file:
                file.seek(1000)
                byte = file.read(1)
                file.seek(1000)
                file.write(bytes([byte[0] ^ 1]))
            os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            """
        let hurt = try runProgram(
            "/usr/bin/python3", ["-c", script, "\(desk.fixture.output)/Downloads/b"])
        #expect(hurt.status == 0, "\(hurt.errors)")
        #expect(try desk.show().containers.first?.purgeable.files == 3)
        let before = desk.accessTimes
        #expect(try desk.purge("--damaged", "--dry-run").files == ["Downloads/b"])
        #expect(desk.accessTimes == before)
        #expect(desk.downloads == ["a", "b", "c"])
        #expect(try desk.purge("--damaged").files == ["Downloads/b"])
        #expect(desk.downloads == ["a", "c"])
        #expect(try desk.purge("--damaged").files == [])
        #expect(try desk.run("HelloDownload", lines).status == 0)
        #expect(desk.downloads == ["a", "b", "c"])
        #expect(try desk.purge("--damaged", "--dry-run").files == [])
    }

    /// The container and its folders would be root's afterwards, and the user's runs fail.
    @Test(.enabled(if: OrdinaryUser.isRoot, "for root")) func rootTakesNoUsersContainer() throws {
        let desk = try Desk(as: 65_534)
        let lines = try desk.offer(["a"], kibibytes: 64)
        #expect(try desk.run("HelloDownload", lines).status == 0)
        let root = try RunFixture()
        for words in [["storage", "purge"], ["run", "--plugin", root.plugin("HelloDownload")]] {
            let result = try root.runPlain(
                words + ["--output", desk.fixture.output, "--state", "\(root.scratch.path)/s"])
            #expect(result.status == 73)
            let sentence = "it is the user's with the id 65534"
            #expect(result.errors.contains(sentence), "\(result.errors)")
        }
        #expect(try desk.run("HelloDownload", lines).status == 0)
        #expect(desk.downloads == ["a"])
    }

    @Test func whatIsMissingIsShown() throws {
        let desk = try Desk()
        let lines = try desk.offer(["a", "b"], kibibytes: 64)
        #expect(try desk.run("HelloDownload", lines).status == 0)
        try FileManager.default.removeItem(atPath: "\(desk.fixture.output)/Downloads/a")
        let held = try #require(try desk.show().containers.first)
        #expect(held.missing == Listing.Sum(files: 1, bytes: 1 << 16))
        #expect(held.purgeable == Listing.Sum(files: 1, bytes: 1 << 16))
    }

    @Test func aQuotaBoundsWhatIsKept() throws {
        let desk = try Desk()
        // What lies where plugins can write, and partial files.
        try desk.setQuota(5 << 20 | 64 << 10)
        let first = try desk.run(
            "HelloDownload", try desk.offer(["a", "b", "c"], kibibytes: 2 << 10))
        #expect(first.status == 10)
        let text = first.output + first.errors
        #expect(desk.downloads == ["a", "b"], "\(text)")
        #expect(text.contains("are left of the group's quota of 5.0 MiB"), "\(text)")
        // c goes on and d is new: both files of the first run make way.
        let second = try desk.run("HelloDownload", try desk.offer(["d"], kibibytes: 3 << 10))
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        #expect(desk.downloads == ["c", "d"])
    }

    @Test func aQuotaBoundsWhatAPluginWrites() throws {
        let desk = try Desk()
        try desk.setQuota(4 << 20)
        let writer = try desk.fixture.compile(
            "writer",
            """
            #include <bahost/bahost.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <unistd.h>
            BAHOST_PLUGIN("Writer", "1.0");
            static char block[65536];
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
            {
                char path[4096];
                snprintf(path, sizeof path, "%s/Library/data", getenv("HOME"));
                FILE *file = fopen(path, "we");
                for (int i = 0; file != NULL && i < 96; i++)
                    fwrite(block, sizeof block, 1, file);
                if (file == NULL || fclose(file) != 0)
                    return -5;
                sleep(20);
                return 0;
            }
            """, ["-fvisibility=hidden", "-Wl,-z,now", "-Wl,-z,noexecstack"])
        let result = try desk.fixture.start(writer, ["--json"]).wait()
        let record = try Record(of: result)
        #expect(record.result == "file_limit", "\(record.detail ?? "") \(result.errors)")
        #expect(record.detail?.contains("the group's quota of 4,194,304 bytes") == true)
    }

    @Test func whatIsNoContainerIsNamed() throws {
        let fixture = try RunFixture()
        for words in [["show"], ["purge"], ["purge", "--dry-run"]] {
            let result = try fixture.runPlain(["storage"] + words + ["--output", "none"])
            #expect(result.status == 66)
            #expect(result.errors.contains("none: it is no container of bahost's"))
        }
        #expect(!FileManager.default.fileExists(atPath: "\(fixture.scratch.path)/none"))
    }
}
