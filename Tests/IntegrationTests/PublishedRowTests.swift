import Foundation
import Testing
import TestSupport

/// The row of a published file says what lies on the disk.
@Suite struct PublishedRowTests {
    /// Prints how many rows there are, and how many files of the container have the stamp of one.
    private static let compare = """
        import os, sqlite3, sys
        base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
        rows = set(base.execute(
            "SELECT device, inode, sizeBytes, modifiedNanoseconds FROM publishedFiles"
            " WHERE container = ?", (sys.argv[2],)))
        files = [os.lstat(os.path.join(folder, name))
                 for folder, _, names in os.walk(sys.argv[2]) for name in names]
        stamps = {(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for s in files}
        print(len(rows), len(rows & stamps))
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
        let server = try NginxServer()
        let fixture = try RunFixture()
        let data = TestData.bytes(count: 300_000, seed: 1)
        try server.serve("hello", data)
        let line = "hello \(data.count) \(try TestData.sha256(data)) \(server.base)/hello\n"
        let manifest = try fixture.scratch.write("manifest", line)
        let options = ["--manifest", manifest] + DownloadTests.network
        #expect(try fixture.run(fixture.plugin("HelloDownload"), options).status == 0)
        #expect(try python(Self.compare, fixture) == "1 1")

        _ = try python(Self.unfinish, fixture)
        #expect(try python(Self.compare, fixture) == "0 0")
        // One that asks for nothing: what is there then, this host has found.
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
        let second = try fixture.run(idle, options)
        #expect(second.status == 0, "\(second.errors)")
        let note = "was whole when the last run ended"
        #expect(second.errors.contains(note) || second.output.contains(note))
        #expect(try python(Self.compare, fixture) == "1 1")
    }
}
