package import Glibc

/// What an entry of a folder is.
///
/// `stat(2)`.
package struct EntryStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file, folder, link, fifo, socket, device
    }

    package let kind: Kind

    /// In bytes; of a link, its target's text.
    package let size: UInt64

    /// Of a regular file, in bytes: holes and what blocks round up are not counted; else 0.
    package let usedBytes: UInt64

    /// How many names it has.
    package let links: UInt64

    /// The permission bits of its mode.
    package let permissions: UInt32

    /// The user id that owns it.
    package let owner: UInt32

    /// Device, inode, size and change time.
    package let identity: FileIdentity

    /// Device, inode, size and modification time.
    package let stamp: FileStamp

    /// The access time, since 1970; many mounts move it at most once a day.
    package let accessedSeconds: Int64

    package init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            default: .device
            }
        size = UInt64(max(status.st_size, 0))
        // What a file system says need not be true: somebody's own may say anything.
        let blocks = UInt64(max(status.st_blocks, 0)).multipliedReportingOverflow(by: 512)
        let bytes = blocks.overflow ? .max : blocks.partialValue
        usedBytes = kind == .file ? min(size, bytes) : 0
        links = UInt64(status.st_nlink)
        owner = status.st_uid
        permissions = status.st_mode & 0o7777
        identity = FileIdentity(status)
        stamp = FileStamp(status)
        accessedSeconds = Int64(status.st_atim.tv_sec)
    }

    /// Of what a descriptor leads to, a place descriptor too.
    ///
    /// - Throws: ``SystemError`` with the kernel's number.
    package init(of raw: Int32, subject: String) throws(SystemError) {
        var status = stat()
        try SystemError.checkErrno(unsafe fstat(raw, &status), "fstat", subject)
        self.init(status)
    }
}
