import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Nothing outside is reached however names change meanwhile; bounded by counts, not by time.
@Suite(.serialized) struct ConfinedFolderRaceTests {
    /// One of everything on a folder that may be a link at any moment; how many of them were done.
    private func work(
        _ hostile: HostileFolder, in sub: String, _ number: Int, canResolve: Bool
    ) throws -> Int {
        // Name by name, what was a link may be a folder again when the fault is looked into.
        let faults = [nil, ELOOP, ENOENT] + (canResolve ? [] : [ENOTDIR])
        let draft = try hostile.draft("draft \(number)")
        let works: [(ConfinedFolder) throws -> Void] = [
            { try $0.take(draft, as: "\(sub)/secret") },
            { _ = try $0.status("\(sub)/secret") },
            { _ = try $0.open("\(sub)/secret") },
            { try $0.removeFolder("\(sub)/inner") },
            { try $0.remove("\(sub)/secret") },
            { _ = try $0.names(in: sub, limit: 9) },
        ]
        var count = 0
        for work in works {
            let code = hostile.code(work)
            if code == nil { count += 1 }
            #expect(faults.contains(code), "\(code ?? 0)")
        }
        return count
    }

    /// The second folder's last letter and the slash behind it are one Character.
    @Test(arguments: HostileFolder.Way.all, ["sub", "sub\u{600}"])
    func aFolderSwappedForALinkLeadsNowhere(way: HostileFolder.Way, sub: String) throws {
        let hostile = try HostileFolder(way)
        let (one, other) = ("\(hostile.inside)/\(sub)", "\(hostile.inside)/link")
        try hostile.run { #expect(unsafe mkdir(one, 0o700) == 0) }
        hostile.link("link", to: "../outside")
        let rival = Rival.counting { Rival.exchange(one, other) }
        rival.waitForStart()
        var done = 0
        try hostile.run {
            for number in 0..<200 {
                done += try work(hostile, in: sub, number, canResolve: way.canResolve)
            }
        }
        #expect(rival.end() > 0)
        #expect(done > 0)
        #expect(try hostile.isOutsideUntouched())
    }

    @Test(arguments: HostileFolder.Way.all)
    func aNameSwappedForALinkIsReplacedItself(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        let name = "\(hostile.inside)/name"
        let spare = "\(hostile.inside)/spare"
        let secret = "\(hostile.outside)/secret"
        let rival = Rival {
            unsafe unlink(spare)
            unsafe symlink(secret, spare)
            unsafe rename(spare, name)
            unsafe link(secret, spare)
            unsafe rename(spare, name)
        }
        rival.waitForStart()
        try hostile.run {
            for number in 0..<500 {
                try hostile.folder.take(try hostile.draft("draft \(number)"), as: "name")
                let code = hostile.code { _ = try $0.open("name") }
                #expect([nil, ELOOP, ENOENT].contains(code))
                _ = try hostile.folder.status("name")
                try hostile.folder.remove("name")
            }
        }
        #expect(rival.end() > 0)
        #expect(unsafe unlink(spare) == 0 || errno == ENOENT)
        #expect(unsafe unlink(name) == 0 || errno == ENOENT)
        #expect(try hostile.isOutsideUntouched())
    }

    /// A closed folder gets its rights back, and a file that takes its place keeps those it has.
    @Test func rightsAreGivenToNoFileOutside() throws {
        let hostile = try HostileFolder(.init(canResolve: true, isOrdinary: true))
        let (sub, spare) = ("\(hostile.inside)/sub", "\(hostile.inside)/spare")
        let secret = "\(hostile.outside)/secret"
        try hostile.run { #expect(unsafe mkdir(sub, 0o700) == 0) }
        let closed = try Descriptor.open(sub, flags: O_RDONLY | O_DIRECTORY)
        let raw = closed.raw
        #expect(unsafe link(secret, spare) == 0)
        let rival = Rival.counting {
            fchmod(raw, 0)
            let isThere = Rival.exchange(sub, spare)
            return Rival.exchange(sub, spare) && isThere
        }
        rival.waitForStart()
        var measured = 0
        try hostile.run {
            for _ in 0..<500 where FolderUse.measure([hostile.folder], mostFiles: 9) != nil {
                measured += 1
            }
        }
        #expect(rival.end() > 0)
        #expect(measured > 0)
        var status = stat()
        #expect(unsafe lstat(secret, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o640)
        withExtendedLifetime(closed) {}
    }
}
