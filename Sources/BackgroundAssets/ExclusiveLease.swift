internal import CPluginSDK
internal import Foundation
internal import Synchronization

/// Holds the host's lease for one thread at a time.
///
/// The host's lease is one per worker, so threads of this process exclude each other here first.
final class ExclusiveLease: Sendable {
    private let threads = NSRecursiveLock()
    // How often the thread that has the lock holds the lease.
    private let depth = Mutex(0)

    /// Takes the lease, runs the body, gives the lease back.
    ///
    /// - Throws: What the body throws; `BAError` with the host's answer, or 56 without a host.
    func hold<Value>(
        before deadline: Date?, _ body: () throws -> sending Value
    ) throws -> sending Value {
        let host = try BADownloadManager.shared.host()
        RunState.shared.beginCall()
        defer { RunState.shared.endCall() }
        try acquire(host, before: deadline)
        defer { release(host) }
        return try body()
    }

    private func acquire(_ host: HostTable, before deadline: Date?) throws {
        guard lockThreads(before: deadline) else {
            throw Self.failure(BAHOST_STATUS_LEASE_DEADLINE)
        }
        guard depth.withLock({ $0 == 0 }) else {
            depth.withLock { $0 += 1 }
            return
        }
        let timeout = Self.milliseconds(until: deadline)
        let status = host.acquireExclusive(timeoutMilliseconds: timeout)
        guard status == BAHOST_STATUS_OK else {
            threads.unlock()
            throw Self.failure(status)
        }
        depth.withLock { $0 = 1 }
    }

    /// Waits for the other threads; false when the deadline came first.
    private func lockThreads(before deadline: Date?) -> Bool {
        if threads.try() { return true }
        guard let deadline else {
            threads.lock()
            return true
        }
        // Foundation traps on dates such as .distantFuture; no worker lives for a day.
        let latest = Date(timeIntervalSinceNow: 86400)
        return deadline > Date() && threads.lock(before: min(deadline, latest))
    }

    private func release(_ host: HostTable) {
        let isLast = depth.withLock {
            $0 -= 1
            return $0 == 0
        }
        if isLast {
            // A failure here means the host has taken the lease back; there is nothing left to do.
            _ = host.releaseExclusive()
        }
        threads.unlock()
    }

    /// The host's timeout for a deadline: 0 and up, rounded up; -1 without one.
    static func milliseconds(until deadline: Date?, now: Date = Date()) -> Int64 {
        guard let deadline else { return Int64(BAHOST_WAIT_UNTIL_BUDGET) }
        let milliseconds = (deadline.timeIntervalSince(now) * 1000).rounded(.up)
        // Past this a Double no longer counts single milliseconds; it is 285,000 years.
        return Int64(min(max(milliseconds, 0), 0x1p53))
    }

    private static func failure(_ status: Int32) -> BAError {
        BAError(hostStatus: status, message: "exclusive control") ?? BAError(.downloadInvalid)
    }
}
