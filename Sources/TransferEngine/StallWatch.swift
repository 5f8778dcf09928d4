package import LinuxSystem

/// Notices an answer that no longer comes.
///
/// Pure: it is handed the time. libcurl's own watch would count the time in which we hold a transfer
/// back, or in which it waits for a connection (curl#6358, ostree PR 1349).
package struct StallWatch: Sendable {
    private let time: Duration
    /// Bytes that must come within `time`.
    private let least: UInt64
    private var mark: (at: Instant, bytes: UInt64)?

    /// An answer that brings less than `rate` a second over `time` has stalled.
    package init(rate: ByteCount, time: Duration) {
        self.time = time
        let (bytes, overflow) = rate.bytes.multipliedReportingOverflow(
            by: UInt64(max(time.components.seconds, 1)))
        least = overflow ? .max : bytes
    }

    /// Nothing is expected for now: held back by us, or not asked yet.
    package mutating func rest() {
        mark = nil
    }

    /// True when too little has come for too long.
    package mutating func isStalled(at now: Instant, bytes: UInt64) -> Bool {
        guard let mark, bytes >= mark.bytes, bytes - mark.bytes < least else {
            self.mark = (now, bytes)
            return false
        }
        return now - mark.at >= time
    }
}
