import Foundation
import Glibc
import HostEngine
import LinuxSystem
import Testing
import TestSupport

@Suite struct GroupContainerTests {
    @Test func makesItsFoldersAndTakesThemBackWhenUnused() throws {
        let scratch = try ScratchFolder()
        var container = try GroupContainer(path: "\(scratch.path)/a/b", owner: nil)
        #expect(
            scratch.contents(of: "a/b") == [
                ".bahost", "CACHEDIR.TAG", "Downloads", "Library", "tmp",
            ])
        container.removeIfUnused()
        #expect(scratch.contents(of: "") == [])
    }

    @Test func keepsAContainerThatIsUsed() throws {
        let scratch = try ScratchFolder()
        var container = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        try scratch.write("a/Library/mine", "x")
        container.removeIfUnused()
        #expect(scratch.contents(of: "a/Library") == ["mine"])
    }

    @Test func refusesALinkInThePlaceOfAFolder() throws {
        let scratch = try ScratchFolder()
        do {
            _ = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        }
        unsafe rmdir("\(scratch.path)/a/Downloads")
        #expect(unsafe symlink("/tmp", "\(scratch.path)/a/Downloads") == 0)
        #expect(throws: RunError.self) {
            _ = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        }
    }

    @Test func opensAFolderThatAPluginHasClosed() throws {
        let scratch = try ScratchFolder()
        do {
            _ = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        }
        #expect(unsafe chmod("\(scratch.path)/a/Downloads", 0) == 0)
        _ = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        var status = stat()
        #expect(unsafe stat("\(scratch.path)/a/Downloads", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func oneRunAtATime() throws {
        let scratch = try ScratchFolder()
        let first = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        #expect(throws: RunError.self) {
            _ = try GroupContainer(path: first.path, owner: nil)
        }
    }

    @Test func aLinkAtAPublishedNameIsRemovedItself() throws {
        let scratch = try ScratchFolder()
        let container = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        try scratch.write("kept", "x")
        #expect(unsafe symlink("\(scratch.path)/kept", "\(scratch.path)/a/Downloads/name") == 0)
        container.remove(published: "name")
        container.remove(published: "name")
        #expect(scratch.contents(of: "a/Downloads") == [])
        #expect(scratch.contents(of: "").contains("kept"))
    }

    @Test func linksInItsFoldersAreNotMeasuredThrough() throws {
        let scratch = try ScratchFolder()
        let container = try GroupContainer(path: "\(scratch.path)/a", owner: nil)
        try scratch.write("large", String(repeating: "x", count: 5000))
        for folder in ["Downloads", "Library", "tmp"] {
            #expect(unsafe symlink("../../large", "\(scratch.path)/a/\(folder)/file") == 0)
            #expect(unsafe symlink("../..", "\(scratch.path)/a/\(folder)/up") == 0)
        }
        #expect(container.use(mostFiles: 6) == FolderUse(bytes: 0, files: 6))
        #expect(container.use(mostFiles: 5) == nil)
        try container.emptyTemporaryFolder()
        #expect(container.use(mostFiles: 6) == FolderUse(bytes: 0, files: 4))
    }

    /// Only root can give a file away.
    @Test(.enabled(if: geteuid() == 0)) func onlyAFileWithOneNameIsGivenAway() throws {
        let scratch = try ScratchFolder()
        let container = try GroupContainer(path: "\(scratch.path)/a", owner: 65_534)
        let downloads = "\(scratch.path)/a/Downloads"
        try scratch.write("a/Downloads/plain", "x")
        let outside = try scratch.write("outside", "x")
        #expect(unsafe link(outside, "\(downloads)/hard") == 0)
        #expect(unsafe symlink(outside, "\(downloads)/soft") == 0)
        #expect(unsafe mkfifo("\(downloads)/fifo", 0o600) == 0)
        for name in ["plain", "hard", "soft", "fifo", "none"] { container.give(published: name) }
        let owners = try ["plain", "hard", "soft", "fifo"].map { name in
            try container.downloads.status(name)?.owner
        }
        #expect(owners == [65_534, 0, 0, 0])
        #expect(FileIdentity(outside) != nil)
    }
}
