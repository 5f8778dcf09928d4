import Foundation
import Glibc
import Synchronization

/// What a plugin does on another thread while the host works.
package final class Rival: Sendable {
    private let isStopping = Atomic(false)
    private let rounds = Atomic(0)
    private let successes = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)

    /// Does one thing again and again until ``end()``.
    package convenience init(_ body: @escaping @Sendable () -> Void) {
        self.init(
            (),
            {
                body()
                return true
            })
    }

    /// The same, of which only what succeeds counts.
    ///
    /// - Parameter body: True when it has done what it is for.
    /// - Returns: The rival, at work.
    package static func counting(_ body: @escaping @Sendable () -> Bool) -> Rival {
        Rival((), body)
    }

    private init(_: Void, _ body: @escaping @Sendable () -> Bool) {
        Thread.detachNewThread { [self] in
            while !isStopping.load(ordering: .relaxed) {
                if body() { successes.add(1, ordering: .relaxed) }
                rounds.add(1, ordering: .relaxed)
            }
            ended.signal()
        }
    }

    /// Waits for its first round.
    package func waitForStart() {
        while rounds.load(ordering: .relaxed) == 0 { sched_yield() }
    }

    /// How many rounds it has done with success.
    package func end() -> Int {
        isStopping.store(true, ordering: .relaxed)
        ended.wait()
        return successes.load(ordering: .relaxed)
    }

    private typealias Rename =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32

    /// Swaps two entries in one step; false when that was not done.
    ///
    /// `renameat2(2)` RENAME_EXCHANGE, which the overlay of the C library leaves out.
    package static func exchange(_ one: String, _ other: String) -> Bool {
        guard let symbol = unsafe dlsym(nil, "renameat2") else { return false }
        let rename = unsafe unsafeBitCast(symbol, to: Rename.self)
        return unsafe rename(AT_FDCWD, one, AT_FDCWD, other, 2) == 0
    }
}
