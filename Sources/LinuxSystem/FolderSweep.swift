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
        let raw = unsafe bah_open_folder(bah_current_folder(), path)
        guard raw != -ENOENT else { return }
        let folder = OwnedDescriptor(adopting: try SystemError.check(raw, "open", path))
        try SystemError.check(bah_empty_folder(folder.raw), "unlinkat", path)
    }

    /// Opens a folder for reading, never through a link; one without rights for us gets them.
    ///
    /// - Throws: ``SystemError`` with the kernel's number.
    package static func open(_ path: String) throws(SystemError) -> OwnedDescriptor {
        let raw = unsafe bah_open_folder(bah_current_folder(), path)
        return OwnedDescriptor(adopting: try SystemError.check(raw, "open", path))
    }
}

/// What lies below a folder.
package struct FolderUse: Hashable, Sendable {
    /// Of regular files; holes and what blocks round up are not counted.
    package var bytes: UInt64 = 0

    /// Entries of any kind.
    package var files: UInt64 = 0

    package init(bytes: UInt64 = 0, files: UInt64 = 0) {
        self.bytes = bytes
        self.files = files
    }

    /// Measures some folders together, never through a link; missing ones count nothing.
    ///
    /// `openat(2)` O_NOFOLLOW, `fstatat(2)`.
    ///
    /// - Parameters:
    ///   - paths: The folders.
    ///   - mostFiles: Where to stop.
    /// - Returns: Nil when there are more entries, more than 256 folders in one another, or a folder
    ///   that cannot be opened or looked into.
    package static func measure(_ paths: [String], mostFiles: UInt64) -> FolderUse? {
        var use = bah_folder_use()
        for path in paths {
            let raw = unsafe bah_open_folder(bah_current_folder(), path)
            guard raw != -ENOENT else { continue }
            guard raw >= 0 else { return nil }
            let folder = OwnedDescriptor(adopting: raw)
            guard unsafe bah_measure_folder(folder.raw, mostFiles, &use) == 0 else { return nil }
        }
        return FolderUse(bytes: use.bytes, files: use.files)
    }
}
