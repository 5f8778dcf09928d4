internal import Glibc

/// The names in a folder, `.` and `..` among them.
///
/// `readdir(3)`.
package enum FolderNames {
    /// Hands over one name after the other until the body says that it has enough.
    ///
    /// A folder that cannot be read has none.
    package static func each(in path: String, _ body: (String) -> Enough) {
        guard let list = unsafe opendir(path) else { return }
        defer { unsafe _ = closedir(list) }
        // SAFETY: an entry is valid until the next call, and copied before that.
        while let entry = unsafe readdir(list) {
            let room = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0) }
            let name = String(decoding: room.prefix { $0 != 0 }, as: UTF8.self)
            if body(name) == .yes { return }
        }
    }

    package enum Enough: Hashable {
        case yes
        case no
    }
}
