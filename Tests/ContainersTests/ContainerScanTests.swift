import Containers
import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct ContainerScanTests {
    @Test func filesAreFoundByTheirStampsWhereverTheyLie() throws {
        let fixture = try ContainerFixture()
        let one = try fixture.publish("one", bytes: 10, seed: 1)
        let two = try fixture.publish("two", bytes: 20, seed: 2)
        #expect(unsafe mkdir("\(fixture.path)/Library/sub", 0o700) == 0)
        let moved = "\(fixture.path)/Library/sub/moved"
        #expect(unsafe rename(fixture.whole("two"), moved) == 0)
        #expect(unsafe link(fixture.whole("one"), "\(fixture.path)/tmp/link") == 0)
        #expect(unsafe symlink(fixture.whole("one"), fixture.whole("symbolic")) == 0)
        let other = try fixture.publish("other", bytes: 30, seed: 3)
        let scan = try ContainerScan.scan(fixture.folders, wanted: [one.stamp, two.stamp])
        #expect(scan.isComplete)
        #expect(scan.use == FolderUse(bytes: 70, files: 6))
        #expect(scan.regularFiles == 4)
        #expect(scan.file(with: one.stamp)?.links == 2)
        let found = try #require(scan.file(with: two.stamp))
        #expect(found.path == "Library/sub/moved" && found.links == 1)
        #expect(found.accessedSeconds == 1_600_000_002)
        #expect(scan.file(with: other.stamp) == nil)
        let wanted = try ContainerScan.scan(fixture.folders, wanted: [other.stamp])
        #expect(wanted.file(with: other.stamp)?.path == "Downloads/other")
        let none = FileStamp(device: 0, inode: 0, sizeBytes: 10, modifiedNanoseconds: 0)
        #expect(try ContainerScan.scan(fixture.folders, wanted: [none]).file(with: none) == nil)
    }

    /// A file may lie behind names that take the slash, and is the host's to take all the same.
    @Test func aFileIsFoundBehindAnyName() throws {
        let fixture = try ContainerFixture()
        for name in ["\u{301}f", "e\u{301}/f", "\u{e9}/f", "d\u{600}/\u{301}f"] {
            let candidate = try fixture.publish()
            let folder = Paths.folder(of: fixture.whole(name))
            #expect(unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST)
            #expect(unsafe rename(fixture.whole("f"), fixture.whole(name)) == 0)
            let scan = try ContainerScan.scan(fixture.folders, wanted: [candidate.stamp])
            let found = try #require(scan.file(with: candidate.stamp))
            #expect(found.path.utf8.elementsEqual("Downloads/\(name)".utf8))
            let moved = fixture.candidate(name, candidate.stamp)
            #expect(fixture.purge.take(moved) == .purged)
            try fixture.purge.sync([moved])
        }
        #expect(try fixture.files() == [])
    }

    /// A changed file and a copy keep the word that says of which download they are.
    @Test(.enabled(if: ContainerFixture.keepsMarks, "no attributes on the file system of /tmp"))
    func onlyAnUntouchedFileIsKnownByItsMark() throws {
        let fixture = try ContainerFixture()
        let line = "cp -a f copy; cp -a f changed; mv f moved; printf x >> changed; ln copy name"
        _ = try fixture.publish("f")
        let result = try runProgram(
            "/bin/sh", ["-c", line], workingFolder: "\(fixture.path)/Downloads")
        #expect(result.status == 0)
        #expect(try ContainerScan.scan(fixture.folders, wanted: []).regularFiles == 4)
        let (marked, isComplete) = try fixture.untouched()
        #expect(isComplete && marked.map(\.path) == ["Downloads/moved"])
        for name in ["copy", "changed", "moved"] {
            #expect(try fixture.downloads.mark(of: name) == ContainerFixture.identifier)
        }
    }

    @Test func aHundredThousandFilesAreBounded() throws {
        let fixture = try ContainerFixture()
        let kept = try fixture.publish("f")
        let made = try runProgram(
            "/bin/sh", ["-c", "seq 100000 | xargs touch"], workingFolder: "\(fixture.path)/tmp")
        #expect(made.status == 0)
        let wanted: Set = [kept.stamp]
        let all = try ContainerScan.scan(fixture.folders, wanted: wanted)
        #expect(all.isComplete && all.regularFiles == 100_001 && all.use.files == 100_001)
        let some = try ContainerScan.scan(fixture.folders, wanted: wanted, mostEntries: 50_000)
        #expect(!some.isComplete && some.regularFiles == 50_000 && some.use.files == 50_000)
        #expect(some.file(with: kept.stamp)?.path == "Downloads/f")
    }

    @Test func deepFoldersAreBounded() throws {
        let fixture = try ContainerFixture()
        let line = """
            for name in $(seq 300); do mkdir d && cd -P ./d || exit 1; done; touch deepest
            """
        let made = try runProgram(
            "/bin/bash", ["-c", line], workingFolder: "\(fixture.path)/Library")
        #expect(made.status == 0, "\(made.errors)")
        let kept = try fixture.publish("f")
        let wanted: Set = [kept.stamp]
        let scan = try ContainerScan.scan(fixture.folders, wanted: wanted)
        #expect(!scan.isComplete)
        #expect(scan.use.files == 1 + 257)
        #expect(scan.file(with: kept.stamp) != nil)
        let deeper = try ContainerScan.scan(fixture.folders, wanted: wanted, mostDepth: 300)
        #expect(deeper.isComplete && deeper.use.files == 302)
        #expect(fixture.purge.take(kept) == .purged)
    }
}
