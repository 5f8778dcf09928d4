import Containers
import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// A plugin that changes everything while the host purges; bounded by counts, not by time.
@Suite(.serialized) struct FilePurgeRaceTests {
    /// Goes on until each outcome that a test is about was seen, and gives up at the greater bound.
    private static let (rounds, mostRounds) = (500, 50_000)

    private static func goesOn(
        _ round: Int, _ counts: [PurgeOutcome: Int], until seen: [PurgeOutcome]
    ) -> Bool {
        round < rounds || round < mostRounds && seen.contains { counts[$0] == nil }
    }

    /// Names as everybody has them, and two that make one Character with the slash beside.
    private static let names: [(folder: String, file: String)] = [
        ("sub", "f"), ("sub\u{600}", "\u{301}f"),
    ]

    /// Leaves the host some time, a different one each time.
    private static func pause() {
        for _ in 0..<Int.random(in: 0...400) { sched_yield() }
    }

    private func inode(_ path: String) -> UInt64? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// The inodes of all that is no folder in the container.
    private func inodes(_ fixture: ContainerFixture) throws -> [UInt64] {
        try fixture.files().compactMap { inode("\(fixture.path)/\($0)") }.sorted()
    }

    /// Publishes anew where it can be at that moment; the first place is where it is looked for.
    private func publish(
        in places: [String], _ fixture: ContainerFixture, _ seed: UInt64
    ) throws -> PurgeCandidate {
        let stamp = try fixture.draftStamp(seed: seed)
        let isPublished = (0..<1_000).contains { _ in
            places.contains { place in
                (try? fixture.downloads.restore("draft", from: fixture.host, as: place)) != nil
            }
        }
        #expect(isPublished)
        return fixture.candidate(places[0], stamp)
    }

