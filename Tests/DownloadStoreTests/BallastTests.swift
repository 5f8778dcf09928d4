import DownloadScheduler
import DownloadStore
import Foundation
import Testing

/// When the state folder holds space back for a full disk, and when it leaves a file alone.
struct BallastTests {
    private static let sizeBytes = 2 << 20
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    /// Of what has its name, a link not followed.
    private func facts() throws -> stat {
        var facts = stat()
        try #require(unsafe lstat(scratch.file("ballast"), &facts) == 0)
        return facts
    }

    private func isWhole() throws -> Bool {
        let facts = try facts()
        return facts.st_size == Self.sizeBytes && facts.st_blocks * 512 >= Self.sizeBytes
    }

    @Test func itComesWithTheDatabaseAndStays() throws {
        try scratch.withStore { (_) throws in #expect(try isWhole()) }
        #expect(try isWhole())
        #expect(try facts().st_mode & 0o777 == 0o600)
        let inode = try facts().st_ino
        try scratch.withStore { _ in }
        #expect(try facts().st_ino == inode)
    }

    @Test func itComesWithTheFirstDownloadWhereThatMakesTheDatabase() throws {
        var store: DownloadStore? = try DownloadStore(
            folder: scratch.path, creation: .whenAdmitting)
        store?.restoreBallast()
        #expect(try scratch.names() == ["host.lock"])
        #expect(try store?.admit([.sample("a")]).count == 1)
        #expect(try isWhole())
        store = nil
        #expect(try isWhole())
    }

    @Test func withoutADatabaseClosingMakesNone() throws {
        _ = try DownloadStore(folder: scratch.path, creation: .whenAdmitting)
        #expect(try scratch.names() == ["host.lock"])
    }

    /// Removed, cut, or a copy that is a hole.
    @Test(arguments: [nil, 0, 4096, off_t(sizeBytes)])
    func whatIsNotWholeIsMadeAgain(length: off_t?) throws {
        func spoil() throws {
            #expect(unsafe unlink(scratch.file("ballast")) == 0)
            guard let length else { return }
            try scratch.write("ballast", Data())
            #expect(unsafe truncate(scratch.file("ballast"), length) == 0)
            #expect(try !isWhole())
        }
        try scratch.withStore { _ in }
        try spoil()
        try scratch.withStore { (store) throws in
            #expect(try isWhole())
            try spoil()
            store.restoreBallast()
            #expect(try isWhole())
            try spoil()
        }
        #expect(try isWhole())
    }

    @Test func aLinkOfItsNameIsNotFollowed() throws {
        try scratch.write("other", Data("mine".utf8))
        #expect(unsafe symlink("other", scratch.file("ballast")) == 0)
        try scratch.withStore { $0.restoreBallast() }
        #expect(try scratch.read("other") == Data("mine".utf8))
        #expect(try facts().st_mode & S_IFMT == S_IFLNK)
        #expect(unsafe unlink(scratch.file("ballast")) == 0)
        #expect(unsafe symlink("missing", scratch.file("ballast")) == 0)
        try scratch.withStore { $0.restoreBallast() }
        #expect(try !scratch.names().contains("missing"))
    }

    @Test func anotherNameOfAFileIsLeftAlone() throws {
        try scratch.write("other", Data("mine".utf8))
        #expect(unsafe link(scratch.file("other"), scratch.file("ballast")) == 0)
        try scratch.withStore { $0.restoreBallast() }
        #expect(try scratch.read("other") == Data("mine".utf8))
    }

    /// A pipe would block, a folder cannot be written: nobody waits, and the store opens.
    @Test func whatIsNoFileIsLeftAlone() throws {
        #expect(unsafe mkfifo(scratch.file("ballast"), 0o600) == 0)
        try scratch.withStore { (store) throws in
            #expect(try store.admit([.sample("a")]).count == 1)
        }
        #expect(try facts().st_mode & S_IFMT == S_IFIFO)
        #expect(unsafe unlink(scratch.file("ballast")) == 0)
        #expect(unsafe mkdir(scratch.file("ballast"), 0o700) == 0)
        try scratch.withStore { (store) throws in
            #expect(try store.counts(app: "app") == [.created: 1])
        }
        #expect(try facts().st_mode & S_IFMT == S_IFDIR)
    }

    /// To go past the limit kills a process that does not ignore it.
    @Test func belowALimitOnFilesThereIsNone() async throws {
        let path = scratch.path
        await #expect(processExitsWith: .exitCode(77)) { [path = path as String] in
            guard limitFileSize((2 << 20) - 1) else { exit(1) }
            let store = try DownloadStore(folder: path)
            guard try store.admit([.sample("a")]).count == 1 else { exit(2) }
            exit(77)
        }
        #expect(try !scratch.names().contains("ballast"))
    }
}
