import DownloadStore
import Foundation
import Testing

/// A state folder on a disk without a free byte: run by ``FullDiskTests``, once for each user, in a
/// process that sees such a disk.
@Suite(.serialized, .enabled(if: FullDiskTests.disk != nil, "no disk to fill here"))
final class FullDiskActs {
    /// So many that the rows of one purge lie on a page each.
    private static let rowCount = 4096
    private static let purged = (0..<256).map { Int64($0 * 16 + 1) }

    private let state: String
    private let filler: String

    init() throws {
        let disk = try #require(FullDiskTests.disk)
        state = "\(disk)/state"
        filler = "\(disk)/filler"
        try #require(unsafe mkdir(state, 0o700) == 0)
    }

    deinit {
        for path in [filler, state] { try? FileManager.default.removeItem(atPath: path) }
    }

    private func open() throws -> DownloadStore { try DownloadStore(folder: state) }

    /// Writes rows, and closes the store.
    private func addRows(_ count: Int = rowCount) throws {
        let store = try open()
        let changes = (0..<count).map { number in
            PublishedChange.rebuilt(
                .sample(UUID().uuidString, path: "Downloads/levels/level-\(number)"))
        }
        #expect(try store.changePublished(changes) == [])
    }

    /// Leaves no free byte.
    private func fill() throws {
        let file = unsafe Glibc.open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        for size in [1 << 16, 1 << 12, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while unsafe write(file, bytes, size) > 0 {}
            #expect(errno == ENOSPC)
        }
        #expect(try freeBytes() == 0)
    }

    /// Gives some back of what the filler has.
    private func makeRoom(pages: Int) throws {
        var facts = stat()
        try #require(unsafe stat(filler, &facts) == 0)
        #expect(unsafe truncate(filler, facts.st_size - pages * 4096) == 0)
        #expect(try freeBytes() == UInt(pages) * 4096)
    }

    private func empty() { #expect(unsafe unlink(filler) == 0) }

    private func removeBallast() { #expect(unsafe unlink("\(state)/ballast") == 0) }

    private var ballastBytes: Int? {
        var facts = stat()
        guard unsafe stat("\(state)/ballast", &facts) == 0 else { return nil }
        return Int(facts.st_blocks) * 512
    }

    private func freeBytes() throws -> UInt {
        var facts = statvfs()
        try #require(unsafe statvfs(state, &facts) == 0)
        return facts.f_bavail * facts.f_frsize
    }

    private func rows(_ store: DownloadStore) throws -> [Int64] {
        try store.publishedFiles(container: "/c", limit: 9999).map(\.rowID)
    }

    private func purging(_ store: DownloadStore) throws -> [Int64] {
        try store.purgingFiles(container: "/c").map(\.rowID)
    }

    // MARK: - With ballast

    /// One page more is enough for the number in the lock, and no further.
    @Test(arguments: 0...1)
    func aStoreOpensAndAPurgeIsWrittenDown(pages: Int) throws {
        try addRows()
        #expect(ballastBytes == 2 << 20)
        try fill()
        try makeRoom(pages: pages)
        do {
            let store = try open()
            #expect(store.notes == [])
            #expect(ballastBytes == 0)
            #expect(try store.changePublished(Self.purged.map { .purging($0) }) == [])
            store.restoreBallast()
            #expect(ballastBytes == 0)
            empty()
            store.restoreBallast()
            #expect(ballastBytes == 2 << 20)
            #expect(try store.changePublished([.forgotten(1)]) == [])
        }
        let store = try open()
        #expect(try purging(store) == Array(Self.purged.dropFirst()))
        #expect(try rows(store).count == Self.rowCount - 1)
    }

    @Test func closingMakesTheBallastAgain() throws {
        try addRows()
        try fill()
        do {
            let store = try open()
            #expect(try store.changePublished([.purging(1)]) == [])
            empty()
            #expect(ballastBytes == 0)
        }
        #expect(ballastBytes == 2 << 20)
    }

    /// A host that was running when the disk became full.
    @Test func anOpenStoreWritesAPurgeDown() throws {
        try addRows()
        let store = try open()
        try fill()
        #expect(ballastBytes == 2 << 20)
        #expect(try store.changePublished(Self.purged.map { .purging($0) }) == [])
        #expect(ballastBytes == 0)
        #expect(try purging(store) == Self.purged)
    }

    @Test func aMovedContainerIsWrittenDown() throws {
        try addRows(256)
        let store = try open()
        try fill()
        #expect(try store.moveContainer(from: "/c", to: "/d") == 256)
        #expect(ballastBytes == 0)
        #expect(try rows(store) == [])
    }

    // MARK: - Without

    @Test func nothingOpensAndNothingIsLost() throws {
        try addRows()
        removeBallast()
        try fill()
        #expect(storeError { _ = try open() }?.code == .noSpace)
        // Enough for the number in the lock, not for the index of the log.
        for pages in 1...3 {
            try makeRoom(pages: pages)
            let error = storeError { _ = try open() }
            #expect(error?.code == .noSpace, "\(pages): \(String(describing: error))")
            try fill()
        }
        empty()
        let store = try open()
        #expect(store.notes == [])
        #expect(try rows(store).count == Self.rowCount)
        #expect(ballastBytes == 2 << 20)
    }

    @Test func anOpenStoreKeepsNothingOfAPurge() throws {
        try addRows()
        let store = try open()
        removeBallast()
        try fill()
        let changes = Self.purged.map { PublishedChange.purging($0) }
        #expect(storeError { _ = try store.changePublished(changes) }?.code == .noSpace)
        #expect(try purging(store) == [])
        empty()
        #expect(try store.changePublished(changes) == [])
    }
}
