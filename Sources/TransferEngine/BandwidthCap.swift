package import LinuxSystem

/// A rate that some transfers share, in equal parts as far as each can use its own.
///
/// Pure: it is handed the time. What comes in over the time is dealt out to the members; one that has
/// enough leaves its part to the others. A member may take a portion of any size while it has
/// something left, and owes the rest.
package struct BandwidthCap: Sendable {
    /// What a member can save up, so that an answer that comes in gusts gets its part.
    private static let burst = 0.25
    /// The least that is saved up: one portion of libcurl's.
    private static let portion = 16.0 * 1024

    /// Bytes a second, at least 1.
    private let rate: Double
    private var at: Instant
    /// Bytes that belong to nobody yet.
    private var pool = 0.0
    /// Bytes that each member may take; below zero it owes.
    private var allowances: [Int64: Double] = [:]

    package init(rate: ByteCount, at now: Instant) {
        self.rate = Double(max(rate.bytes, 1))
        at = now
    }

    package mutating func join(_ id: Int64) {
        if allowances[id] == nil { allowances[id] = 0 }
    }

    package mutating func leave(_ id: Int64) {
        allowances[id] = nil
    }

    package func isMember(_ id: Int64) -> Bool { allowances[id] != nil }

    /// True when this one may take a portion now; always for one that is no member.
    package func admits(_ id: Int64) -> Bool {
        allowances[id].map { $0 > 0 } ?? true
    }

    package mutating func take(_ bytes: Int, by id: Int64) {
        allowances[id]? -= Double(bytes)
    }

    /// Deals out what has come in since the last time.
    package mutating func refill(at now: Instant) {
        let most = max(rate * Self.burst, Self.portion)
        let elapsed = Double((now - at).wholeNanoseconds) / 1e9
        at = now
        pool = min(pool + max(elapsed, 0) * rate, most)
        // Those who can use least come first, so that what they leave is there for the others.
        var left = allowances.count
        for (id, allowance) in allowances.sorted(by: { ($0.value, $0.key) > ($1.value, $1.key) }) {
            let part = min(pool / Double(left), most - allowance)
            allowances[id] = allowance + part
            pool -= part
            left -= 1
        }
    }

    /// How long until the next of those it holds back may go on, from 5 ms to a second; nil when it
    /// holds back nobody.
    package var patience: Duration? {
        guard let best = allowances.values.filter({ $0 <= 0 }).max() else { return nil }
        let seconds = (-best + 1) * Double(allowances.count) / rate
        return .milliseconds(Int64(min(max(seconds * 1000, 5), 1000)))
    }
}
