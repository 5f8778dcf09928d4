import Containers
import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// A plugin that changes everything while the host purges; bounded by counts, not by time.
@Suite(.serialized) struct FilePurgeRaceTests {
    private static let rounds = 500

    private func inode(_ path: String) -> UInt64? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// The inodes of all that is no folder in the container.
    private func inodes(_ fixture: ContainerFixture) throws -> [UInt64] {
        try fixture.files().compactMap { inode("\(fixture.path)/\($0)") }.sorted()
    }

    /// Publishes anew under a name that nothing has, and gives the file.
    private func publishBeside(
        _ names: [String], _ fixture: ContainerFixture, _ seed: UInt64
    ) throws -> PurgeCandidate {
        let draft = try fixture.draft(64, seed: seed)
        let opened = try Descriptor.open(draft, flags: O_RDONLY)
        let stamp = try EntryStatus(of: opened.raw, subject: draft).stamp
        let isPublished = names.contains { name in
            (try? fixture.downloads.restore("draft", from: fixture.host, as: name)) != nil
        }
        #expect(isPublished)
        return PurgeCandidate(
            rowID: 1, uniqueIdentifier: ContainerFixture.identifier, path: "Downloads/f",
            stamp: stamp, lastUsed: 0)
    }

    /// The name leads now to the file, now to another one, which is also somebody's outside.
    @Test(arguments: [true, false])
    func aFileSwappedForAnotherIsNotTaken(hasFlags: Bool) throws {
        let fixture = try ContainerFixture(hasRenameFlags: hasFlags)
        let outside = "\(fixture.path)/../outside/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: outside))
        let (one, other) = (fixture.whole("f"), fixture.whole("other"))
        #expect(unsafe link(outside, other) == 0)
        var candidate = try fixture.publish()
        let rival = Rival { Rival.exchange(one, other) }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        for round in 0..<Self.rounds {
            let outcome = fixture.purge.take(candidate)
            counts[outcome, default: 0] += 1
            if outcome == .purged {
                candidate = try publishBeside(["f", "other"], fixture, UInt64(round))
            }
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .changed, .gone]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
        #expect(counts[.purged] ?? 0 > 0, "\(counts)")
        #expect(try String(contentsOfFile: outside, encoding: .utf8) == "secret")
        // The last published file and the other one, whatever their names, and nothing besides.
        let expected = [try #require(inode(outside)), candidate.stamp.inode].sorted()
        #expect(try inodes(fixture) == expected, "\(counts)")
    }

    /// It gets and loses another name all the time, outside as well.
    @Test func aFileThatIsLinkedMeanwhileKeepsItsOtherName() throws {
        let fixture = try ContainerFixture()
        var candidate = try fixture.publish()
        let (one, link) = (fixture.whole("f"), "\(fixture.path)/../outside/link")
        let rival = Rival {
            unsafe Glibc.link(one, link)
            // Only while it has its own name: else this is the last one.
            if unsafe access(one, F_OK) == 0 { unsafe unlink(link) }
        }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        for round in 0..<Self.rounds {
            let outcome = fixture.purge.take(candidate)
            counts[outcome, default: 0] += 1
            if outcome == .purged {
                candidate = try publishBeside(["f"], fixture, UInt64(round))
            }
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .linked, .changed]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
        #expect(counts[.purged] ?? 0 > 0, "\(counts)")
        #expect(try fixture.files() == ["Downloads/f"])
        #expect(inode(one) == candidate.stamp.inode)
    }

    /// Its folder is now a folder, now a link to one outside with a file of that name.
    @Test(arguments: [true, false])
    func aFolderSwappedForALinkLeadsNowhere(hasFlags: Bool) throws {
        let fixture = try ContainerFixture(hasRenameFlags: hasFlags)
        let outside = "\(fixture.path)/../outside"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(outside)/f"))
        let (folder, link) = (fixture.whole("sub"), fixture.whole("link"))
        #expect(unsafe mkdir(folder, 0o700) == 0)
        #expect(unsafe symlink("../../outside", link) == 0)
        let rival = Rival { Rival.exchange(folder, link) }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        var candidate: PurgeCandidate?
        for round in 0..<Self.rounds {
            if candidate == nil { candidate = try publishBelow(fixture, UInt64(round)) }
            guard let file = candidate else { continue }
            let outcome = fixture.purge.take(file)
            counts[outcome, default: 0] += 1
            if outcome == .purged { candidate = nil }
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .changed, .gone]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
        #expect(counts[.purged] ?? 0 > 0, "\(counts)")
        #expect(try String(contentsOfFile: "\(outside)/f", encoding: .utf8) == "secret")
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["f"])
        #expect(try fixture.files().count == (candidate == nil ? 1 : 2))
    }

