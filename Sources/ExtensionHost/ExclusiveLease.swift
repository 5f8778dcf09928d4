package import LinuxSystem

/// Exclusive control of a group within one host process: one holder, fair waiters, time handed in.
///
/// It belongs to a worker, not to one of its threads: a second acquire by the holder, or by a worker
/// that waits already, is refused with 1006, since waiting for itself would only end at its budget.
package struct ExclusiveLease: Hashable, Sendable {
    /// A worker's number, chosen by the engine.
    package typealias Holder = UInt64

    /// A host call that can be answered now; the status is what it returns.
    package struct Answer: Hashable, Sendable {
        package let holder: Holder
        package let sequence: UInt32
        package let status: Int32

        package init(holder: Holder, sequence: UInt32, status: Int32) {
            self.holder = holder
            self.sequence = sequence
            self.status = status
        }
    }

    private struct Waiter: Hashable, Sendable {
        let holder: Holder
        let sequence: UInt32
        let deadline: Instant?
    }

    package private(set) var holder: Holder?
    private var waiters: [Waiter] = []

    package init() {}

    /// When to call ``expire(now:)`` at the latest.
    package var nextDeadline: Instant? { waiters.compactMap(\.deadline).min() }

    /// Asks for the lease; nil means that the answer comes later.
    ///
    /// A timeout of -1 ms waits for as long as the worker lives, 0 not at all.
    package mutating func acquire(
        _ holder: Holder, sequence: UInt32, timeoutMilliseconds: Int64, now: Instant
    ) -> Int32? {
        guard timeoutMilliseconds >= -1 else { return RefusalCode.badArgument.status }
        guard self.holder != holder, !waiters.contains(where: { $0.holder == holder }) else {
            return RefusalCode.notAllowedNow.status
        }
        guard self.holder != nil else {
            self.holder = holder
            return 0
        }
        guard timeoutMilliseconds != 0 else { return RefusalCode.leaseDeadline.status }
        let wait = Duration.milliseconds(min(timeoutMilliseconds, 1 << 40))
        waiters.append(
            Waiter(
                holder: holder, sequence: sequence,
                deadline: timeoutMilliseconds < 0 ? nil : now + wait))
        return nil
    }

    /// Gives the lease back.
    ///
    /// - Returns: The status for the caller, 1006 when it does not hold it, and the next to answer.
    package mutating func release(_ holder: Holder) -> (status: Int32, next: Answer?) {
        guard self.holder == holder else { return (RefusalCode.notAllowedNow.status, nil) }
        return (0, passOn())
    }

    /// A worker has ended, however: it neither holds nor waits any more.
    package mutating func end(_ holder: Holder) -> Answer? {
        waiters.removeAll { $0.holder == holder }
        return self.holder == holder ? passOn() : nil
    }

    /// Refuses those whose deadline has come, with 1004.
    package mutating func expire(now: Instant) -> [Answer] {
        let late = waiters.filter { $0.deadline.map { $0 <= now } ?? false }
        waiters.removeAll { waiter in late.contains(waiter) }
        return late.map {
            Answer(
                holder: $0.holder, sequence: $0.sequence, status: RefusalCode.leaseDeadline.status)
        }
    }

    private mutating func passOn() -> Answer? {
        guard !waiters.isEmpty else {
            holder = nil
            return nil
        }
        let next = waiters.removeFirst()
        holder = next.holder
        return Answer(holder: next.holder, sequence: next.sequence, status: 0)
    }
}
