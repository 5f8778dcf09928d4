internal import CLinuxShims

/// What the loader has mapped into this process.
///
/// dl_iterate_phdr(3).
package enum LoadedImages {
    /// The pages that were made read-only after relocation: written, but no longer counted as data.
    package static var relroBytes: UInt64 { bah_read_relro_bytes() }
}
