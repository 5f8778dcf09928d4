internal import CLinuxShims

/// A word about a file that moves with it, where the file system keeps such words.
///
/// An extended attribute of the `user` kind, `xattr(7)`: whoever can write the file can change it.
package enum FileMark: String, Hashable, Sendable {
    /// Which download a published file is of.
    case download = "user.bahost.download"

    /// Which version of a resource the bytes of a partial file are of.
    case version = "user.bahost.version"

    /// The longest mark, in bytes: with more, some file systems need a block for each file.
    package static let longestBytes = 1_100

    /// Gives the file this mark, in the place of the one it has.
    ///
    /// `fsetxattr(2)`.
    ///
    /// - Returns: false where nothing keeps it: no such attributes, too long, no space.
    @discardableResult
    package func write(_ text: String, on file: Int32) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...FileMark.longestBytes).contains(bytes.count) else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return unsafe bah_write_mark(file, rawValue, start, bytes.count) == 0
        }
    }

    /// `fremovexattr(2)`.
    package func remove(from file: Int32) {
        _ = unsafe bah_remove_mark(file, rawValue)
    }

    /// Nil without a mark, and for one that is not text.
    ///
    /// `fgetxattr(2)`.
    package func read(from file: Int32) -> String? {
        var room = [UInt8](repeating: 0, count: FileMark.longestBytes)
        let count = unsafe room.withUnsafeMutableBufferPointer { room in
            unsafe room.baseAddress.map {
                unsafe bah_read_mark(file, rawValue, $0, room.count)
            } ?? 0
        }
        guard count > 0 else { return nil }
        return String(validating: room.prefix(Int(count)), as: UTF8.self)
    }
}
