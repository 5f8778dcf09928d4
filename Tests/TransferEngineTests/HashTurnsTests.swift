import Digests
import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Hashes that share one thread take turns.
@Suite struct HashTurnsTests {
    /// The digests in the order in which they were told of.
    private final class Told: Sendable {
        private let ids = Mutex<[Int64]>([])
        private let flag: EventFlag

        init() throws { flag = try EventFlag() }

        /// So many, or what there is after a minute without any.
        func first(_ count: Int) throws -> [Int64] {
            while true {
                flag.clear()
                let known = ids.withLock { $0 }
                var set = PollSet()
                let place = set.add(flag.descriptor)
                if known.count < count { try set.wait(timeout: .seconds(60)) }
                if known.count >= count || !set.isReadable(place) { return known }
            }
        }

        func add(_ id: Int64) {
            ids.withLock { $0.append(id) }
            flag.raise()
        }
    }

    /// A file of zeros that takes no space, hashed from the start.
    private func hash(_ bytes: UInt64, in folder: ScratchFolder) throws -> FollowingHash {
        let file = try DataFile(path: folder.path("zeros-\(bytes)"))
        #expect(unsafe truncate(file.path, off_t(bytes)) == 0)
        return try FollowingHash(of: file)
    }

    @Test func aTurnEndsAndTheNextGoesOn() throws {
        let folder = try ScratchFolder()
        let size = FollowingHash.turn + 1
        let hash = try hash(size, in: folder)
        #expect(hash.advance(to: size))
        #expect(!hash.advance(to: size))
        #expect(hash.follow())
        #expect(hash.becomesQueued())
        #expect(!hash.follow())
        var whole = try SHA256Hasher()
        let zeros = [UInt8](repeating: 0, count: Int(size))
        try unsafe whole.update(zeros.span.bytes)
        #expect(try hash.digest(of: size) == whole.finalize())
    }

    /// The large one would take minutes.
    @Test func aSmallOneNeedNotWaitForALargeOne() throws {
        let folder = try ScratchFolder()
        let told = try Told()
        let threads = try DiskThreads { report in
            if case .caughtUp(let id, _) = report { told.add(id) }
        }
        defer { threads.finish() }
        let largeSize: UInt64 = 1 << 40
        let large = try hash(largeSize, in: folder)
        defer { large.abandon() }
        let small = try hash(1 << 20, in: folder)
        threads.follow(large, to: largeSize)
        threads.wait(for: large, id: 1)
        threads.follow(small, to: 1 << 20)
        threads.wait(for: small, id: 2)
        #expect(try told.first(1) == [2])
        large.abandon()
        #expect(try told.first(2) == [2, 1])
    }
}
