import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct ConfinedFolderWalkTests {
    private let hostile: HostileFolder

    init() throws {
        hostile = try HostileFolder(.init(canResolve: true))
    }

    /// What a walk has seen, sorted, and whether that was all.
    private func walk(
        mostEntries: UInt64 = 1_000, mostDepth: Int = 256
    ) throws -> (paths: [String?], isWhole: Bool) {
        var paths: [String?] = []
        let isWhole = try hostile.folder.walk(
            mostEntries: mostEntries, mostDepth: mostDepth
        ) { path, _ in paths.append(path) }
        return (paths.sorted { ($0 ?? "") < ($1 ?? "") }, isWhole)
    }

    @Test func everythingIsSeenAndNoLinkIsFollowed() throws {
        #expect(unsafe mkdir("\(hostile.inside)/a", 0o700) == 0)
        #expect(unsafe mkdir("\(hostile.inside)/a/b", 0o700) == 0)
        try hostile.scratch.write("in/a/b/file", "text")
        hostile.link("link", to: "../outside")
        var seen: [String: EntryStatus] = [:]
        let isWhole = try hostile.folder.walk(mostEntries: 5, mostDepth: 2) { path, status in
            if let path { seen[path] = status }
        }
        #expect(isWhole)
        #expect(seen.keys.sorted() == ["a", "a/b", "a/b/file", "link"])
        #expect(seen["a/b/file"] == (try hostile.folder.status("a/b/file")))
        #expect(seen["link"]?.kind == .link && seen["a"]?.kind == .folder)
    }

    @Test func itStopsAtItsBounds() throws {
        for name in ["a", "b", "c"] { try hostile.scratch.write("in/\(name)", "x") }
        #expect(try walk(mostEntries: 3).isWhole)
        let few = try walk(mostEntries: 2)
        #expect(few.paths.count == 2 && !few.isWhole)
        #expect(unsafe mkdir("\(hostile.inside)/d", 0o700) == 0)
        try hostile.scratch.write("in/d/x", "x")
        #expect(try walk(mostDepth: 1).isWhole)
        let flat = try walk(mostDepth: 0)
        #expect(flat.paths == ["a", "b", "c", "d"] && !flat.isWhole)
    }

    @Test func whatNoPathLeadsToIsSeenWithoutOne() throws {
        let bad: [CChar] = Array("\(hostile.inside)/".utf8.map { CChar($0) }) + [-1, 0]
        #expect(unsafe mkdir(bad, 0o700) == 0)
        try FileManager.default.createDirectory(
            atPath: "\(hostile.inside)/\(path(of: 1020))", withIntermediateDirectories: true)
        let longest = path(of: 1020)
        for name in ["123", "1234"] { try hostile.scratch.write("in/\(longest)/\(name)", "x") }
        let found = try walk()
        #expect(found.isWhole)
        #expect(found.paths.filter { $0 == nil }.count == 2)
        #expect(found.paths.contains("\(longest)/123"))
        #expect("\(longest)/123".utf8.count == 1024)
        #expect(try hostile.folder.status("\(longest)/123")?.size == 1)
    }

    /// What is mounted there is somebody else's: it is seen and not gone into.
    @Test(
        .enabled(
            if: OrdinaryUser.isRoot && SmallFileSystem.refusal == nil,
            "only root mounts one file system in another here"))
    func otherMountsAreNotGoneInto() throws {
        let disk = try SmallFileSystem(mebibytes: 1)
        let line = "cd \"$1\" && mkdir a b && mount -t tmpfs none a && touch a/x b/y"
        let made = try disk.start("/bin/sh", ["-c", line, "sh", disk.path]).wait()
        #expect(made.status == 0, "\(made.errors)")
        let folder = try ConfinedFolder(disk.outerPath)
        var paths: [String?] = []
        let isWhole = try folder.walk(mostEntries: 9, mostDepth: 9) { path, _ in
            paths.append(path)
        }
        #expect(isWhole)
        #expect(paths.compactMap(\.self).sorted() == ["a", "b", "b/y"] && paths.count == 3)
        // What is measured is all that takes space.
        #expect(FolderUse.measure([folder], mostFiles: 9)?.files == 4)
    }

    private func path(of bytes: Int) -> String {
        let whole = Array(repeating: String(repeating: "n", count: 203), count: 5)
        let path = whole.joined(separator: "/")
        return path + String(repeating: "n", count: bytes - path.utf8.count)
    }

    /// Bounded by counts however fast a plugin makes new names.
    @Test func itEndsWhileNamesComeAndGo() throws {
        let inside = hostile.inside
        let rival = Rival {
            for number in 0..<40 {
                let (file, folder) = ("\(inside)/f\(number)", "\(inside)/d\(number)")
                close(unsafe open(file, O_WRONLY | O_CREAT, 0o600))
                unsafe mkdir(folder, 0o700)
                unsafe rename(file, "\(folder)/f")
                unsafe unlink("\(folder)/f")
                unsafe rmdir(folder)
            }
        }
        rival.waitForStart()
        for _ in 0..<200 {
            #expect(try walk(mostEntries: 100).paths.count <= 100)
        }
        #expect(rival.end() > 0)
        #expect(try hostile.isOutsideUntouched())
    }
}
