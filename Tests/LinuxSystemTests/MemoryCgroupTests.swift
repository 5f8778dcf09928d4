import Foundation
import LinuxSystem
import Testing

/// Real ones, where this machine lets us make them.
@Suite(.serialized, .enabled(if: (try? CgroupPlace.find()) != nil))
struct MemoryCgroupTests {
    private func text(_ group: MemoryCgroup, _ names: [String]) throws -> String {
        let present = names.map { "\(group.folder)/\($0)" }
            .first { FileManager.default.fileExists(atPath: $0) }
        return try String(contentsOfFile: try #require(present), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func start(_ script: String, _ group: MemoryCgroup) throws -> ChildProcess {
        try ChildProcess(
            path: "/bin/sh", arguments: ["-c", script], environment: ["PATH=/usr/bin:/bin"],
            descriptors: [nil, nil, nil], namespaces: [], cgroup: group)
    }

    @Test func theLimitIsTheKernels() throws {
        let group = try MemoryCgroup.make(in: CgroupPlace.find())
        defer { #expect(group.remove()) }
        let files = ["memory.limit_in_bytes", "memory.max"]
        for bytes in [16 << 20, 64 << 20, 32 << 20] as [UInt64] {
            try group.setLimit(bytes)
            #expect(try text(group, files) == "\(bytes)")
            #expect(group.limitBytes == bytes)
        }
        try group.setLimit(.max)
        let unlimited = try text(group, files)
        #expect(unlimited == "max" || (UInt64(unlimited) ?? 0) > 1 << 60)
    }

    @Test func aProgramRunsInIt() throws {
        let group = try MemoryCgroup.make(in: CgroupPlace.find())
        var child = try start("exec sleep 100", group)
        #expect(try text(group, ["cgroup.procs"]) == "\(child.pid)")
        #expect(!group.remove())
        #expect((group.heldBytes ?? 0) > 0)
        child.kill()
        _ = try child.waitForEnd()
        #expect(group.remove())
        #expect(!FileManager.default.fileExists(atPath: group.folder))
        #expect(group.remove())
    }

    @Test func theNamesAreDistinctAndOurs() throws {
        let place = try CgroupPlace.find()
        let groups = try (0..<3).map { _ in try MemoryCgroup.make(in: place) }
        defer { for group in groups { #expect(group.remove()) } }
        #expect(Set(groups.map(\.folder)).count == 3)
        for group in groups {
            let name = String(group.folder.split(separator: "/").last ?? "")
            #expect(MemoryCgroup.host(of: name) == getpid())
        }
    }

    /// At most 256 MiB, of which the cgroup gives 16: outside it would end well.
    @Test func whoAsksForMoreIsKilledAndCounted() throws {
        let group = try MemoryCgroup.make(in: CgroupPlace.find())
        defer { #expect(group.remove()) }
        try group.setLimit(16 << 20)
        #expect(group.kills == 0)
        var child = try start("exec dd if=/dev/zero of=/dev/null bs=268435456 count=1", group)
        #expect(try child.waitForEnd().signal == SIGKILL)
        #expect(group.kills == 1)
    }

    @Test func aSweepRemovesOnlyEmptyOnesOfDeadHosts() throws {
        let place = try CgroupPlace.find()
        var dead = try ChildProcess(
            path: "/bin/true", arguments: [], environment: [], descriptors: [nil])
        _ = try dead.waitForEnd()
        let left = "\(place.folder)/bahost-\(dead.pid)-1"
        let foreign = "\(place.folder)/bahost-test-\(dead.pid)"
        for folder in [left, foreign] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
        }
        defer { for folder in [left, foreign] { unsafe rmdir(folder) } }
        let living = try MemoryCgroup.make(in: place)
        defer { #expect(living.remove()) }
        MemoryCgroup.sweep(place)
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: foreign))
        #expect(FileManager.default.fileExists(atPath: living.folder))
    }
}

struct MemoryCgroupTextTests {
    @Test(
        arguments: [
            ("bahost-12-3", 12), ("bahost-1-1", 1), ("bahost--1", nil), ("bahost-1", nil),
            ("bahost-1-1-1", nil), ("bahost-01-1", nil), ("bahost-+1-1", nil),
            ("bahost-0-1", nil), ("bahost-1-0", nil), ("xbahost-1-1", nil), ("bahost-1-x", nil),
            ("bahost-2147483648-1", nil), ("", nil),
        ] as [(String, Int32?)])
    func onlyOurNamesHaveAHost(name: String, host: Int32?) {
        #expect(MemoryCgroup.host(of: name) == host)
    }

    @Test(
        arguments: [
            ("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n", 3),
            ("low 0\nhigh 0\nmax 21\noom 1\noom_kill 1\noom_group_kill 0\n", 1),
            ("oom_kill_disable 0\nunder_oom 0\n", nil), ("", nil), ("oom_kill", nil),
            ("oom_kill x", nil), ("oom_kill -1", nil),
        ] as [(String, UInt64?)])
    func killsAreCountedInTheKernelsText(text: String, kills: UInt64?) {
        #expect(MemoryCgroup.value(of: "oom_kill", in: text) == kills)
    }
}
