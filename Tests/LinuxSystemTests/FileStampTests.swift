import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite struct FileStampTests {
    private let scratch: ScratchFolder
    private let folder: ConfinedFolder

    init() throws {
        scratch = try ScratchFolder("stamp")
        folder = try ConfinedFolder(scratch.path)
        try scratch.write("a", "text")
        // Long ago, so that whatever changes the time makes another one.
        let past = timespec(tv_sec: 1_600_000_000, tv_nsec: 123_456_789)
        #expect(unsafe utimensat(AT_FDCWD, "\(scratch.path)/a", [past, past], 0) == 0)
    }

    private func stamp(_ name: String = "a") throws -> FileStamp {
        try #require(try folder.status(name)).stamp
    }

    @Test func itSaysWhatStatSays() throws {
        var status = stat()
        #expect(unsafe stat("\(scratch.path)/a", &status) == 0)
        let stamp = try stamp()
        #expect(stamp == FileStamp(status))
        #expect(stamp.inode == UInt64(status.st_ino) && stamp.device == UInt64(status.st_dev))
        #expect(stamp.sizeBytes == 4)
        #expect(stamp.modifiedNanoseconds == 1_600_000_000_123_456_789)
        #expect(try folder.status("a")?.accessedSeconds == 1_600_000_000)
        #expect(try folder.status("a")?.usedBytes == 4)
    }

    /// btrfs gives a device number to a mount, not to the file system.
    @Test func theDeviceIsNotCompared() throws {
        let one = FileStamp(device: 1, inode: 2, sizeBytes: 3, modifiedNanoseconds: 4)
        let same = FileStamp(device: 9, inode: 2, sizeBytes: 3, modifiedNanoseconds: 4)
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(one != FileStamp(device: 1, inode: 9, sizeBytes: 3, modifiedNanoseconds: 4))
        #expect(one != FileStamp(device: 1, inode: 2, sizeBytes: 9, modifiedNanoseconds: 4))
        #expect(one != FileStamp(device: 1, inode: 2, sizeBytes: 3, modifiedNanoseconds: 9))
    }

    @Test func aRenameAModeAndAnotherNameLeaveItAndChangeTheIdentity() throws {
        let (first, identity) = (try stamp(), try #require(FileIdentity("\(scratch.path)/a")))
        let (a, b) = ("\(scratch.path)/a", "\(scratch.path)/b")
        #expect(unsafe link(a, b) == 0)
        #expect(unsafe chmod(a, 0o400) == 0)
        #expect(unsafe rename(a, "\(scratch.path)/c") == 0)
        #expect(try stamp("c") == first)
        #expect(try stamp("b") == first)
        #expect(FileIdentity(b) != identity)
    }

    @Test func writingTruncatingAndTouchingEndIt() throws {
        for change in ["printf more >> a", "truncate -s 2 a", "touch a"] {
            let first = try stamp()
            let result = try runProgram("/bin/sh", ["-c", change], workingFolder: scratch.path)
            #expect(result.status == 0)
            #expect(try stamp() != first, "\(change)")
        }
    }

    @Test func settingBackMovesTheTimeAloneAndFurtherThanAnyStep() throws {
        let first = try stamp()
        let file = try Descriptor.open("\(scratch.path)/a", flags: O_RDONLY)
        let back = try #require(FileStamp(settingBack: file.raw))
        #expect(try stamp() == back)
        #expect(back.inode == first.inode && back.sizeBytes == first.sizeBytes)
        #expect(first.modifiedNanoseconds - back.modifiedNanoseconds >= 3_000_000_000)
        #expect(try folder.status("a")?.accessedSeconds == 1_600_000_000)
    }

    @Test func whereNoTimeCanBeSetThereIsNoStamp() {
        #expect(FileStamp(settingBack: -1) == nil)
    }

    /// Any time can be set: a year that no nanoseconds reach traps nowhere.
    @Test func everyTimeHasAStamp() {
        for seconds in [Int.min, -1, 0, Int.max] {
            var status = stat()
            status.st_mtim = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
            #expect(FileStamp(status) == FileStamp(status))
        }
    }

    /// A file system of a user's may say anything.
    @Test func everySizeIsCounted() {
        var use = FolderUse()
        for (size, blocks, bytes) in [
            (Int.max, 1 << 55, UInt64(Int.max)), (Int.max, Int.max, UInt64(Int.max)),
            (-1, -1, 0), (Int.max, 2, 1_024), (5, Int.max, 5),
        ] {
            var status = stat()
            status.st_mode = S_IFREG
            status.st_size = size
            status.st_blocks = blocks
            #expect(EntryStatus(status).usedBytes == bytes)
            use.add(EntryStatus(status))
        }
        #expect(use == FolderUse(bytes: .max, files: 5))
    }
}
