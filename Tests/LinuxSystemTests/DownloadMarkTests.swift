import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Where the file system keeps such words; what is said of it where it does not.
@Suite struct DownloadMarkTests {
    private let hostile: HostileFolder
    private let folder: ConfinedFolder

    init() throws {
        hostile = try HostileFolder(.init(canResolve: true))
        folder = hostile.folder
    }

    private func take(_ mark: String) throws -> OwnedDescriptor {
        try folder.take(try hostile.draft(), as: "name", mark: mark)
        return try Descriptor.open("\(hostile.inside)/name", flags: O_RDWR | O_APPEND)
    }

    @Test(arguments: ["6f1c", "two words", "0123456789abcdef"])
    func aFileIsKnownUntilItIsChanged(mark: String) throws {
        let file = try take(mark)
        guard folder.keepsMarks else {
            #expect(try folder.mark(of: "name") == nil)
            return
        }
        #expect(try folder.mark(of: "name") == mark)
        #expect(try folder.untouchedMark(of: "name") == mark)
        #expect(unsafe rename("\(hostile.inside)/name", "\(hostile.inside)/moved") == 0)
        #expect(fchmod(file.raw, 0o400) == 0)
        #expect(try folder.untouchedMark(of: "moved") == mark)
        try DescriptorIO.writeAll(file.raw, [1], subject: "moved")
        #expect(try folder.mark(of: "moved") == mark)
        #expect(try folder.untouchedMark(of: "moved") == nil)
    }

    /// As hosts before this one wrote it.
    @Test func aWordAloneSaysOnlyWhichDownloadItIs() throws {
        let file = try take("other")
        guard FileMark.download.write("6f1c", on: file.raw) else {
            #expect(!folder.keepsMarks)
            return
        }
        #expect(try folder.mark(of: "name") == "6f1c")
        #expect(try folder.untouchedMark(of: "name") == nil)
    }

    @Test func aFileSystemWithoutSuchWordsIsKnown() throws {
        #expect(try !ConfinedFolder("/proc").keepsMarks)
        let file = try take("6f1c")
        let isWritten = FileMark.version.write("x", on: file.raw)
        #expect(folder.keepsMarks == isWritten)
    }
}
