import DownloadStore
import Foundation
import Glibc
import HostEngine
import LinuxSystem
import Testing
import TestSupport

@Suite struct StorageKeeperTests {
    @Test func theLongestUnusedGoFirstAndNoMoreThanNeeded() throws {
        let ground = try StorageFixture()
        try ground.publish("new", lastUsed: 9_000)
        try ground.publish("oldest", lastUsed: 2_000)
        try ground.publish("old", lastUsed: 3_000)
        let taken = try ground.keeper.free(bytes: 150)
        #expect(taken.files == ["Downloads/oldest", "Downloads/old"])
        #expect(taken.bytes == 200)
        #expect(ground.downloads == ["new"])
        #expect(try ground.rows().map(\.identifier) == ["new"])
        #expect(ground.privateNames == [])
    }

    @Test func whatIsTooLittleInAllStays() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        try ground.publish("b")
        #expect(try ground.keeper.free(bytes: 201).files == [])
        #expect(ground.downloads == ["a", "b"])
        #expect(try ground.keeper.free(bytes: 201, isPartWelcome: true).bytes == 200)
        #expect(ground.downloads == [])
    }

    @Test func pinnedReadLinkedChangedAndSparedFilesStay() throws {
        let ground = try StorageFixture()
        for name in ["pinned", "read", "linked", "edited", "touched", "mine", "free"] {
            try ground.publish(name)
        }
        let spared = try ground.publish("spared")
        try ground.change("pinned") { .pinned($0, true) }
        let file = try Descriptor.open(ground.path("Downloads/read"), flags: O_RDONLY)
        #expect(flock(file.raw, LOCK_SH) == 0)
        #expect(
            unsafe link(ground.path("Downloads/linked"), ground.path("Library/second")) == 0)
        let edited = try Descriptor.open(ground.path("Downloads/edited"), flags: O_WRONLY)
        try DescriptorIO.writeAll(edited.raw, [1], subject: "edited")
        #expect(unsafe utimes(ground.path("Downloads/touched"), nil) == 0)
        try FileManager.default.removeItem(atPath: ground.path("Downloads/mine"))
        try Data([1, 2]).write(to: URL(fileURLWithPath: ground.path("Downloads/mine")))
        let taken = try ground.keeper.free(bytes: .max, isPartWelcome: true) { $0 == spared }
        #expect(taken.files == ["Downloads/free"])
        #expect(taken.inUse == 1)
        #expect(
            ground.downloads
                == ["edited", "linked", "mine", "pinned", "read", "spared", "touched"])
        #expect(try ground.row("read")?.isPurging == false)
    }

    @Test func whatAnExtensionWasNotToldOfStays() throws {
        let ground = try StorageFixture()
        let identifier = try ground.publish("untold", lastUsed: 1)
        try ground.publish("told", lastUsed: 5_000)
        try ground.admitUndelivered("untold", uniqueIdentifier: identifier)
        #expect(try ground.keeper.free(bytes: 1).files == ["Downloads/told"])
        #expect(try ground.keeper.free(bytes: 1).files == [])
        #expect(ground.downloads == ["untold"])
    }

    @Test func aLockedFileIsPassedOverForTheNext() throws {
        let ground = try StorageFixture()
        try ground.publish("first", lastUsed: 1_000)
        try ground.publish("second", lastUsed: 2_000)
        try ground.publish("third", lastUsed: 3_000)
        let file = try Descriptor.open(ground.path("Downloads/first"), flags: O_RDONLY)
        #expect(flock(file.raw, LOCK_SH) == 0)
        #expect(try ground.keeper.free(bytes: 100).files == ["Downloads/second"])
        #expect(ground.downloads == ["first", "third"])
    }

    @Test func aMovedFileIsFoundAndNoted() throws {
        let ground = try StorageFixture()
        try ground.publish("a", lastUsed: 7_000)
        try FileManager.default.createDirectory(
            atPath: ground.path("Library/deep"), withIntermediateDirectories: false)
        #expect(
            unsafe rename(ground.path("Downloads/a"), ground.path("Library/deep/b")) == 0)
        #expect(try ground.keeper.review().sentences == [])
        #expect(try ground.row("a")?.path == "Library/deep/b")
        #expect(try ground.row("a")?.lastUsed == 7_000)
        #expect(try ground.keeper.free(bytes: 1).files == ["Library/deep/b"])
        #expect(ground.scratch.contents(of: "c/Library/deep") == [])
    }

    @Test func whatIsGoneOrChangedIsToldAndForgotten() throws {
        let ground = try StorageFixture()
        try ground.publish("kept")
        try ground.publish("gone")
        try ground.publish("edited")
        try FileManager.default.removeItem(atPath: ground.path("Downloads/gone"))
        #expect(unsafe truncate(ground.path("Downloads/edited"), 5) == 0)
        let review = try ground.keeper.review()
        #expect(
            review.sentences == [
                "gone: its file is gone, and is fetched again when it is asked for",
                "edited: its file was changed, and is no longer taken back",
            ])
        #expect(try ground.rows().map(\.identifier) == ["kept"])
        #expect(try ground.keeper.review() == StorageReview())
    }

    @Test func onlySomeOfManyAreNamed() throws {
        let ground = try StorageFixture()
        for number in 0..<25 { try ground.publish("f\(number)") }
        for name in ground.downloads {
            try FileManager.default.removeItem(atPath: ground.path("Downloads/\(name)"))
        }
        let sentences = try ground.keeper.review().sentences
        #expect(sentences.count == 11)
        #expect(sentences.last == "15 more like the last")
        #expect(try ground.rows() == [])
    }

    /// Where a kill can fall: after the rows say so, after the file was moved, after it was removed.
    @Test func anInterruptedPurgeIsEnded() throws {
        let ground = try StorageFixture()
        let moved = try ground.publish("moved")
        for name in ["still", "removed", "kept"] { try ground.publish(name) }
        for name in ["still", "moved", "removed"] { try ground.change(name) { .purging($0) } }
        let held = ground.path(".bahost/\(moved).purged")
        #expect(unsafe rename(ground.path("Downloads/moved"), held) == 0)
        try FileManager.default.removeItem(atPath: ground.path("Downloads/removed"))
        try ground.scratch.write("c/.bahost/\(UUID().uuidString).purged", "of no row")
        #expect(try ground.keeper.recover() == 1)
        #expect(ground.privateNames == [])
        #expect(try ground.rows().map(\.identifier).sorted() == ["kept", "still"])
        #expect(try ground.rows().allSatisfy { !$0.isPurging })
        #expect(try ground.keeper.recover() == 0)
        #expect(try ground.keeper.review().sentences == [])
    }

    @Test func afterALostDatabaseTheMarksTell() throws {
        let ground = try StorageFixture()
        for name in ["kept", "edited", "moved"] { try ground.publish(name) }
        _ = try ground.store.changePublished(try ground.rows().map { .forgotten($0.rowID) })
        #expect(unsafe rename(ground.path("Downloads/moved"), ground.path("Library/m")) == 0)
        let edited = try Descriptor.open(
            ground.path("Downloads/edited"), flags: O_WRONLY | O_APPEND)
        try DescriptorIO.writeAll(edited.raw, [1], subject: "edited")
        let copy = try runProgram(
            "/bin/cp", ["-a", ground.path("Downloads/kept"), ground.path("Downloads/copy")])
        #expect(copy.status == 0)
        try ground.scratch.write("c/Library/own", "the app's")
        #expect(try ground.keeper.rebuild(app: "app") == (2, true))
        #expect(try ground.rows().map(\.path).sorted() == ["Downloads/kept", "Library/m"])
        #expect(try ground.keeper.rebuild(app: "app") == (0, true), "it has rows now")
        #expect(try ground.keeper.free(bytes: .max, isPartWelcome: true).files.count == 2)
        #expect(ground.downloads == ["copy", "edited"])
    }
}
