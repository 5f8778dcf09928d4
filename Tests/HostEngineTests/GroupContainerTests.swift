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

    /// A name that takes the slash before it or behind it is a name.
    @Test func foldersAreMadeOneByOneWhateverTheirNames() throws {
        let scratch = try ScratchFolder()
        let (outer, inner) = ("\(scratch.path)/a\u{600}", "\(scratch.path)/a\u{600}/\u{301}b")
        #expect(try FolderMaking.makeAll(inner) == [outer, inner])
        FolderMaking.remove([outer, inner])
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
}
