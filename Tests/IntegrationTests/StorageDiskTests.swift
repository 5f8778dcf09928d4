import FaultServer
import Foundation
import Glibc
import Testing
import TestSupport

/// Files that make way on a container's full disk of 10 MiB.
@Suite(.enabled(if: SmallFileSystem.refusal == nil, "no small file system here"))
struct StorageDiskTests {
    private let server: NginxServer

    init() throws {
        server = try NginxServer()
    }

    private func want(_ names: [String], kibibytes: Int, of run: SmallDiskRun) throws {
        for name in names {
            let data = TestData.bytes(
                count: kibibytes << 10, seed: UInt64(name.utf8.first ?? 0))
            try server.serve(name, data)
            try run.want(name, data, size: data.count, url: "\(server.base)/\(name)")
        }
    }

    private func pin(_ name: String, in run: SmallDiskRun) throws {
        let script = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
            base.execute("UPDATE publishedFiles SET isPinned = 1 WHERE identifier = ?",
                         (sys.argv[2],))
            base.commit()
            """
        let result = try runProgram("/usr/bin/python3", ["-c", script, run.fixture.state, name])
        #expect(result.status == 0, "\(result.errors)")
    }

    /// Has all files be published and used two days ago, and one be used after that.
    private func age(used name: String, in run: SmallDiskRun) throws {
        let script = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
            base.execute("UPDATE publishedFiles SET lastUsed = lastUsed - 172800")
            base.commit()
            """
        let result = try runProgram("/usr/bin/python3", ["-c", script, run.fixture.state])
        #expect(result.status == 0, "\(result.errors)")
        let touch = try run.disk.start(
            "/bin/sh",
            [
                "-c", "touch -a -d '2 days ago' \"$1\"/* && touch -a -d '1 day ago' \"$1/$2\"",
                "sh", "\(run.disk.path)/out/Downloads", name,
            ]
        ).wait()
        #expect(touch.status == 0, "\(touch.errors)")
    }

    /// Has a file read under a shared lock until the program is ended.
    private func read(_ name: String, in run: SmallDiskRun) throws -> ProgramRun {
        let reader = try run.disk.start(
            "/bin/sh",
            [
                "-c", "exec 9<\"$1\" && flock -s 9 && echo ready && exec sleep 900", "sh",
                "\(run.disk.path)/out/Downloads/\(name)",
            ])
        #expect(eventually { reader.outputSoFar == "ready\n" }, "\(reader.errorsSoFar)")
        return reader
    }

    @Test(arguments: users) func theLongestUnusedMakesWayAndDownloadsFinish(
        user: UInt32?
    ) throws {
        let run = try SmallDiskRun(as: user)
        try want(["a", "b", "c", "d"], kibibytes: 1_792, of: run)
        #expect(try run.run().status == 0)
        #expect(run.published == ["a", "b", "c", "d"])
        try pin("b", in: run)
        let reader = try read("c", in: run)
        try age(used: "a", in: run)

        // 1 MiB is wanting: b is pinned, c is read, a was used later than d.
        run.forgetWishes()
        try want(["e"], kibibytes: 3 << 10, of: run)
        let second = try run.run()
        #expect(second.status == 0, "\(second.errors)")
        #expect(run.published == ["a", "b", "c", "e"])
        #expect(
            (second.output + second.errors).contains("1 file, 1.7 MiB, made way for e"),
            "\(second.output)\(second.errors)")

