import DownloadScheduler
import DownloadStore
import Foundation
import Synchronization
import Testing

/// A child process uses the store and dies by SIGKILL. (That a commit survives a power cut too is
/// SQLite's `synchronous=FULL`; no test here can cut the power.)
struct KillTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    @Test func whatWasAdmittedSurvivesKill() async throws {
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let store = try DownloadStore(folder: path)
            let rows = try store.admit((0..<50).map { .sample("item \($0)") })
            _ = try store.commit([.state(rows[0].rowID, .downloading)])
            kill(getpid(), SIGKILL)
        }
        #expect(try !scratch.read("host.lock").isEmpty)
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            #expect(try store.counts(app: "app") == [.created: 49, .downloading: 1])
            #expect(try store.requeueInFlight(app: "app") == 1)
        }
    }

    /// The child admits batches of 20 without end and appends a byte to a file after each; a second
    /// thread kills it once `least` batches were told of and a spin of some length is over, so that
    /// death comes anywhere in a transaction.
    @Test(arguments: [
        (1, 0), (2, 20_000), (3, 100_000), (5, 300_000), (8, 700_000), (13, 1_500_000),
    ])
    func aKillLosesNoBatchThatWasToldOfAndKeepsNoPartOfOne(least: Int, spin: Int) async throws {
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, least = least as Int, spin = spin as Int] in
            try KillTests.admitUntilKilled(path, least, spin)
        }
        let told = try scratch.read("told").count
        #expect(told >= least)
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            let batches = Dictionary(grouping: try store.unfinished(app: "app"), by: \.priority)
            #expect(batches.values.allSatisfy { $0.count == 20 })
            #expect(batches.count == told || batches.count == told + 1)
            print("killed after \(told) batches told of, \(batches.count) stored")
        }
    }

    /// As above, with changes: each transaction gives all rows the next number.
    @Test(arguments: [(1, 0), (2, 30_000), (5, 200_000), (9, 900_000)])
    func aKillLosesNoCommitThatWasToldOfAndKeepsNoPartOfOne(least: Int, spin: Int) async throws {
        try scratch.withStore { _ = try $0.admit((0..<30).map { .sample("item \($0)") }) }
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, least = least as Int, spin = spin as Int] in
            try KillTests.repeatUntilKilled(path, least, spin) { (store, number) throws in
                _ = try store.commit((1...30).map { .state($0, .waiting, attempts: number + 1) })
            }
        }
        let told = try scratch.read("told").count
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            let numbers = Set(try store.unfinished(app: "app").map(\.attempts))
            #expect(numbers.count == 1)
            #expect(numbers.isSubset(of: [told, told + 1]))
        }
    }

    /// As above: each transaction finishes a download, publishes its file and begins and ends a purge.
    @Test(arguments: [(1, 0), (2, 30_000), (5, 200_000), (9, 900_000)])
    func aKillPartsNoDownloadFromTheRowOfItsFile(least: Int, spin: Int) async throws {
        try scratch.withStore { _ = try $0.admit((0..<2000).map { .sample("item \($0)") }) }
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, least = least as Int, spin = spin as Int] in
            try KillTests.repeatUntilKilled(path, least, spin) { (store, number) throws in
                guard number < 2000 else { return }
                let row = Int64(number + 1)
                let place = PublishedPlace(
                    container: "/c", stamp: .sample(UInt64(row)), publishedAt: 1)
                _ = try store.commit([.finished(.sample(row, published: place))])
                _ = try store.changePublished([.back(row - 1), .purging(row)])
            }
        }
        let told = try scratch.read("told").count
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            let rows = try store.publishedFiles(container: "/c")
            #expect(rows.map(\.rowID) == (0..<rows.count).map { Int64($0 + 1) })
            #expect(try store.counts(app: "app")[.finished] ?? 0 == rows.count)
            #expect(rows.count >= min(told, 2000))
            let purging = rows.filter(\.isPurging).map(\.rowID)
            #expect(purging.count <= 1 && (purging.first ?? 0) >= Int64(rows.count) - 1)
        }
    }

    @Test(arguments: [0, 100_000, 1_000_000, 4_000_000, 12_000_000])
    func aKillInAMigrationLeavesTheOldSchemaOrTheNew(spin: Int) async throws {
        try scratch.withDatabase { database in
            try SchemaOne.make(in: database)
            try SchemaOne.add(rows: 3000, to: database)
        }
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, spin = spin as Int] in
            Thread.detachNewThread {
                let count = Atomic(0)
                while count.add(1, ordering: .relaxed).newValue < spin {}
                kill(getpid(), SIGKILL)
            }
            _ = try DownloadStore(folder: path)
            while true {}
        }
        try scratch.withStore { (store) throws in
            #expect(store.notes == [])
            #expect(try store.counts(app: "app")[.waiting] == 3001)
        }
    }

    private static func admitUntilKilled(_ path: String, _ least: Int, _ spin: Int) throws {
        try repeatUntilKilled(path, least, spin) { (store, batch) throws in
            let records = (0..<20).map { number in
                var record = DownloadRecord.sample("\(batch).\(number)")
                record.priority = Int64(batch)
                return record
            }
            _ = try store.admit(records)
        }
    }

    /// Does `body` with 0, 1, 2 and so on, and tells of each in the file `told`.
    private static func repeatUntilKilled(
        _ path: String, _ least: Int, _ spin: Int, _ body: (DownloadStore, Int) throws -> Void
    ) throws {
        let told = Told()
        Thread.detachNewThread {
            while told.count.load(ordering: .relaxed) < least {}
            for _ in 0..<spin { _ = told.count.load(ordering: .relaxed) }
            kill(getpid(), SIGKILL)
        }
        let store = try DownloadStore(folder: path)
        let file = unsafe open("\(path)/told", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for number in 0... {
            try body(store, number)
            guard unsafe write(file, [1] as [UInt8], 1) == 1 else { return }
            told.count.add(1, ordering: .relaxed)
        }
    }

    private final class Told: Sendable {
        let count = Atomic(0)
    }
}
