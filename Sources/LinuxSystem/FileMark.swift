internal import CLinuxShims
internal import Glibc

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

    /// False where the file system keeps no such words; asked of any file or folder there.
    static func isKept(by file: Int32) -> Bool {
        var room: UInt8 = 0
        let length = unsafe bah_read_mark(file, FileMark.download.rawValue, &room, 0)
        return length != Int(-EOPNOTSUPP)
    }
}

/// Which download a published file is of, and in which state it was published.
///
/// A changed file keeps the word, and `cp -a` copies it: only the state tells those apart. Text, a
/// space, and 16 hexadecimal digits: with a UUID short enough for the inode of an ext4.
package struct DownloadMark: Hashable, Sendable {
    /// The longest text, in bytes.
    package static let longestBytes = FileMark.longestBytes - 1 - digits

    private static let digits = 16

    package let text: String

    /// Nil where it was written without.
    private let state: String?

    init(_ text: String, of stamp: FileStamp) {
        self.text = text
        state = Self.state(of: stamp)
    }

    /// Nil for a file without, and for one that is no text.
    package init?(readFrom file: Int32) {
        guard let whole = FileMark.download.read(from: file) else { return nil }
        guard let space = whole.lastIndex(of: " "),
            whole[space...].utf8.count == 1 + Self.digits
        else {
            text = whole
            state = nil
            return
        }
        text = String(whole[..<space])
        state = String(whole[space...].dropFirst())
    }

    func write(on file: Int32) {
        FileMark.download.write("\(text) \(state ?? "")", on: file)
    }

    /// Whether the file was in this state when it was published.
    package func isOf(_ stamp: FileStamp) -> Bool { state == Self.state(of: stamp) }

    private static func state(of stamp: FileStamp) -> String {
        let text = String(stamp.digest, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
