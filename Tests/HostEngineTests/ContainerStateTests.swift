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
        statePath: "/state", containerPath: "/container", app: "app")

    @Test func theWordIsReadAsItWasWritten() {
        #expect(ContainerState(untrusted: Self.said.bytes) == Self.said)
        let odd = ContainerState(
            statePath: "/a\nb\u{301}", containerPath: "/\u{FF}", app: "x y")
        #expect(ContainerState(untrusted: odd.bytes) == odd)
    }

    @Test(arguments: [
        "", "\0", "bahost-state 1\0/a\0/b\0app", "bahost-state 2\0/a\0/b\0app\0",
        "bahost-state 1\0a\0/b\0app\0", "bahost-state 1\0/a\0b\0app\0",
        "bahost-state 1\0/a\0/b\0\0", "bahost-state 1\0/a\0/b\0app\0more\0",
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
            hasList: Bool = false
        ) -> ListFinding {
            ListFinding.judge(
                said, statePath: "/state", isEmpty: isEmpty, hasApps: hasApps
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
        #expect(judge(other, isEmpty: false) == .own)
    }

    private func takeUp(
        _ ground: StorageFixture, state: String = "state"
    ) throws -> (notes: [String], rebuilt: Int) {
        try ground.keeper.takeUp(app: "app", statePath: "\(ground.scratch.path)/\(state)")
    }

    private func forgetAll(_ ground: StorageFixture) throws {
        _ = try ground.store.changePublished(try ground.rows().map { .forgotten($0.rowID) })
    }

    @Test func aLostListIsMadeAgainAndAnothersIsLeft() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        try forgetAll(ground)
        // Nobody has said anything: the store may be another one.
        #expect(try takeUp(ground) == ([], 0))
        #expect(ground.privateNames == ["state"])
        let found = try takeUp(ground)
        #expect(found.rebuilt == 1)
        #expect(
            found.notes == [
                "the list of published files was lost: 1 were found by their marks; which of them "
                    + "were pinned is not known any more"
            ])
        try forgetAll(ground)
        let other = "\(ground.scratch.path)/other"
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false)
        try ground.scratch.write("other/downloads.sqlite", "")
        let said = ContainerState(
            statePath: other, containerPath: ground.container, app: "app")
        try Data(said.bytes).write(to: URL(fileURLWithPath: ground.path(".bahost/state")))
        let others = try takeUp(ground)
        #expect(others.rebuilt == 0)
        #expect(others.notes.first?.hasSuffix("and not this run's to take back") == true)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: ground.path(".bahost/state")))
                == Data(said.bytes))
        try FileManager.default.removeItem(atPath: other)
        #expect(try takeUp(ground).rebuilt == 1)
    }

    /// The list has the container's rows under another path, and the container says so.
    private func say(_ path: String, in ground: StorageFixture) throws {
        _ = try ground.store.moveContainer(from: ground.container, to: path)
        let said = ContainerState(
            statePath: "\(ground.scratch.path)/state", containerPath: path, app: "app")
        try Data(said.bytes).write(to: URL(fileURLWithPath: ground.path(".bahost/state")))
        #expect(try ground.rows() == [])
    }

    @Test func theRowsOfAContainerThatWasMovedFollowIt() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        try say("\(ground.scratch.path)/before", in: ground)
        #expect(try ground.keeper.begin() == [])
        #expect(try ground.keeper.free(bytes: 1).files == ["Downloads/a"])
    }

    @Test func aSpellingOfTheSameFolderIsFollowedAndACopyIsNot() throws {
        let ground = try StorageFixture()
        try ground.publish("a")
        let other = "\(ground.scratch.path)/other"
        #expect(unsafe symlink("c", other) == 0)
        try say(other, in: ground)
        #expect(try ground.keeper.begin() == [])
        #expect(try ground.rows().map(\.path) == ["Downloads/a"])
        try FileManager.default.removeItem(atPath: other)
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false)
        try say(other, in: ground)
        #expect(try ground.keeper.begin() == [])
        #expect(try ground.rows() == [])
        #expect(try ground.store.publishedFiles(container: other).count == 1)
    }
}
