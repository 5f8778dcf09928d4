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
        #expect(throws: SystemError.self) { try FolderSweep.empty("\(scratch.path)/link") }
        #expect(throws: SystemError.self) { _ = try ConfinedFolder("\(scratch.path)/link") }
        #expect(mode("\(scratch.path)/closed") == 0)
    }

    @Test func aFolderThatIsMissingIsEmpty() throws {
        let scratch = try ScratchFolder()
        try FolderSweep.empty("\(scratch.path)/none")
        #expect(scratch.contents(of: "") == [])
    }

    @Test func sizesAreThoseOfFilesWithoutHoles() throws {
        let scratch = try ScratchFolder()
        try scratch.write("small", "x")
        let sparse = try Descriptor.open("\(scratch.path)/sparse", flags: O_WRONLY | O_CREAT)
        #expect(ftruncate(sparse.raw, 1 << 30) == 0)
        let folder = try ConfinedFolder(scratch.path)
        #expect(FolderUse.measure([folder], mostFiles: 2) == FolderUse(bytes: 1, files: 2))
        #expect(FolderUse.measure([folder], mostFiles: 1) == nil)
    }

    @Test(arguments: [(256, false), (257, true)])
    func foldersInOneAnotherAreFollowedUpToABound(depth: Int, isTooMuch: Bool) throws {
        let scratch = try ScratchFolder()
        var path = scratch.path
        for _ in 0..<depth {
            path += "/d"
            #expect(unsafe mkdir(path, 0o700) == 0)
        }
        let use = FolderUse.measure([try ConfinedFolder(scratch.path)], mostFiles: .max)
        #expect((use == nil) == isTooMuch)
    }

    /// Its owner can take any right of a folder, the folder's own and those of folders in it.
    @Test(arguments: [0, 0o100, 0o200, 0o400, 0o500, 0o600])
    func foldersWithoutRightsAreMeasuredAndEmptied(mode: UInt32) throws {
        let scratch = try ScratchFolder()
        let top = "\(scratch.path)/top"
        #expect(unsafe chmod(scratch.path, 0o777) == 0)
        try OrdinaryUser.run {
            for folder in [top, "\(top)/inner"] {
                #expect(unsafe mkdir(folder, 0o700) == 0)
                try scratch.write("\(folder.dropFirst(scratch.path.count + 1))/file", "four")
            }
            func close() {
                #expect(unsafe chmod("\(top)/inner", mode) == 0)
                #expect(unsafe chmod(top, mode) == 0)
            }
            // Opened before its rights are taken, as a host has it.
            let held = try ConfinedFolder(top)
            close()
            let use = FolderUse.measure([held], mostFiles: 3)
            #expect(use == FolderUse(bytes: 8, files: 3))
            #expect(unsafe chmod(top, 0o700) == 0)
            close()
            try FolderSweep.empty(top)
            try scratch.write("top/file", "four")
            #expect(unsafe chmod(top, mode) == 0)
            try held.empty()
        }
        #expect(scratch.contents(of: "") == ["top"])
    }
}
