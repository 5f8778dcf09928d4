internal import Glibc

/// A point on the kernel's clock that also runs while the machine sleeps.
///
/// `clock_gettime(2)`, CLOCK_BOOTTIME.
package struct Instant: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds &+ duration.wholeNanoseconds)
    }

    package static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds &- earlier.nanoseconds)
    }
}

/// Where the time comes from; deciding code is handed an ``Instant`` and never asks by itself.
package enum BootClock {
    package static func now() -> Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Seconds since 1970, for names and records only.
    package static func wallSeconds() -> Int64 {
        Int64(time(nil))
    }
}

extension Duration {
    /// Clamped to what 64 bits hold, about 292 years.
    package var wholeNanoseconds: Int64 {
        let parts = components
        let (scaled, overflow) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return parts.seconds < 0 ? .min : .max }
        let (sum, isOver) = scaled.addingReportingOverflow(parts.attoseconds / 1_000_000_000)
        guard isOver else { return sum }
        return parts.seconds < 0 ? .min : .max
    }

    package var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
