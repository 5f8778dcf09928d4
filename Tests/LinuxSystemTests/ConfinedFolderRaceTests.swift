import Foundation
import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

/// What a plugin does on another thread while the host works.
private final class Rival: Sendable {
    private let isStopping = Atomic(false)
    private let rounds = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)

    /// Does one thing again and again until ``end()``.
    init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            while !isStopping.load(ordering: .relaxed) {
                body()
                rounds.add(1, ordering: .relaxed)
            }
            ended.signal()
        }
    }

    /// Waits for its first round.
    func waitForStart() {
        while rounds.load(ordering: .relaxed) == 0 { sched_yield() }
    }

    /// How many rounds it has done.
    func end() -> Int {
        isStopping.store(true, ordering: .relaxed)
        ended.wait()
        return rounds.load(ordering: .relaxed)
    }
}

/// Nothing outside is reached however names change meanwhile; bounded by counts, not by time.
@Suite(.serialized) struct ConfinedFolderRaceTests {
    private typealias Rename =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32

    /// Swaps two entries in one step.
    ///
    /// `renameat2(2)` RENAME_EXCHANGE, which the overlay of the C library leaves out.
    private static func exchange(_ one: String, _ other: String) {
        guard let symbol = unsafe dlsym(nil, "renameat2") else { return }
        let rename = unsafe unsafeBitCast(symbol, to: Rename.self)
        _ = unsafe rename(AT_FDCWD, one, AT_FDCWD, other, 2)
    }

    /// One of everything on a folder that may be a link at any moment; how many of them were done.
    private func work(
        _ hostile: HostileFolder, _ number: Int, canResolve: Bool
    ) throws -> Int {
        // Name by name, what was a link may be a folder again when the fault is looked into.
        let faults = [nil, ELOOP, ENOENT] + (canResolve ? [] : [ENOTDIR])
        let draft = try hostile.draft("draft \(number)")
        let works: [(ConfinedFolder) throws -> Void] = [
            { try $0.take(draft, as: "sub/secret") },
            { _ = try $0.status("sub/secret") },
            { _ = try $0.open("sub/secret") },
            { try $0.removeFolder("sub/inner") },
            { try $0.remove("sub/secret") },
            { _ = try $0.names(in: "sub", limit: 9) },
        ]
        var count = 0
        for work in works {
            let code = hostile.code(work)
            if code == nil { count += 1 }
            #expect(faults.contains(code), "\(code ?? 0)")
        }
        return count
    }

    @Test(arguments: HostileFolder.Way.all)
    func aFolderSwappedForALinkLeadsNowhere(way: HostileFolder.Way) throws {
        let hostile = try HostileFolder(way)
        try hostile.run { #expect(unsafe mkdir("\(hostile.inside)/sub", 0o700) == 0) }
        hostile.link("link", to: "../outside")
        let (one, other) = ("\(hostile.inside)/sub", "\(hostile.inside)/link")
        let rival = Rival { ConfinedFolderRaceTests.exchange(one, other) }
        rival.waitForStart()
        var done = 0
        try hostile.run {
            for number in 0..<200 {
                done += try work(hostile, number, canResolve: way.canResolve)
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
        let rival = Rival {
            fchmod(raw, 0)
            ConfinedFolderRaceTests.exchange(sub, spare)
            ConfinedFolderRaceTests.exchange(sub, spare)
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
