internal import CLinuxShims
internal import Glibc

extension ConfinedFolder {
    /// Looks at everything below it, and never through a link.
    ///
    /// May be changed meanwhile: what is moved can be seen twice or not at all. Other mounts are seen,
    /// and not gone into. `openat(2)` O_NOFOLLOW, `fstatat(2)`.
    ///
    /// - Parameters:
    ///   - mostEntries: Where to stop, entries of any kind; also those that are gone when looked at.
    ///   - mostDepth: Into how many folders in one another to go, a descriptor for each; up to 4,096.
    ///   - visit: Gets one entry after the other, a folder before what is in it, with its path: nil
    ///     where none leads there, for one of more than 1,024 bytes and one that is no UTF-8.
    /// - Returns: False when a bound was met or something could not be looked into.
    /// - Throws: ``SystemError`` when this folder cannot be read.
    package func walk(
        mostEntries: UInt64, mostDepth: Int, _ visit: (String?, EntryStatus) -> Void
    ) throws(SystemError) -> Bool {
        var begun: OpaquePointer?
        let depth = UInt32(clamping: min(mostDepth, 4_096))
        _ = try attempt("openat", nil) {
            unsafe bah_begin_walk(folder.raw, mostEntries, depth, 0, &begun)
        }
        guard let walk = unsafe begun else { return false }
        var path: UnsafePointer<CChar>?
        var status = stat()
        // SAFETY: the path is copied before the next call.
        while unsafe bah_walk_on(walk, &path, &status) == 1 {
            let text = unsafe path.flatMap { unsafe String(validatingCString: $0) }
            visit(text, EntryStatus(status))
        }
        return unsafe bah_end_walk(walk) == 1
    }
}
