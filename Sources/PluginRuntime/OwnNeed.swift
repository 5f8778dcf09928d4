internal import WireProtocol

/// What a worker keeps of the memory limit for itself: loading, frames, the runtime's first steps.
///
/// Measured: a plugin in C that asks for one download holds 20 KiB, one in Swift that reads JSON
/// with Foundation 150 KiB. Twice as much and more, so that another version of a library fits.
enum OwnNeed {
    private static func bytes(hasSwift: Bool) -> UInt64 {
        hasSwift ? 512 << 10 : 256 << 10
    }

    /// Holds a memory limit against what the worker keeps.
    ///
    /// - Parameters:
    ///   - limit: The memory limit.
    ///   - taken: What else comes off it.
    ///   - hasSwift: Whether the plugin needs the Swift runtime.
    /// - Returns: Nil when it is enough, otherwise the least that is, and a sentence that lacks its
    ///   article.
    static func shortage(
        of limit: UInt64, taken: UInt64 = 0, hasSwift: Bool
    ) -> (minimumBytes: UInt64, sentence: String)? {
        let minimum = taken + bytes(hasSwift: hasSwift)
        guard limit < minimum else { return nil }
        return (
            minimum,
            "memory limit of \(limit) bytes is less than the worker itself needs: at least"
                + " \(minimum) bytes"
        )
    }
}

/// What the kernel keeps for itself about the memory that a plugin holds.
enum KernelShare {
    /// The most that a plugin may hold so that with it the kernel's own part stays within the
    /// promise.
    ///
    /// Where each page is a map of its own, the kernel keeps up to 8 % more, which no limit counts
    /// (measured: 335 bytes a map on Linux 6.18). Up to 8.3 MiB the limit itself leaves room for that.
    static func payable(_ limit: UInt64) -> UInt64 {
        MemoryPromise.bytes(limit: limit).map { min(limit, $0 / 108 * 100) } ?? limit
    }
}