    /// The name leads now to the file, now to another one, which is also somebody's outside.
    @Test(arguments: [true, false], ["f", "\u{301}f"])
    func aFileSwappedForAnotherIsNotTaken(hasFlags: Bool, name: String) throws {
        let fixture = try ContainerFixture(hasRenameFlags: hasFlags)
        let outside = "\(fixture.path)/../outside/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: outside))
        let (one, other) = (fixture.whole(name), fixture.whole("other"))
        #expect(unsafe link(outside, other) == 0)
        var candidate = try fixture.publish(name)
        let rival = Rival.counting {
            defer { Self.pause() }
            return Rival.exchange(one, other)
        }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        var round = 0
        while Self.goesOn(round, counts, until: [.purged, .changed]) {
            round += 1
            let outcome = fixture.purge.take(candidate)
            counts[outcome, default: 0] += 1
            if outcome == .purged {
                candidate = try publish(in: [name, "other"], fixture, UInt64(round))
            }
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .changed, .gone]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
        #expect(counts[.purged] ?? 0 > 0 && counts[.changed] ?? 0 > 0, "\(counts)")
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
            Self.pause()
            unsafe Glibc.link(one, link)
            // Only while it has its own name: else this is the last one.
            if unsafe access(one, F_OK) == 0 { unsafe unlink(link) }
        }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        var round = 0
        while Self.goesOn(round, counts, until: [.purged, .linked]) {
            round += 1
            let outcome = fixture.purge.take(candidate)
            counts[outcome, default: 0] += 1
            if outcome == .purged {
                // Nobody can make one of what has no name any more.
                #expect(unsafe access(link, F_OK) != 0)
                candidate = try publish(in: ["f"], fixture, UInt64(round))
            }
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .linked, .changed]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
        #expect(counts[.purged] ?? 0 > 0 && counts[.linked] ?? 0 > 0, "\(counts)")
        #expect(try fixture.files() == ["Downloads/f"])
        #expect(inode(one) == candidate.stamp.inode)
    }

    /// Who reaches the host's own folder can make another name at the last moment: nothing was freed
    /// then, and the file has its row still.
    @Test func whatIsLinkedAtTheLastMomentIsNotToldAsGone() throws {
        let fixture = try ContainerFixture()
        let held = "\(fixture.path)/.bahost/\(ContainerFixture.identifier).purged"
        let (name, link) = (fixture.whole("f"), "\(fixture.path)/../outside/link")
        let rival = Rival.counting { unsafe Glibc.link(held, link) == 0 }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        var lastMoments = 0
        var round = 0
        while round < Self.rounds || round < Self.mostRounds && lastMoments == 0 {
            round += 1
            let outcome = fixture.purge.take(try fixture.publishUnseen(seed: UInt64(round)))
            counts[outcome, default: 0] += 1
            #expect((outcome == .linked) == (inode(link) != nil), "\(outcome)")
            if outcome == .linked, inode(name) == nil { lastMoments += 1 }
            unsafe unlink(link)
            unsafe unlink(name)
        }
        #expect(rival.end() > 0)
        #expect(Set([.purged, .linked]).isSuperset(of: counts.keys), "\(counts)")
        #expect(lastMoments > 0, "\(counts)")
    }

    /// Its folder is now a folder, now a link to one outside with a file of that name.
    @Test(arguments: [true, false], names)
    func aFolderSwappedForALinkLeadsNowhere(
        hasFlags: Bool, names: (folder: String, file: String)
    ) throws {
        let fixture = try ContainerFixture(hasRenameFlags: hasFlags)
        let outside = "\(fixture.path)/../outside"
        let secret = "\(outside)/\(names.file)"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(outside)/draft"))
        #expect(unsafe rename("\(outside)/draft", secret) == 0)
        let (folder, link) = (fixture.whole(names.folder), fixture.whole("link"))
        #expect(unsafe mkdir(folder, 0o700) == 0)
        #expect(unsafe symlink("../../outside", link) == 0)
        let rival = Rival.counting {
            defer { Self.pause() }
            return Rival.exchange(folder, link)
        }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        var candidate: PurgeCandidate?
        var round = 0
        while Self.goesOn(round, counts, until: [.purged, .changed]) {
            round += 1
            let places = [names.folder, "link"].map { "\($0)/\(names.file)" }
            let file = try candidate ?? publish(in: places, fixture, UInt64(round))
            candidate = file
            let outcome = fixture.purge.take(file)
            counts[outcome, default: 0] += 1
            if outcome == .purged { candidate = nil }
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .changed, .gone]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
        #expect(counts[.purged] ?? 0 > 0 && counts[.changed] ?? 0 > 0, "\(counts)")
        #expect(try DescriptorIO.readRegular(secret, limit: 9) == Array("secret".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).count == 1)
        #expect(try fixture.files().count == (candidate == nil ? 1 : 2))
    }

    /// A file that is seen to have been written to stays; what is written after the last look, through
    /// a descriptor from before, goes with the file.
    @Test func aFileThatIsWrittenToStays() throws {
        let fixture = try ContainerFixture()
        let path = fixture.whole("f")
        let rival = Rival.counting {
            Self.pause()
            let file = unsafe Glibc.open(path, O_WRONLY | O_APPEND)
            guard file >= 0 else { return false }
            defer { close(file) }
            return unsafe Glibc.write(file, "x", 1) == 1
        }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        var round = 0
        while Self.goesOn(round, counts, until: [.purged, .changed]) {
            round += 1
            let candidate = try fixture.publishUnseen(seed: UInt64(round))
            let outcome = fixture.purge.take(candidate)
            counts[outcome, default: 0] += 1
            let isThere = inode(path) != nil
            #expect(isThere == (outcome != .purged), "\(outcome)")
        }
        #expect(rival.end() > 0)
        let known: Set<PurgeOutcome> = [.purged, .changed]
        #expect(known.isSuperset(of: counts.keys), "\(counts)")
        #expect(counts[.purged] ?? 0 > 0 && counts[.changed] ?? 0 > 0, "\(counts)")
    }

    /// Something comes to lie in the place that a wrong file has to go back to.
    @Test func whatCannotGoBackIsPutBeside() throws {
        let fixture = try ContainerFixture()
        let outside = "\(fixture.path)/../outside/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: outside))
        let other = "\(fixture.path)/../outside/other"
        try Data("other".utf8).write(to: URL(fileURLWithPath: other))
        let (name, spare) = (fixture.whole("f"), "\(fixture.path)/tmp/spare")
        let rival = Rival {
            // A link of the secret's takes the name, whatever has it.
            Self.pause()
            unsafe link(outside, spare)
            unsafe rename(spare, name)
            unsafe unlink(spare)
            // And as soon as that is moved out, another file.
            for _ in 0..<200 where unsafe link(other, name) == 0 { break }
        }
        rival.waitForStart()
        var counts: [PurgeOutcome: Int] = [:]
        var returns = 0
        var round = 0
        while Self.goesOn(round, counts, until: [.purged, .changed])
            || round < Self.mostRounds && returns == 0
        {
            round += 1
            let outcome = fixture.purge.take(
                try fixture.publishUnseen(seed: UInt64(round)))
            counts[outcome, default: 0] += 1
            for number in 1...16 {
                let name = fixture.whole("\(ContainerFixture.identifier).returned-\(number)")
                // Not in every round.
                if unsafe unlink(name) == 0 { returns += 1 }
            }
        }
        #expect(rival.end() > 0)
        #expect(returns > 0, "\(counts)")
        #expect(counts[.purged] ?? 0 > 0 && counts[.changed] ?? 0 > 0, "\(counts)")
        #expect(try String(contentsOfFile: outside, encoding: .utf8) == "secret")
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "other")
        let held = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.path)/.bahost")
        #expect(held == [])
    }
}

extension ContainerFixture {
    /// Publishes a file whose name may be another's as soon as it is there.
    fileprivate func publishUnseen(seed: UInt64) throws -> PurgeCandidate {
        let stamp = try draftStamp(seed: seed)
        try downloads.take("\(path)/.bahost/draft", as: "f")
        return candidate("f", stamp)
    }

    /// Of a new draft.
    fileprivate func draftStamp(seed: UInt64) throws -> FileStamp {
        let draft = try draft(64, seed: seed)
        let opened = try Descriptor.open(draft, flags: O_RDONLY)
        return try EntryStatus(of: opened.raw, subject: draft).stamp
    }
}
