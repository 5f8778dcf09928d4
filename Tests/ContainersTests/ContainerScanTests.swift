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
        let scan = try ContainerScan.scan(fixture.folders)
        #expect(scan.isComplete)
        #expect(scan.use == FolderUse(bytes: 40, files: 5))
        #expect(scan.files.count == 3)
        #expect(scan.file(with: one.stamp)?.links == 2)
        let found = try #require(scan.file(with: two.stamp))
        #expect(found.path == "Library/sub/moved" && found.links == 1)
        #expect(found.accessedSeconds == 1_600_000_002)
        let other = FileStamp(device: 0, inode: 0, sizeBytes: 10, modifiedNanoseconds: 0)
        #expect(scan.file(with: other) == nil)
    }

    /// A changed file and a copy keep the word that says of which download they are.
    @Test func onlyAnUntouchedFileIsKnownByItsMark() throws {
        let fixture = try ContainerFixture()
        guard fixture.host.keepsMarks else { return }
        let line = "cp -a f copy; cp -a f changed; mv f moved; printf x >> changed; ln copy name"
        _ = try fixture.publish("f")
        let result = try runProgram(
            "/bin/sh", ["-c", line], workingFolder: "\(fixture.path)/Downloads")
        #expect(result.status == 0)
        let scan = try ContainerScan.scan(fixture.folders)
        #expect(scan.files.count == 4)
        let marked = scan.files.filter {
            ContainerScan.untouchedMark(of: $0, in: fixture.folders) == ContainerFixture.identifier
        }
        #expect(marked.map(\.path) == ["Downloads/moved"])
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
        let all = try ContainerScan.scan(fixture.folders)
        #expect(all.isComplete && all.files.count == 100_001 && all.use.files == 100_001)
        let some = try ContainerScan.scan(fixture.folders, mostEntries: 50_000)
        #expect(!some.isComplete && some.files.count == 50_000 && some.use.files == 50_000)
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
        let scan = try ContainerScan.scan(fixture.folders)
        #expect(!scan.isComplete)
        #expect(scan.use.files == 1 + 257)
        #expect(scan.file(with: kept.stamp) != nil)
        let deeper = try ContainerScan.scan(fixture.folders, mostDepth: 300)
        #expect(deeper.isComplete && deeper.use.files == 302)
        #expect(fixture.purge.take(kept) == .purged)
    }
}
