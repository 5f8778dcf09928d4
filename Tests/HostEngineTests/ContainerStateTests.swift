import DownloadStore
import Foundation
import Glibc
import HostEngine
import LinuxSystem
import TestSupport
import Testing

/// Which state folder has the list of a container, and what becomes of a list that was lost.
@Suite struct ContainerStateTests {
    private static let said = ContainerState(
        statePath: "/state", containerPath: "/container", inode: 7, app: "app")

    @Test func theWordIsReadAsItWasWritten() {
        #expect(ContainerState(untrusted: Self.said.bytes) == Self.said)
        let odd = ContainerState(
            statePath: "/a\nb\u{301}", containerPath: "/\u{FF}", inode: .max, app: "x y")
        #expect(ContainerState(untrusted: odd.bytes) == odd)
    }

    @Test(arguments: [
        "", "\0", "bahost-state 1\0/a\0/b\07\0app", "bahost-state 2\0/a\0/b\07\0app\0",
        "bahost-state 1\0a\0/b\07\0app\0", "bahost-state 1\0/a\0b\07\0app\0",
        "bahost-state 1\0/a\0/b\07\0\0", "bahost-state 1\0/a\0/b\07\0app\0more\0",
        "bahost-state 1\0/a\0/b\0x\0app\0", "bahost-state 1\0/a\0/b\0app\0",
    ])
    func whatIsNoWordIsNone(text: String) {
        #expect(ContainerState(untrusted: Array(text.utf8)) == nil)
    }

    @Test func bytesThatAreNoTextAreNoWord() {
        var bytes = Self.said.bytes
        bytes[bytes.count - 2] = 0xFF
        #expect(ContainerState(untrusted: bytes) == nil)
    }

    @Test func anEmptyListWasLostOnlyWhereTheContainerSaysSo() {
        func judge(
            _ said: ContainerState?, isEmpty: Bool = true, hasApps: Bool = false,
            wasMoved: Bool = false, hasList: Bool = false
        ) -> ListFinding {
            ListFinding.judge(
                said, statePath: "/state", isEmpty: isEmpty, hasApps: hasApps,
                wasMoved: wasMoved
            ) { path in
                #expect(path == "/elsewhere")
                return hasList
            }
        }
        var other = Self.said
        other.statePath = "/elsewhere"
        #expect(judge(nil) == .own)
        #expect(judge(Self.said) == .lost)
        #expect(judge(Self.said, hasApps: true) == .own, "all of it was taken back")
        #expect(judge(Self.said, isEmpty: false) == .own)
        #expect(judge(other, hasList: true) == .others("/elsewhere"))
        #expect(judge(other, isEmpty: false, hasList: true) == .others("/elsewhere"))
        #expect(judge(other) == .lost)
        #expect(judge(other, hasApps: true) == .lost)
        #expect(judge(other, isEmpty: false) == .lost, "what was on that list")
        #expect(judge(other, wasMoved: true, hasList: true) == .lost)
    }

    private func takeUp(
        _ ground: StorageFixture, state: String = "state"
    ) throws -> (notes: [String], rebuilt: Int) {
        try ground.keeper.takeUp(app: "app", statePath: "\(ground.scratch.path)/\(state)")
    }

    private func forgetAll(_ ground: StorageFixture) throws {
        _ = try ground.store.changePublished(try ground.rows().map { .forgotten($0.rowID) })
    }

    /// The container says this, as a host has written it or not.
    private func say(
        _ containerPath: String? = nil, state: String = "state", inode: UInt64? = nil,
        in ground: StorageFixture
    ) throws {
        var status = stat()
        #expect(unsafe stat(ground.path(".bahost"), &status) == 0)
        let said = ContainerState(
            statePath: "\(ground.scratch.path)/\(state)",
            containerPath: containerPath ?? ground.container,
            inode: inode ?? UInt64(status.st_ino), app: "app")
        try Data(said.bytes).write(to: URL(fileURLWithPath: ground.path(".bahost/state")))
    }

    @Test func aLostListIsMadeAgainAndAnothersIsLeft() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        #expect(try takeUp(ground) == ([], 0))
        #expect(ground.privateNames == ["state"])
        try forgetAll(ground)
        let found = try takeUp(ground)
        #expect(found.rebuilt == 1)
        #expect(
            found.notes == [
                "the list of published files was lost: 1 file found by their marks; which of them "
                    + "were pinned is not known any more"
            ])
        try forgetAll(ground)
        let other = "\(ground.scratch.path)/other"
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false)
        try ground.scratch.write("other/downloads.sqlite", "")
        try say(state: "other", in: ground)
        let before = try Data(contentsOf: URL(fileURLWithPath: ground.path(".bahost/state")))
        let others = try takeUp(ground)
        #expect(others.rebuilt == 0)
        #expect(others.notes.first?.hasSuffix("what is on it is not taken back here") == true)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: ground.path(".bahost/state"))) == before)
        try FileManager.default.removeItem(atPath: other)
        #expect(try takeUp(ground).rebuilt == 1)
    }

    /// Its list may be another one that has nothing of it, or it is a copy.
    @Test func withoutAWordOfItsOwnNothingWasLost() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        try forgetAll(ground)
        #expect(try takeUp(ground) == ([], 0))
        #expect(ground.privateNames == [], "nothing is on the list")
        try say(inode: 1, in: ground)
        #expect(try takeUp(ground) == ([], 0))
    }

    /// The default state folder is another one then, and the old one is nobody's.
    @Test func aMovedContainersListIsFoundByMarks() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        try forgetAll(ground)
        let other = "\(ground.scratch.path)/other"
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false)
        try ground.scratch.write("other/downloads.sqlite", "")
        try say("\(ground.scratch.path)/before", state: "other", in: ground)
        #expect(try takeUp(ground).rebuilt == 1)
        #expect(try takeUp(ground) == ([], 0), "it is this state's now")
    }

    @Test func theRowsOfAContainerThatWasMovedFollowIt() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        let before = "\(ground.scratch.path)/before"
        _ = try ground.store.moveContainer(from: ground.container, to: before)
        try say(before, in: ground)
        #expect(try takeUp(ground) == ([], 0))
        #expect(try ground.keeper.free(bytes: 1).files == ["Downloads/a"])
    }

    @Test func anotherSpellingIsFollowedAndACopyIsNot() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        let other = "\(ground.scratch.path)/other"
        #expect(unsafe symlink("c", other) == 0)
        _ = try ground.store.moveContainer(from: ground.container, to: other)
        try say(other, in: ground)
        #expect(try takeUp(ground) == ([], 0))
        #expect(try ground.rows().map(\.path) == ["Downloads/a"])
        try FileManager.default.removeItem(atPath: other)
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false)
        _ = try ground.store.moveContainer(from: ground.container, to: other)
        try say(other, in: ground)
        _ = try takeUp(ground)
        #expect(try ground.store.publishedFiles(container: other).count == 1)
    }
}
