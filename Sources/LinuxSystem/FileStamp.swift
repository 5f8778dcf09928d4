package import Glibc

/// What says that a file of the host's is still what the host has put there.
///
/// `stat(2)`: writing, truncating and `touch(1)` change it; a rename, another mode or owner, another
/// mark and another name beside do not. All those change the change time, which is why this is
/// another thing than ``FileIdentity``. Whoever owns the file can set the modification time back.
package struct FileStamp: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let sizeBytes: UInt64

    /// The modification time, since 1970.
    package let modifiedNanoseconds: Int64

    package init(device: UInt64, inode: UInt64, sizeBytes: UInt64, modifiedNanoseconds: Int64) {
        self.device = device
        self.inode = inode
        self.sizeBytes = sizeBytes
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    /// Of the file that was looked at.
    package init(_ status: stat) {
        // Its owner can have set any time: what is past the year 2262 wraps, and compares all the same.
        let seconds = Int64(status.st_mtim.tv_sec) &* 1_000_000_000
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            sizeBytes: UInt64(max(status.st_size, 0)),
            modifiedNanoseconds: seconds &+ Int64(status.st_mtim.tv_nsec))
    }
}
