import Foundation
import HostEngine
import LinuxSystem
import TestSupport
import Testing

/// The fixture itself, and free space as the host sees it; for the tests' own user and for an
/// ordinary one.
@Suite struct SmallFileSystemTests {
    private static let users: [UInt32?] = OrdinaryUser.isRoot ? [nil, 65_534] : [nil]

    @Test(
        .enabled(
            if: SmallFileSystem.refusal == nil,
            "no file system of its own: \(SmallFileSystem.refusal ?? "")"),
        arguments: users)
    func itFillsAndTakesAgainAfterSpaceIsMade(user: UInt32?) throws {
        let disk = try SmallFileSystem(mebibytes: 10, user: user)
        let folder = try ConfinedFolder(disk.outerPath)
        let free = try folder.freeBytes()
        #expect(free > 9 << 20 && free <= 10 << 20)
        var space = SpaceReservations()
        let refusal = space.reserve(
            1, needBytes: 20 << 20, in: GroupSpace(diskBytes: free), path: disk.path)
        #expect(refusal?.sentence.hasPrefix("the download needs 20.0 MiB, ") == true)

        let fill = try disk.start("/bin/sh", ["-c", "head -c 20M /dev/zero > \(disk.path)/fill"])
        let filled = try fill.wait()
        #expect(filled.status != 0)
        #expect(filled.errors.contains("No space left on device"))
        #expect(try folder.freeBytes() == 0)
        #expect(
            space.reserve(1, needBytes: 1, in: GroupSpace(diskBytes: 0), path: disk.path) != nil)

        #expect(try folder.remove("fill"))
        let again = try disk.start("/bin/sh", ["-c", "head -c 5M /dev/zero > \(disk.path)/fill"])
        #expect(try again.wait().status == 0)
        #expect(try folder.status("fill")?.size == 5 << 20)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
    }
}
