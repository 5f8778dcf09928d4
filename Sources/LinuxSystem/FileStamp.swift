package import Glibc

/// What says that a file of the host's is still what the host has put there.
///
/// `stat(2)`: writing, truncating and `touch(1)` change it; a rename, another mode or owner, another
/// mark and another name beside do not. All those change the change time, which is why this is
/// another thing than ``FileIdentity``. Whoever owns the file can set the modification time back.
package struct FileStamp: Sendable {
    /// Not compared: it is another one when the file system is mounted again, on btrfs always.
    ///
    /// The stamps that meet are of files in one container, which is one mount.
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
        // Its owner can have set any time: past the year 2262 it wraps, and compares all the same.
        let seconds = Int64(status.st_mtim.tv_sec) &* 1_000_000_000
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            sizeBytes: UInt64(max(status.st_size, 0)),
            modifiedNanoseconds: seconds &+ Int64(status.st_mtim.tv_nsec))
    }

    /// FNV-1a, 64 bits, of what is compared.
    var digest: UInt64 {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325
        for part in [inode, sizeBytes, UInt64(bitPattern: modifiedNanoseconds)] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                value = (value ^ (part >> shift & 0xff)) &* 0x100_0000_01b3
            }
        }
        return value
    }
}

extension FileStamp: Hashable {
    package static func == (left: FileStamp, right: FileStamp) -> Bool {
        left.inode == right.inode && left.sizeBytes == right.sizeBytes
            && left.modifiedNanoseconds == right.modifiedNanoseconds
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(inode)
        hasher.combine(sizeBytes)
        hasher.combine(modifiedNanoseconds)
    }
}
