internal import Digests
internal import Synchronization

/// The SHA-256 of a growing file, read back from it: it covers what is on disk and nothing else.
///
/// It follows behind the writer on another thread; being late costs no memory.
final class FollowingHash: Sendable {
    /// What may be left to hash without a thread of its own: under a millisecond of work.
    static let smallRest: UInt64 = 1 << 20

    private struct State: ~Copyable {
        var hasher: SHA256Hasher?
        var failure: TransferFailure?
    }

    /// What is hashed before others have their turn.
    static let turn: UInt64 = 32 << 20

    private static let slice: UInt64 = 256 << 10

    private let file: DataFile
    private let state: Mutex<State>
    /// Bytes hashed.
    private let done = Atomic<UInt64>(0)
    /// Bytes that are in the file for good.
    private let goal = Atomic<UInt64>(0)
    private let isQueued = Atomic<Bool>(false)
    private let isAbandoned = Atomic<Bool>(false)

    init(of file: DataFile) throws(TransferFailure) {
        self.file = file
        do throws(DigestsError) {
            state = Mutex(State(hasher: try SHA256Hasher()))
        } catch {
            throw TransferFailure(error)
        }
    }

    /// Says that the file's first `length` bytes are there for good.
    ///
    /// True when somebody has to be told to ``follow()``.
    func advance(to length: UInt64) -> Bool {
        goal.store(length, ordering: .releasing)
        return becomesQueued()
    }

    /// The file is about to change: what is hashed no longer matters.
    func abandon() {
        isAbandoned.store(true, ordering: .releasing)
    }

    /// Hashes what is there, at most ``turn`` bytes of it; called where waiting does no harm.
    ///
    /// False when there is nothing left.
    func follow() -> Bool {
        isQueued.store(false, ordering: .sequentiallyConsistent)
        var room = [UInt8](repeating: 0, count: Int(Self.slice))
        for _ in 0..<Self.turn / Self.slice {
            guard !isAbandoned.load(ordering: .acquiring),
                hashSlice(upTo: goal.load(ordering: .acquiring), &room)
            else { return false }
        }
        return true
    }

    /// True when somebody has to be told to ``follow()``; false when somebody was.
    func becomesQueued() -> Bool { !isQueued.exchange(true, ordering: .acquiringAndReleasing) }

    /// The digest of the first `length` bytes; nil when much is left to hash.
    ///
    /// Nothing may follow it.
    func digest(of length: UInt64) throws(TransferFailure) -> [UInt8]? {
        let hashed = done.load(ordering: .acquiring)
        let failure = state.withLock { $0.failure }
        if let failure { throw failure }
        guard length - hashed <= Self.smallRest else { return nil }
        var room = [UInt8](repeating: 0, count: Int(min(Self.slice, length - hashed)))
        while hashSlice(upTo: length, &room) {}
        return try state.withLock { (state) throws(TransferFailure) in
            if let failure = state.failure { throw failure }
            guard let hasher = state.hasher.take() else {
                throw TransferFailure(DigestsError(code: .refused, subject: "hash finished twice"))
            }
            do throws(DigestsError) {
                return try hasher.finalize()
            } catch {
                throw TransferFailure(error)
            }
        }
    }

    /// False when nothing is left to do.
    private func hashSlice(upTo end: UInt64, _ room: inout [UInt8]) -> Bool {
        state.withLock { state in
            let start = done.load(ordering: .relaxed)
            guard state.failure == nil, start < end else { return false }
            let count = min(UInt64(room.count), end - start)
            do throws(TransferFailure) {
                try hash(&state.hasher, from: start, Int(count), &room)
                done.store(start + count, ordering: .releasing)
                return true
            } catch {
                state.failure = error
                return false
            }
        }
    }

    private func hash(
        _ hasher: inout SHA256Hasher?, from start: UInt64, _ count: Int, _ room: inout [UInt8]
    ) throws(TransferFailure) {
        try file.read(count, at: start, into: &room)
        do throws(DigestsError) {
            // SAFETY: bytes have no padding, so each is initialised.
            try hasher?.update(unsafe room.span.bytes.extracting(0..<count))
        } catch {
            throw TransferFailure(error)
        }
    }
}
