internal import CLinuxShims

/// The unused address space, filled so that maps can only be made in a window.
///
/// Without it a process makes the kernel hold a page table for every page that it spreads. What
/// fills it can be neither used nor taken away, and counts as address space: sizes are to be
/// compared with sizes of the fenced process only.
package struct AddressFence: Sendable {
    private var fence: bah_fence

    /// Fills everything but a window where the kernel puts new maps, one behind the heap, and the
    /// room that the stack grows into.
    ///
    /// Call it with a single thread, once. After an error what has been filled stays so.
    ///
    /// - Parameters:
    ///   - windowBytes: Of each window, at most 256 GiB; the heap's ends at the next map.
    ///   - stackBytes: What RLIMIT_STACK will be.
    /// - Returns: The fence, to be narrowed in a forked process.
    /// - Throws: ``SystemError``; ENOMEM under a limit on address space.
    package static func build(
        windowBytes: UInt64, stackBytes: UInt64 = 1 << 20
    ) throws(SystemError) -> AddressFence {
        var fence = bah_fence()
        let status = unsafe bah_build_fence(windowBytes, stackBytes, &fence)
        try SystemError.check(status, "mmap", "fence")
        return AddressFence(fence: fence)
    }

    /// Leaves so much free in the windows, or what there is when that is less.
    ///
    /// Only once.
    ///
    /// - Parameters:
    ///   - bytes: In the window for new maps, in one piece.
    ///   - heapBytes: Behind the heap's present end.
    /// - Throws: ``SystemError``; EEXIST when something lies where the fence goes.
    package mutating func narrow(to bytes: UInt64, heapBytes: UInt64) throws(SystemError) {
        let status = unsafe bah_narrow_fence(&fence, bytes, heapBytes)
        try SystemError.check(status, "mmap", "fence")
    }
}
