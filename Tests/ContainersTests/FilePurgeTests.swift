import Containers
import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Each with the flag of renameat2(2) and without.
@Suite struct FilePurgeTests {
    private let name = "\(ContainerFixture.identifier).purged"

    @Test(arguments: [true, false])
    func aFileGoesAndNothingIsLeft(hasFlags: Bool) throws {
        let fixture = try ContainerFixture(hasRenameFlags: hasFlags)
        let candidate = try fixture.publish()
        let other = try fixture.publish("other", seed: 2)
        #expect(fixture.purge.take(candidate) == .purged)
        try fixture.purge.sync([candidate])
        #expect(try fixture.files() == ["Downloads/other"])
        #expect(fixture.purge.take(candidate) == .gone)
        #expect(fixture.purge.take(other) == .purged)
    }

    @Test func aFileUnderALockStaysUntilItIsGivenUp() throws {
        let fixture = try ContainerFixture()
        let candidate = try fixture.publish()
        for operation in [LOCK_SH, LOCK_EX] {
            let reader = try Descriptor.open(fixture.whole("f"), flags: O_RDONLY)
            #expect(flock(reader.raw, operation) == 0)
            #expect(fixture.purge.take(candidate) == .inUse)
            #expect(try fixture.files() == ["Downloads/f"])
            withExtendedLifetime(reader) {}
        }
        #expect(fixture.purge.take(candidate) == .purged)
    }

    /// `fcntl(2)` F_SETLEASE: as a file server has it for a client that writes.
    @Test func aFileUnderALeaseIsInUse() throws {
        let fixture = try ContainerFixture()
        let candidate = try fixture.publish()
        let writer = try Descriptor.open(fixture.whole("f"), flags: O_RDWR)
        // F_SETSIG: a signal that is ignored by default.
        let isMine = fcntl(writer.raw, 10, SIGURG) == 0 && fcntl(writer.raw, 1_024, F_WRLCK) == 0
        try #require(isMine, "the file system of /tmp has no leases")
        #expect(fixture.purge.take(candidate) == .inUse)
        #expect(try fixture.files() == ["Downloads/f"])
        #expect(fcntl(writer.raw, 1_024, F_UNLCK) == 0)
        #expect(fixture.purge.take(candidate) == .purged)
        withExtendedLifetime(writer) {}
    }

    @Test(arguments: [
        ("printf x >> f", PurgeOutcome.changed), ("touch f", .changed), ("ln f g", .linked),
        ("mv f g", .gone), ("rm f", .gone), ("rm f; mkdir f", .changed),
        ("rm f; mkfifo f", .changed), ("mv f g; ln -s g f", .changed), ("chmod 0 f", .purged),
        ("cp -p f g; mv g f", .changed), ("ln f g; rm g", .purged),
    ])
    func onlyWhatTheHostHasPutThereGoes(line: String, outcome: PurgeOutcome) throws {
        let fixture = try ContainerFixture()
        let candidate = try fixture.publish()
        let result = try runProgram(
            "/bin/sh", ["-c", line], workingFolder: "\(fixture.path)/Downloads")
        #expect(result.status == 0)
        let before = try fixture.files()
        #expect(fixture.purge.take(candidate) == outcome)
        #expect(try fixture.files() == (outcome == .purged ? [] : before))
    }

    @Test func noPathLeadsOut() throws {
        let fixture = try ContainerFixture()
        let stamp = try fixture.publish().stamp
        #expect(unsafe symlink("../../outside", fixture.whole("link")) == 0)
        let cases: [(String, PurgeOutcome?)] = [
            ("Downloads/link/f", .changed), ("outside/f", .gone), ("f", .gone), ("", .gone),
            ("Downloads/../../outside/f", nil), ("Downloads//f", nil), (".bahost/x", .gone),
        ]
        for (path, outcome) in cases {
            let found = fixture.purge.take(
                PurgeCandidate(
                    rowID: 1, uniqueIdentifier: ContainerFixture.identifier, path: path,
                    stamp: stamp, lastUsed: 0))
            if let outcome {
                #expect(found == outcome, "\(path)")
            } else if case .failed(let error) = found {
                #expect(error.code == EINVAL)
            } else {
                Issue.record("\(path): \(found)")
            }
        }
        #expect(try fixture.files() == ["Downloads/f", "Downloads/link"])
    }

    /// The rights of an ordinary user's file and folder may be taken, and are no hindrance.
    @Test func anOrdinaryHostTakesWhatHasNoRights() throws {
        let scratch = try ScratchFolder("ordinary")
        #expect(unsafe chmod(scratch.path, 0o777) == 0)
        try OrdinaryUser.run {
            let fixture = try ContainerFixture(in: scratch.path)
            #expect(unsafe mkdir(fixture.whole("sub"), 0o700) == 0)
            let candidate = try fixture.publish("sub/f")
            #expect(unsafe chmod(fixture.whole("sub/f"), 0) == 0)
            #expect(unsafe chmod(fixture.whole("sub"), 0o500) == 0)
            #expect(fixture.purge.take(candidate) == .purged)
            #expect(try fixture.files() == [])
        }
    }

