internal import Glibc

/// The names in a folder.
///
/// `readdir(3)`.
package enum FolderNames {
    /// Hands over one name after the other until the body says that it has enough, `.` and `..`
    /// among them.
    ///
    /// A folder that cannot be read has none.
    package static func each(in path: String, _ body: (String) -> Enough) {
        guard let list = unsafe opendir(path) else { return }
        defer { unsafe _ = closedir(list) }
        unsafe each(of: list) { name in body(String(decoding: name, as: UTF8.self)) }
    }

    /// Hands over the names in an open folder, nil for one that is no UTF-8, without `.` and `..`.
    ///
    /// - Throws: ``SystemError`` with the kernel's number.
    static func each(
        of folder: consuming OwnedDescriptor, _ body: (String?) -> Enough
    ) throws(SystemError) {
        let raw = folder.release()
        guard let list = unsafe fdopendir(raw) else {
            let code = errno
            _ = Glibc.close(raw)
            throw SystemError(call: "fdopendir", subject: "descriptor \(raw)", code: code)
        }
        defer { unsafe _ = closedir(list) }
        unsafe each(of: list) { name in
            let isDots = name == [46] || name == [46, 46]
            return isDots ? .no : body(String(validating: name, as: UTF8.self))
        }
    }

    private static func each(of list: OpaquePointer, _ body: ([UInt8]) -> Enough) {
        // SAFETY: an entry is valid until the next call, and copied before that.
        while let entry = unsafe readdir(list) {
            let room = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0) }
            if body(Array(room.prefix { $0 != 0 })) == .yes { return }
        }
    }

    package enum Enough: Hashable {
        case yes
        case no
    }
}
