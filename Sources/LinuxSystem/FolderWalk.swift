internal import CLinuxShims
internal import Glibc

/// Why a file of ours is not read or written.
package enum ReplacedFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case system(SystemError)

    /// We are root, and something on the way belongs to a user, who could lead us elsewhere and
    /// whom a file of root's would lock out.
    case foreign(path: String, user: UInt32)

    /// Another process has had the lock for as long as we waited.
    case held(path: String)

    /// A folder, a FIFO, a device or a socket.
    case irregular(path: String)

    package var description: String {
        switch self {
        case .system(let error): "\(error)"
        case .foreign(let path, let user): "\(path) belongs to user \(user)"
        case .held(let path): "another process holds the lock of \(path)"
        case .irregular(let path): "\(path) is no regular file"
        }
    }
}

/// The way to a file, folder by folder and link by link, each looked at before it is used.
///
/// Every step is made from the folder before it, so that nobody can change what has been looked at.
/// `openat(2)` O_NOFOLLOW, `readlinkat(2)`, `path_resolution(7)`.
struct FolderWalk: ~Copyable {
    /// As many as the kernel follows.
    private static let mostLinks = 40

    private(set) var folder: OwnedDescriptor

    /// The folder's path without links; empty for the root.
    private var folderPath = ""

    /// The last name first.
    private var rest: [String]
    private var links = 0

    /// Nil: missing folders are not made.
    private let newMode: mode_t?
    private let isRoot = geteuid() == 0
    private let rootOwner: uid_t

    /// - Parameters:
    ///   - path: Absolute.
    ///   - newMode: Of folders that are missing and are made; nil to make none.
    /// - Throws: ``SystemError`` when the root cannot be opened.
    init(_ path: String, making newMode: mode_t?) throws(SystemError) {
        let root = try FolderWalk.openRoot()
        var status = stat()
        try SystemError.checkErrno(unsafe fstat(root.raw, &status), "fstat", "/")
        // Another than 0 where the machine's root is nobody of this namespace's.
        rootOwner = status.st_uid
        self.newMode = newMode
        rest = FolderWalk.names(path)
        folder = root
    }

    /// Goes to the last folder.
    ///
    /// - Returns: The name of the file in it, which may be missing and is no link.
    mutating func name() throws(ReplacedFileError) -> String {
        while let name = rest.popLast() {
            var status = stat()
            if unsafe fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) != 0 {
                let code = errno
                guard code == ENOENT else { throw failure("stat", name, code) }
                if rest.isEmpty { return name }
                try make(name)
            } else if status.st_mode & S_IFMT == S_IFLNK {
                try check(status.st_uid, of: name)
                try follow(name)
                continue
            } else if rest.isEmpty {
                guard status.st_mode & S_IFMT == S_IFREG else {
                    throw .irregular(path: "\(folderPath)/\(name)")
                }
                return name
            }
            try enter(name)
        }
        throw .irregular(path: folderPath.isEmpty ? "/" : folderPath)
    }

    /// Gives the last folder away.
    consuming func end() -> OwnedDescriptor { folder }

    /// The file's path without links.
    func path(of name: String) -> String { "\(folderPath)/\(name)" }

    private func make(_ name: String) throws(ReplacedFileError) {
        guard let newMode else { throw failure("open", name, ENOENT) }
        guard unsafe mkdirat(folder.raw, name, newMode) == 0 else {
            let code = errno
            // Somebody else was as quick.
            guard code == EEXIST else { throw failure("mkdir", name, code) }
            return
        }
        // The umask may have taken rights that everybody needs.
        _ = unsafe fchmodat(folder.raw, name, newMode, 0)
    }

    private mutating func enter(_ name: String) throws(ReplacedFileError) {
        let next = try opened(name)
        var status = stat()
        guard unsafe fstat(next.raw, &status) == 0 else { throw failure("fstat", name, errno) }
        try check(status.st_uid, of: name)
        folder = next
        guard name == ".." else {
            folderPath += "/\(name)"
            return
        }
        let end = folderPath.utf8.lastIndex(of: Paths.separator) ?? folderPath.startIndex
        folderPath = String(folderPath[..<end])
    }

    private func opened(_ name: String) throws(ReplacedFileError) -> OwnedDescriptor {
        do throws(SystemError) {
            return try Descriptor.open(
                name, flags: bah_place_flag() | O_DIRECTORY | O_NOFOLLOW, in: folder.raw)
        } catch {
            throw failure(error.call, name, error.code)
        }
    }

    private mutating func follow(_ name: String) throws(ReplacedFileError) {
        links += 1
        guard links <= FolderWalk.mostLinks else { throw failure("open", name, ELOOP) }
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        let raw = folder.raw
        let count = unsafe room.withUnsafeMutableBufferPointer { room in
            unsafe room.baseAddress.map { unsafe readlinkat(raw, name, $0, room.count) } ?? -1
        }
        guard count >= 0 else { throw failure("readlink", name, errno) }
        let bytes = room.prefix(count).map { UInt8(bitPattern: $0) }
        guard let target = String(validating: bytes, as: UTF8.self) else {
            throw failure("readlink", name, EILSEQ)
        }
        if Paths.isAbsolute(target) {
            folder = try opened("/")
            folderPath = ""
        }
        rest += FolderWalk.names(target)
    }

    private func check(_ owner: uid_t, of name: String) throws(ReplacedFileError) {
        guard isRoot, owner != 0, owner != rootOwner else { return }
        throw .foreign(path: path(of: name), user: owner)
    }

    private func failure(_ call: String, _ name: String, _ code: Int32) -> ReplacedFileError {
        .system(SystemError(call: call, subject: path(of: name), code: code))
    }

    private static func openRoot() throws(SystemError) -> OwnedDescriptor {
        try Descriptor.open("/", flags: bah_place_flag() | O_DIRECTORY)
    }

    private static func names(_ path: String) -> [String] {
        Paths.names(of: path).filter { !$0.isEmpty && $0 != "." }.map(String.init).reversed()
    }
}