    // MARK: - After a kill

    @Test func whatWasMovedOutIsRemovedAtTheNextStart() throws {
        let fixture = try ContainerFixture()
        let candidate = try fixture.publish()
        #expect(try !fixture.purge.settle(candidate))
        try fixture.downloads.give("f", to: fixture.host, as: name)
        #expect(try fixture.purge.settle(candidate))
        #expect(try fixture.files() == [])
        #expect(try !fixture.purge.settle(candidate))
    }

    /// Also when the host ended in the middle of moving it back.
    @Test(arguments: [true, false], [true, false])
    func whatHasAnotherNameGoesBack(hasFlags: Bool, isHalfBack: Bool) throws {
        let fixture = try ContainerFixture(hasRenameFlags: hasFlags)
        let candidate = try fixture.publish()
        #expect(unsafe link(fixture.whole("f"), fixture.whole("g")) == 0)
        try fixture.downloads.give("f", to: fixture.host, as: name)
        if isHalfBack { #expect(unsafe link(fixture.whole("g"), fixture.whole("f")) == 0) }
        #expect(try !fixture.purge.settle(candidate))
        #expect(try fixture.files() == ["Downloads/f", "Downloads/g"])
        #expect(try fixture.downloads.status("f")?.links == 2)
    }

    /// A plugin put another file in its place, and the host ended before it could put it back.
    @Test(arguments: [true, false])
    func whatIsAnotherFileGoesBack(isPlaceTaken: Bool) throws {
        let fixture = try ContainerFixture()
        let candidate = try fixture.publish()
        let other = try fixture.publish("other", seed: 2)
        try fixture.downloads.give("other", to: fixture.host, as: name)
        if !isPlaceTaken { #expect(unsafe unlink(fixture.whole("f")) == 0) }
        #expect(try !fixture.purge.settle(candidate))
        let found = try ContainerScan.scan(fixture.folders, wanted: [other.stamp])
            .file(with: other.stamp)
        let returned = "Downloads/\(ContainerFixture.identifier).returned-1"
        #expect(found?.path == (isPlaceTaken ? returned : "Downloads/f"))
        #expect(try fixture.files().count == (isPlaceTaken ? 2 : 1))
    }

    /// Nothing but an untouched file of the download's: all else may be somebody's only copy.
    @Test(.enabled(if: ContainerFixture.keepsMarks, "no attributes on the file system of /tmp"))
    func whatNoRowKnowsIsRemoved() throws {
        let fixture = try ContainerFixture()
        _ = try fixture.publish()
        try fixture.downloads.give("f", to: fixture.host, as: name)
        for name in ["a.purged", "c.partial", "manifest", ".purged"] {
            try Data().write(to: URL(fileURLWithPath: "\(fixture.path)/.bahost/\(name)"))
        }
        #expect(throws: SystemError.self) {
            _ = try fixture.purge.removeOrphans(limit: 4) { _ in false }
        }
        #expect(try fixture.purge.removeOrphans(limit: 5) { $0 == "a" } == 1)
        let left = [".purged", "a.purged", "c.partial", "manifest"].map { ".bahost/\($0)" }
        #expect(try fixture.files() == left)
    }

    /// An edited file or one with another name, and besides a folder, a link and another download's.
    @Test(arguments: ["echo mine >> f", "ln f second"])
    func whatMayBeSomebodysGoesBack(deed: String) throws {
        let fixture = try ContainerFixture()
        let line = """
            B=../.bahost && \(deed) && mv f $B/\(name) && mv g $B/o.purged &&
            mkdir $B/b.purged && echo x > $B/b.purged/x && ln -s f $B/l.purged
            """
        _ = try fixture.publish()
        _ = try fixture.publish("g", seed: 2)
        let done = try runProgram(
            "/bin/sh", ["-c", line], workingFolder: "\(fixture.path)/Downloads")
        #expect(done.status == 0, "\(done.errors)")
        #expect(try fixture.purge.removeOrphans(limit: 4) { _ in false } == 0)
        let back =
            ["b.returned-1/x"]
            + [ContainerFixture.identifier, "l", "o"].map { "\($0).returned-1" }
            + (deed.hasPrefix("ln") ? ["second"] : [])
        #expect(try fixture.files() == back.map { "Downloads/\($0)" }.sorted())
    }

    /// One that cannot go back keeps none behind it.
    @Test func whatCannotGoBackHindersNothing() throws {
        let fixture = try ContainerFixture()
        for number in 1...16 {
            try Data().write(to: URL(fileURLWithPath: fixture.whole("b.returned-\(number)")))
        }
        for name in ["a", "b", "c"] {
            #expect(unsafe mkdir("\(fixture.path)/.bahost/\(name).purged", 0o700) == 0)
        }
        #expect(try fixture.purge.removeOrphans(limit: 3) { _ in false } == 0)
        #expect(try fixture.host.names(limit: 3) == ["b.purged"])
        #expect(try fixture.downloads.names(limit: 18).count == 18)
    }
}
