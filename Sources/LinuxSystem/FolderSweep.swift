internal import CLinuxShims
internal import Glibc

/// Emptying a folder that a hostile plugin could write to.
package enum FolderSweep {
    /// Removes everything below `path`, however deep, and never through a link.
    ///
    /// Nothing may run any more that could change the folder meanwhile. `openat(2)` O_NOFOLLOW,
    /// `unlinkat(2)`, `renameat2(2)`.
    ///
    /// - Throws: ``SystemError`` when something could not be removed; a missing folder is none.
    package static func empty(_ path: String) throws(SystemError) {
        let raw = unsafe bah_open_file(
            bah_current_folder(), path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard raw != -ENOENT else { return }
        let folder = OwnedDescriptor(adopting: try SystemError.check(raw, "open", path))
        try SystemError.check(bah_empty_folder(folder.raw), "unlinkat", path)
    }
}
