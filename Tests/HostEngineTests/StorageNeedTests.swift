import DownloadStore
import Foundation
import Glibc
import HostEngine
import LinuxSystem
import TestSupport
import Testing

/// Files go only when that is enough, and no more than that needs.
@Suite struct StorageNeedTests {
    private func lock(_ name: String, in ground: StorageFixture) throws -> OwnedDescriptor {
        let file = try Descriptor.open(ground.path("Downloads/\(name)"), flags: O_RDONLY)
        #expect(flock(file.raw, LOCK_SH) == 0)
        return file
    }

    @Test func whatIsInUseDoesNotMakeItEnough() throws {
        let ground = try StorageFixture()
        try ground.publish("free", bytes: 400, lastUsed: 1_000)
        try ground.publish("read", bytes: 600, lastUsed: 2_000)
        let file = try lock("read", in: ground)
        #expect(try ground.keeper.free(bytes: 1_000).files == [])
        #expect(try ground.keeper.free(bytes: 401).files == [])
        #expect(ground.downloads == ["free", "read"])
        #expect(try ground.rows().allSatisfy { !$0.isPurging })
        #expect(try ground.keeper.free(bytes: 400).files == ["Downloads/free"])
        _ = consume file
    }

    @Test func whatIsInUseMakesNoOtherGoInVain() throws {
        let ground = try StorageFixture()
        try ground.publish("small", bytes: 60, lastUsed: 1_000)
        try ground.publish("read", bytes: 50, lastUsed: 2_000)
        try ground.publish("large", bytes: 100, lastUsed: 3_000)
        let file = try lock("read", in: ground)
        let taken = try ground.keeper.free(bytes: 100)
        #expect(taken.files == ["Downloads/large"])
        #expect(taken.inUse == 1)
        #expect(ground.downloads == ["read", "small"])
        _ = consume file
    }

    @Test func theOrderOfManyIsThatOfTheirUse() throws {
        let ground = try StorageFixture()
        let order = [5, 2, 8, 1, 9, 3, 7, 4, 6]
        for number in order { try ground.publish("f\(number)", lastUsed: number * 1_000) }
        for number in 1...9 {
            #expect(try ground.keeper.free(bytes: 100).files == ["Downloads/f\(number)"])
        }
        #expect(try ground.keeper.free(bytes: 1).files == [])
    }

    /// btrfs makes free what was removed only when it next writes everything down.
    @Test(
        .enabled(
            if: ImageFileSystem.isNeeded || ImageFileSystem.refusal == nil, "no loop devices here"),
        arguments: ImageFileSystem.Format.allCases)
    func whatWentIsFreeAtOnce(format: ImageFileSystem.Format) throws {
        let disk = try ImageFileSystem(format)
        let ground = try StorageFixture(in: disk.outerPath)
        try ground.publish("a", bytes: 16 << 20)
        sync()
        let folder = try ConfinedFolder(ground.path("Downloads"))
        let before = try folder.freeBytes()
        #expect(try ground.keeper.free(bytes: 1).bytes == 16 << 20)
        #expect(try folder.freeBytes() >= before + 15 << 20)
    }
}
