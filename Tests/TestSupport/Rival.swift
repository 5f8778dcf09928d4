import Foundation
import Glibc
import Synchronization

/// What a plugin does on another thread while the host works.
package final class Rival: Sendable {
    private let isStopping = Atomic(false)
    private let rounds = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)

    /// Does one thing again and again until ``end()``.
    package init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            while !isStopping.load(ordering: .relaxed) {
                body()
                rounds.add(1, ordering: .relaxed)
            }
            ended.signal()
        }
    }

    /// Waits for its first round.
    package func waitForStart() {
        while rounds.load(ordering: .relaxed) == 0 { sched_yield() }
    }

    /// How many rounds it has done.
    package func end() -> Int {
        isStopping.store(true, ordering: .relaxed)
        ended.wait()
        return rounds.load(ordering: .relaxed)
    }

    private typealias Rename =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32

    /// Swaps two entries in one step.
    ///
    /// `renameat2(2)` RENAME_EXCHANGE, which the overlay of the C library leaves out.
    package static func exchange(_ one: String, _ other: String) {
        guard let symbol = unsafe dlsym(nil, "renameat2") else { return }
        let rename = unsafe unsafeBitCast(symbol, to: Rename.self)
        _ = unsafe rename(AT_FDCWD, one, AT_FDCWD, other, 2)
    }
}
