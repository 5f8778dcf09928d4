internal import WireProtocol

/// What a worker keeps of the memory limit for itself: loading, frames, the runtime's first steps.
///
/// Measured: a plugin in C that asks for one download holds 20 KiB, one in Swift that reads JSON
/// with Foundation 150 KiB. Twice as much and more, so that another version of a library fits.
enum OwnNeed {
    static func bytes(hasSwift: Bool) -> UInt64 {
        hasSwift ? 512 << 10 : 256 << 10
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
