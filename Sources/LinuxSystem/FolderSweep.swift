internal import CLinuxShims
internal import Glibc

/// Emptying and opening folders by their paths, whatever a hostile plugin has left in them.
package enum FolderSweep {
    /// Removes everything below `path`, however deep, and never through a link.
    ///
    /// Nothing may run any more that could change the folder meanwhile. `openat(2)` O_NOFOLLOW,
    /// `unlinkat(2)`, `renameat2(2)`.
    ///
    /// - Throws: ``SystemError`` when something could not be removed; a missing folder is none.
    package static func empty(_ path: String) throws(SystemError) {
        let folder: OwnedDescriptor
        do throws(SystemError) {
            folder = try open(path)
        } catch {
            guard error.code == ENOENT else { throw error }
            return
        }
        try SystemError.check(bah_empty_folder(folder.raw), "unlinkat", path)
    }

    /// Opens a folder for reading, never through a link; one without rights for us gets them.
    static func open(_ path: String) throws(SystemError) -> OwnedDescriptor {
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

    /// Adds an entry; the most that can be said where the sum is more.
    package mutating func add(_ entry: EntryStatus) {
        let (sum, isTooMuch) = bytes.addingReportingOverflow(entry.usedBytes)
        bytes = isTooMuch ? .max : sum
        files += 1
    }

    /// Measures some folders together, never through a link.
    ///
    /// `openat(2)` O_NOFOLLOW, `fstatat(2)`.
    ///
    /// - Parameters:
    ///   - folders: May be changed meanwhile.
    ///   - mostFiles: Where to stop.
    /// - Returns: Nil when there are more entries, more than 256 folders in one another, or a folder
    ///   that cannot be opened or looked into.
    package static func measure(_ folders: [ConfinedFolder], mostFiles: UInt64) -> FolderUse? {
        var use = bah_folder_use()
        for folder in folders {
            guard folder.measure(mostFiles: mostFiles, into: &use) else { return nil }
        }
        return FolderUse(bytes: use.bytes, files: use.files)
    }
}
