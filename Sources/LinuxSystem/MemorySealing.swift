internal import CLinuxShims

/// Memory whose maps can no longer be changed: neither taken away nor made writable.
///
/// mseal(2), Linux 6.10. A forked process keeps its parent's seals.
package enum MemorySealing {
    /// The call's number, which a filter must allow: the audit library seals what is loaded later.
    package static var systemCallNumber: Int32 { bah_seal_call_number() }

    /// True when the kernel seals for this process.
    package static var isAvailable: Bool { bah_can_seal() == 1 }

    /// Seals every map that cannot be written, as they are now.
    ///
    /// Call it with a single thread. A map of a file stays readable and is kept until the process
    /// ends.
    ///
    /// - Throws: ``SystemError``; ENOSYS from a kernel that does not seal.
    package static func sealReadOnlyMaps() throws(SystemError) {
        try SystemError.check(bah_seal_read_only_maps(), "mseal", "read-only maps")
    }

    /// True when the map at an address is sealed; false as well when there is none.
    package static func isSealed(address: UInt) -> Bool {
        bah_is_sealed(address) == 1
    }

    /// True when this program's own code is sealed.
    ///
    /// Before ``sealReadOnlyMaps()`` this says that the audit library works.
    package static var isOwnCodeSealed: Bool { isSealed(address: bah_own_code()) }
}
