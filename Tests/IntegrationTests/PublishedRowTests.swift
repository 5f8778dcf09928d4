import Foundation
import LinuxSystem
import Testing
import TestSupport

/// The row of a published file says what lies on the disk.
@Suite struct PublishedRowTests {
    /// Prints how many rows there are, how many files of the container have the stamp of one, and the
    /// state of the download.
    private static let compare = """
        import os, sqlite3, sys
        base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
        rows = set(base.execute(
            "SELECT device, inode, sizeBytes, modifiedNanoseconds FROM publishedFiles"
            " WHERE container = ?", (sys.argv[2],)))
        files = [os.lstat(os.path.join(folder, name))
                 for folder, _, names in os.walk(sys.argv[2]) for name in names]
        stamps = {(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in files}
        state, = base.execute("SELECT state FROM downloads").fetchone()
        print(len(rows), len(rows & stamps), state)
        """

    /// Leaves the database as a host does that is killed between the rename and the commit.
    private static let unfinish = """
        import os, sqlite3, sys
        base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
        base.execute("DELETE FROM publishedFiles")
        base.execute("UPDATE downloads SET state = 'downloading', isDelivered = 0,"
                     " finishedPath = NULL, resultSha256 = NULL")
        base.commit()
        """

    private func python(_ script: String, _ fixture: RunFixture) throws -> String {
        let result = try runProgram(
            "/usr/bin/python3", ["-c", script, fixture.state, fixture.output])
        #expect(result.status == 0, "\(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func itHasTheStampOfTheFileAlsoWhenTheNextHostHasToFindIt() throws {
        let fixture = try published()
        _ = try python(Self.unfinish, fixture)
        #expect(try python(Self.compare, fixture) == "0 0 downloading")
        try runOnceMore(fixture)
        // Where nothing keeps marks, nobody can tell that it is the host's.
        let isKnown = try ConfinedFolder("\(fixture.output)/Downloads").keepsMarks
        #expect(try python(Self.compare, fixture) == (isKnown ? "1 1 finished" : "0 0 finished"))
    }

    /// The app goes on when the host is killed, and no hash was agreed.
    @Test func whatTheAppHasEditedMeanwhileIsItsOwn() throws {
        let fixture = try published()
        _ = try python(Self.unfinish, fixture)
        let edit = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
            base.execute("UPDATE downloads SET sha256 = NULL")
            base.commit()
            with open(sys.argv[2] + "/Downloads/hello", "r+b") as file:
                file.write(b"mine")
            """
        _ = try python(edit, fixture)
        try runOnceMore(fixture)
        #expect(try python(Self.compare, fixture) == "0 0 finished")
        let file = FileManager.default.contents(atPath: "\(fixture.output)/Downloads/hello")
        #expect(file?.prefix(4) == Data("mine".utf8) && file?.count == 300_000)
    }

    /// It is what was agreed, but not the host's.
    @Test func whatTheAppHasPutThereItselfIsItsOwn() throws {
        let fixture = try published()
        _ = try python(Self.unfinish, fixture)
        let copy = """
            import os, sys
            name = sys.argv[2] + "/Downloads/hello"
            with open(name, "rb") as old, open(name + ".new", "wb") as new:
                new.write(old.read())
            os.rename(name + ".new", name)
            """
        _ = try python(copy, fixture)
        try runOnceMore(fixture)
        #expect(try python(Self.compare, fixture) == "0 0 finished")
    }

    /// A run that has published one file.
    private func published() throws -> RunFixture {
        let server = try NginxServer()
        let fixture = try RunFixture()
        let data = TestData.bytes(count: 300_000, seed: 1)
        try server.serve("hello", data)
        let line = "hello \(data.count) \(try TestData.sha256(data)) \(server.base)/hello\n"
        let manifest = try fixture.scratch.write("manifest", line)
        let options = ["--manifest", manifest] + DownloadTests.network
        #expect(try fixture.run(fixture.plugin("HelloDownload"), options).status == 0)
        #expect(try python(Self.compare, fixture) == "1 1 finished")
        return fixture
    }

    /// Runs a plugin that asks for nothing: what is finished then, this host has found.
    private func runOnceMore(_ fixture: RunFixture) throws {
        let idle = try fixture.compile(
            "idle",
            """
            #include <bahost/bahost.h>
            BAHOST_PLUGIN("idle", "1.0");
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
            {
                (void)host, (void)request;
                return 0;
            }
            """)
        let options = ["--manifest", "\(fixture.scratch.path)/manifest"] + DownloadTests.network
        let result = try fixture.run(idle, options)
        #expect(result.status == 0, "\(result.errors)")
        let note = "was whole when the last run ended"
        #expect(result.errors.contains(note) || result.output.contains(note))
    }
}