        reader.signal(SIGKILL)
        _ = try reader.wait()
        run.forgetWishes()
        try want(["f"], kibibytes: 2_304, of: run)
        #expect(try run.run().status == 0)
        #expect(run.published == ["a", "b", "e", "f"])
        let digests = try run.digests()
        #expect(digests["f"] == run.wanted["f"])
    }

    @Test func whatWouldNotBeEnoughStays() throws {
        let run = try SmallDiskRun(as: nil)
        try want(["a", "b"], kibibytes: 1_792, of: run)
        #expect(try run.run().status == 0)
        run.forgetWishes()
        try want(["c"], kibibytes: 11 << 10, of: run)
        let second = try run.run()
        #expect(second.status == 10)
        #expect((second.output + second.errors).contains("c waits: the download needs 11.0 MiB"))
        #expect(run.published == ["a", "b"])
    }

    /// Its size is told by nobody: what is on the disk makes way once the disk is full.
    @Test func aFullDiskIsMetWithWhatMayGo() throws {
        let run = try SmallDiskRun(as: nil)
        try want(["a", "b", "c"], kibibytes: 2_560, of: run)
        #expect(try run.run().status == 0)
        run.forgetWishes()
        let data = TestData.bytes(count: 6 << 20, seed: 77)
        let faulty = try FaultServer(routes: [:])
        let content = FaultContent(Array(data))
        faulty.setRoute("/open", .sequence([.chunked(content), .honest(content)]))
        try run.want("open", data, size: 0, url: faulty.url("/open"))
        let second = try run.run()
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        #expect(try run.digests()["open"] == run.wanted["open"])
        // Two are enough, whichever was published first.
        #expect(run.published.count == 2, "\(second.output)\(second.errors)")
    }

    /// SQLite cannot open there, nor the run copy its manifest, unless something is kept back.
    @Test(arguments: users) func aFullDiskWithTheStateOnItIsRelieved(user: UInt32?) throws {
        let run = try SmallDiskRun(as: user, hasStateOnDisk: true)
        try want(["a", "b", "c"], kibibytes: 1_792, of: run)
        let first = try run.run()
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        try run.fill()
        #expect(try run.freeBytes == 0)
        let purge = try run.storage("purge", "--until", "1M")
        #expect(purge.status == 0, "\(purge.errors)")
        #expect(purge.output.contains("1 file, 1.7 MiB, taken back"), "\(purge.output)")
        #expect(run.published.count == 2)
        try run.fill()
        run.forgetWishes()
        try want(["d"], kibibytes: 512, of: run)
        let second = try run.run()
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        #expect(try run.digests()["d"] == run.wanted["d"])
        #expect(run.published.count == 2)
        let show = try run.storage("show")
        #expect(show.status == 0, "\(show.errors)")
        #expect(show.output.contains("missing        0"), "\(show.output)")
    }

    /// What is found out about so many files does not fit into what is kept back.
    @Test func aFullDiskIsRelievedWhateverTheListHasToForget() throws {
        let run = try SmallDiskRun(as: nil, hasStateOnDisk: true)
        try want(["a", "b"], kibibytes: 1_792, of: run)
        #expect(try run.run().status == 0)
        let script = """
            import sqlite3, sys, uuid
            base = sqlite3.connect(sys.argv[1] + "/downloads.sqlite")
            names = [row[1] for row in base.execute("PRAGMA table_info(publishedFiles)")]
            row = dict(zip(names, base.execute("SELECT * FROM publishedFiles").fetchone()))
            for number in range(8000):
                row.update(rowID=1000 + number, uniqueIdentifier=str(uuid.uuid4()),
                           identifier="gone-%d" % number, path="Downloads/gone-%d" % number,
                           inode=1 << 40 | number)
                base.execute("INSERT INTO publishedFiles (%s) VALUES (%s)" % (
                    ",".join(names), ",".join("?" * len(names))), [row[name] for name in names])
            base.commit()
            print(base.execute("SELECT count(*) FROM publishedFiles").fetchone()[0])
            """
        let made = try run.disk.start("/usr/bin/python3", ["-c", script, run.state]).wait()
        try #require(made.output == "8002\n", "\(made.output)\(made.errors)")
        try run.fill()
        let purge = try run.storage("purge", "--until", "1M")
        #expect(purge.status == 0, "\(purge.errors)")
        #expect(run.published.count == 1)
        #expect(try run.run().status == 0)
        #expect(run.published == ["a", "b"])
    }

    /// A twentieth of 10 MiB is the threshold, a tenth what is free then.
    @Test func whereOthersHaveFilledTheDiskSpaceIsKeptFree() throws {
        let run = try SmallDiskRun(as: nil)
        try want(["a", "b"], kibibytes: 512, of: run)
        #expect(try run.run().status == 0)
        run.forgetWishes()
        try run.fill(leavingBytes: 600 << 10)
        #expect(try run.run().status == 0)
        #expect(run.published == ["a", "b"])
        try run.fill(leavingBytes: 400 << 10)
        let third = try run.run()
        #expect(third.status == 0, "\(third.errors)")
        #expect(
            (third.output + third.errors).contains("made way so that space is kept free"),
            "\(third.output)\(third.errors)")
        #expect(run.published == [])
        #expect(try run.freeBytes >= 1 << 20)
    }
}
