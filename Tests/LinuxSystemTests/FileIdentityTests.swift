import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct FileIdentityTests {
    @Test func oneStateOfAFileIsOneIdentity() throws {
        let scratch = try ScratchFolder("identity")
        let path = try scratch.write("a", "text")
        let link = "\(scratch.path)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let first = try #require(FileIdentity(path))
        #expect(FileIdentity(link) == first)
        let file = try Descriptor.open(path, flags: O_RDONLY)
        var status = stat()
        #expect(unsafe fstat(file.raw, &status) == 0)
        #expect(FileIdentity(status) == first)
        #expect(first.byteCount == 4)
    }

    @Test func anotherFileOrAChangedOneDiffers() throws {
        let scratch = try ScratchFolder("identity")
        let path = try scratch.write("a", "text")
        let first = try #require(FileIdentity(path))
        #expect(FileIdentity(try scratch.write("b", "text")) != first)
        // Longer, so that it differs even where clocks are coarse.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        try handle.close()
        let changed = try #require(FileIdentity(path))
        #expect(changed != first && changed.inode == first.inode)
    }

    @Test func whatIsNotThereHasNone() {
        #expect(FileIdentity("/no/such/file") == nil)
    }
}
