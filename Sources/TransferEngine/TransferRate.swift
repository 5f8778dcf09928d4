internal import Glibc
package import LinuxSystem

/// How fast bytes come, smoothed over some seconds, and how long the rest takes.
///
/// Pure: it is handed the time. An exponentially weighted mean whose weights depend on how far the
/// samples lie apart, so that it does not matter how often it is asked.
package struct TransferRate: Sendable {
    /// After this long a sample's weight has fallen to 37 %.
    private static let memory = 3.0
    /// More than this is "unknown": a download that is all but stalled.
    private static let longest = Duration.seconds(30 * 86_400)

    private var at: Instant
    private var bytes: UInt64
    /// Bytes a second; nil before the first span of time.
    private var mean: Double?

    package init(at now: Instant, bytes: UInt64) {
        at = now
        self.bytes = bytes
    }

    /// Takes in that so many bytes are there now; fewer than before begins anew.
    package mutating func note(_ received: UInt64, at now: Instant) {
        guard received >= bytes else {
            self = TransferRate(at: now, bytes: received)
            return
        }
        let elapsed = Double((now - at).wholeNanoseconds) / 1e9
        guard elapsed > 0 else { return }
        let sample = Double(received - bytes) / elapsed
        if let mean {
            self.mean = sample + (mean - sample) * exp(-elapsed / Self.memory)
        } else {
            mean = sample
        }
        at = now
        bytes = received
    }

    /// Nil as long as nothing can be said.
    package var bytesPerSecond: UInt64? {
        mean.map { UInt64(min(max($0, 0), 1e18).rounded()) }
    }

    /// How long the rest of `total` bytes takes at this rate; nil when nobody knows.
    package func timeLeft(of total: UInt64?) -> Duration? {
        guard let total, let mean, total >= bytes else { return nil }
        guard total > bytes else { return .zero }
        let seconds = Double(total - bytes) / mean
        guard seconds.isFinite, seconds <= Double(Self.longest.components.seconds) else {
            return nil
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}
