package import Glibc

/// One state of a file, whatever its path: another file, or a changed one, differs.
///
/// `stat(2)`: the change time moves with every write and cannot be set back, but with a rename too:
/// what a file stays through one is its ``FileStamp``.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let byteCount: Int64

    /// The change time, since 1970.
    package let changedSeconds: Int64
    package let changedNanoseconds: Int64

    package init(
        device: UInt64, inode: UInt64, byteCount: Int64, changedSeconds: Int64,
        changedNanoseconds: Int64
    ) {
        self.device = device
        self.inode = inode
        self.byteCount = byteCount
        self.changedSeconds = changedSeconds
        self.changedNanoseconds = changedNanoseconds
    }

    /// Of the file that a path leads to; nil when it leads to none.
    package init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of the file that was looked at.
    package init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            byteCount: Int64(status.st_size), changedSeconds: Int64(status.st_ctim.tv_sec),
            changedNanoseconds: Int64(status.st_ctim.tv_nsec))
    }
}
