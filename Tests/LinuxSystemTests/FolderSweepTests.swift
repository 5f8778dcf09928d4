import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct FolderSweepTests {
    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func linksAreRemovedAndNotFollowed() throws {
        let scratch = try ScratchFolder()
        try scratch.write("kept", "x")
        #expect(unsafe mkdir("\(scratch.path)/top", 0o700) == 0)
        #expect(unsafe symlink("\(scratch.path)/kept", "\(scratch.path)/top/file") == 0)
        #expect(unsafe symlink(scratch.path, "\(scratch.path)/top/folder") == 0)
        try FolderSweep.empty("\(scratch.path)/top")
        #expect(scratch.contents(of: "") == ["kept", "top"])
    }

    @Test func rightsAreNeverGivenThroughALink() throws {
        let scratch = try ScratchFolder()
        #expect(unsafe mkdir("\(scratch.path)/closed", 0) == 0)
        #expect(unsafe symlink("\(scratch.path)/closed", "\(scratch.path)/link") == 0)
        #expect(throws: SystemError.self) { _ = try FolderSweep.open("\(scratch.path)/link") }
        #expect(mode("\(scratch.path)/closed") == 0)
        _ = FolderUse.measure(["\(scratch.path)/link"], mostFiles: 10)
        #expect(mode("\(scratch.path)/closed") == 0)
    }

    @Test func sizesAreThoseOfFilesWithoutHoles() throws {
        let scratch = try ScratchFolder()
        try scratch.write("small", "x")
        let sparse = try Descriptor.open("\(scratch.path)/sparse", flags: O_WRONLY | O_CREAT)
        #expect(ftruncate(sparse.raw, 1 << 30) == 0)
        let use = try #require(FolderUse.measure([scratch.path], mostFiles: 2))
        #expect(use == FolderUse(bytes: 1, files: 2))
        #expect(FolderUse.measure([scratch.path], mostFiles: 1) == nil)
        #expect(FolderUse.measure(["\(scratch.path)/none"], mostFiles: 1) == FolderUse())
    }

    @Test(arguments: [(256, false), (257, true)])
    func foldersInOneAnotherAreFollowedUpToABound(depth: Int, isTooMuch: Bool) throws {
        let scratch = try ScratchFolder()
        var path = scratch.path
        for _ in 0..<depth {
            path += "/d"
            #expect(unsafe mkdir(path, 0o700) == 0)
        }
        let use = FolderUse.measure([scratch.path], mostFiles: .max)
        #expect((use == nil) == isTooMuch)
    }
}