    /// Tries until the folder is one at that moment.
    private func publishBelow(_ fixture: ContainerFixture, _ seed: UInt64) throws
        -> PurgeCandidate
    {
        let draft = try fixture.draft(64, seed: seed)
        let opened = try Descriptor.open(draft, flags: O_RDONLY)
        let stamp = try EntryStatus(of: opened.raw, subject: draft).stamp
        let isPublished = (0..<10_000).contains { _ in
            (try? fixture.downloads.restore("draft", from: fixture.host, as: "sub/f")) != nil
        }
        #expect(isPublished)
        return PurgeCandidate(
            rowID: 1, uniqueIdentifier: ContainerFixture.identifier, path: "Downloads/sub/f",
            stamp: stamp, lastUsed: 0)
    }

    /// What is written to the last moment is not lost: it is another file then.
    @Test func aFileThatIsWrittenToStays() throws {
        let fixture = try ContainerFixture()
        let path = fixture.whole("f")
        let rival = Rival {
            let file = unsafe Glibc.open(path, O_WRONLY | O_APPEND)
            guard file >= 0 else { return }
            _ = unsafe Glibc.write(file, "x", 1)
            close(file)
        }
        var counts: [PurgeOutcome: Int] = [:]
        for round in 0..<Self.rounds {
            let candidate = try fixture.publishUnseen(seed: UInt64(round))
            let outcome = fixture.purge.take(candidate)
            counts[outcome, default: 0] += 1
            let isThere = inode(path) != nil
            #expect(isThere == (outcome != .purged), "\(outcome)")
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .changed]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
    }

    /// Something comes to lie in the place that a wrong file has to go back to.
    @Test func whatCannotGoBackIsPutBeside() throws {
        let fixture = try ContainerFixture()
        let outside = "\(fixture.path)/../outside/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: outside))
        let (name, spare) = (fixture.whole("f"), "\(fixture.path)/tmp/spare")
        let rival = Rival {
            // A link of the secret's takes the name, whatever has it.
            unsafe link(outside, spare)
            unsafe rename(spare, name)
            unsafe unlink(spare)
        }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        for round in 0..<Self.rounds {
            let outcome = fixture.purge.take(
                try fixture.publishUnseen(seed: UInt64(round)))
            counts[outcome, default: 0] += 1
            for number in 1...16 {
                // There are not always more names.
                unsafe unlink(fixture.whole("\(ContainerFixture.identifier).returned-\(number)"))
            }
        }
        #expect(rival.end() > 0)
        #expect(counts[.changed] ?? 0 > 0, "\(counts)")
        #expect(try String(contentsOfFile: outside, encoding: .utf8) == "secret")
        let held = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.path)/.bahost")
        #expect(held == [])
    }
}

extension ContainerFixture {
    /// Publishes a file whose name may be another's as soon as it is there.
    fileprivate func publishUnseen(seed: UInt64) throws -> PurgeCandidate {
        let draft = try draft(64, seed: seed)
        let opened = try Descriptor.open(draft, flags: O_RDONLY)
        let stamp = try EntryStatus(of: opened.raw, subject: draft).stamp
        try downloads.take(draft, as: "f")
        return PurgeCandidate(
            rowID: 1, uniqueIdentifier: ContainerFixture.identifier, path: "Downloads/f",
            stamp: stamp, lastUsed: 0)
    }
}
