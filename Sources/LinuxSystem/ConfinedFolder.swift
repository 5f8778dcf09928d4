internal import CLinuxShims
internal import Glibc

/// A folder that a plugin can write to, and the only way to what lies in it.
///
/// It is opened once; everything below is reached from there, never through a link, never into
/// another mount, whatever is renamed meanwhile. Paths are relative, of at most 1,024 bytes, without
/// `.` and `..`; errors name EINVAL and ENAMETOOLONG for others, ELOOP for a link where none may be,
/// EXDEV for another mount. A plugin that owns the folder can take its rights: they are given back.
///
/// `openat2(2)` with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS. Where the kernel has no such call
/// (before Linux 5.6) or a container's filter forbids it, the same is done name by name with
/// `openat(2)` O_NOFOLLOW and a look at each mount. Usable from any thread.
package final class ConfinedFolder: Sendable {
    package let path: String
    let folder: OwnedDescriptor

    /// Who owns what the host puts in; nil for the host itself.
    private let newOwner: UInt32?

    /// False when openat2(2) cannot be used.
    private let canResolve: Bool

    /// False to do without the flags of renameat2(2) even where they are there.
    let hasRenameFlags: Bool

    /// Takes over an open folder.
    ///
    /// - Parameters:
    ///   - folder: Opened for reading, and no link.
    ///   - path: Where it is, for messages.
    ///   - newOwner: Who owns what is put in; nil for the host itself.
    ///   - canResolve: False to go name by name even where openat2(2) is there.
    ///   - hasRenameFlags: False to do without those of renameat2(2) even where they are there.
    /// - Throws: ``SystemError`` when openat2(2) fails for another reason than being missing.
    package init(
        _ folder: consuming OwnedDescriptor, path: String, newOwner: UInt32? = nil,
        canResolve: Bool = true, hasRenameFlags: Bool = true
    ) throws(SystemError) {
        let answer = bah_can_resolve_beneath(folder.raw)
        try SystemError.check(answer, "openat2", path)
        self.path = path
        self.folder = folder
        self.newOwner = newOwner
        self.canResolve = canResolve && answer == 1
        self.hasRenameFlags = hasRenameFlags
    }

    /// Opens a folder whose own place is not a plugin's to change.
    ///
    /// - Throws: ``SystemError``; ENOTDIR or ELOOP when the last name is a link.
    package convenience init(_ path: String, canResolve: Bool = true) throws(SystemError) {
        let folder = try FolderSweep.open(path)
        try self.init(folder, path: path, canResolve: canResolve)
    }

    /// Opens a regular file for reading, without waiting for anybody.
    ///
    /// There is no way to write: the host puts files in by ``take(_:from:as:mark:)`` and
    /// ``restore(_:from:as:)`` alone, since a file that is there may have another name outside.
    ///
    /// - Throws: ``SystemError``; EISDIR for a folder, ENXIO for a socket, ENOTSUP for what else is
    ///   no regular file.
    package func open(_ path: String) throws(SystemError) -> OwnedDescriptor {
        let file = try opened(
            try BeneathPath(path).text, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        switch try EntryStatus(of: file.raw, subject: whole(path)).kind {
        case .file: return file
        case .folder: throw SystemError(call: "open", subject: whole(path), code: EISDIR)
        default: throw SystemError(call: "open", subject: whole(path), code: ENOTSUP)
        }
    }

    /// What has this name, a link itself included; nil for nothing.
    package func status(_ path: String) throws(SystemError) -> EntryStatus? {
        do throws(SystemError) {
            let place = try opened(try BeneathPath(path).text, flags: bah_place_flag())
            return try EntryStatus(of: place.raw, subject: whole(path))
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Moves a file of the host's in, in the place of a file or link of that name.
    ///
    /// What it replaces keeps its content under its other names. `renameat(2)`, `fchownat(2)`.
    ///
    /// - Parameters:
    ///   - file: A regular file in a folder that is the host's alone, in the same mount.
    ///   - source: A descriptor of the folder that `file` is relative to; nil when it is absolute.
    ///   - path: Its place here.
    ///   - mark: Says of the file from now on where it came from, up to
    ///     ``DownloadMark/longestBytes``, where the file system can keep that: ``mark(of:)``.
    /// - Throws: ``SystemError``; EISDIR for a folder of that name, EXDEV for another mount.
    package func take(
        _ file: String, from source: Int32? = nil, as path: String, mark: String? = nil
    ) throws(SystemError) {
        let source = source ?? bah_current_folder()
        if let mark {
            let opened = try Descriptor.open(file, flags: O_RDONLY | O_NOFOLLOW, in: source)
            let stamp = try EntryStatus(of: opened.raw, subject: file).stamp
            DownloadMark(mark, of: stamp).write(on: opened.raw)
        }
        // While it lies where nobody can put another in its place.
        if let newOwner {
            try SystemError.checkErrno(
                unsafe fchownat(source, file, newOwner, newOwner, AT_SYMLINK_NOFOLLOW),
                "fchownat", file)
        }
        try change(path, "rename") { parent, last in
            unsafe renameat(source, file, parent, last)
        }
    }

    /// What ``take(_:from:as:mark:)`` has said of a file; nil without a mark that can be read.
    ///
    /// Whoever can write the file can change it. `fgetxattr(2)`.
    ///
    /// - Throws: ``SystemError`` as ``open(_:)``.
    package func mark(of path: String) throws(SystemError) -> String? {
        let file = try open(path)
        return DownloadMark(readFrom: file.raw)?.text
    }

    /// The same, of a file that is as it was when it was taken; nil for a changed one and a copy.
    ///
    /// - Throws: ``SystemError`` as ``open(_:)``.
    package func untouchedMark(of path: String) throws(SystemError) -> String? {
        let file = try open(path)
        let stamp = try EntryStatus(of: file.raw, subject: whole(path)).stamp
        guard let mark = DownloadMark(readFrom: file.raw), mark.isOf(stamp) else { return nil }
        return mark.text
    }

    /// False where the file system keeps no such words.
    package var keepsMarks: Bool { FileMark.isKept(by: folder.raw) }

    /// Removes a file, a link, a FIFO or a socket; false when nothing had this name.
    ///
    /// `unlinkat(2)`.
    ///
    /// - Throws: ``SystemError``; EISDIR for a folder.
    @discardableResult
    package func remove(_ path: String) throws(SystemError) -> Bool {
        try removed(path, "unlink", flags: 0)
    }

    /// Removes a folder; false when nothing had this name.
    ///
    /// - Throws: ``SystemError``; ENOTEMPTY when something is in it, ENOTDIR for anything else.
    @discardableResult
    package func removeFolder(_ path: String) throws(SystemError) -> Bool {
        try removed(path, "rmdir", flags: AT_REMOVEDIR)
    }

    /// The names in it or in a folder below, without `.`, `..` and those that are no UTF-8.
    ///
    /// `readdir(3)`.
    ///
    /// - Parameters:
    ///   - path: Of the folder below; nil for this one.
    ///   - limit: Of entries.
    /// - Returns: In no order.
    /// - Throws: ``SystemError``; E2BIG for more.
    package func names(in path: String? = nil, limit: Int) throws(SystemError) -> [String] {
        let opened = try openFolder(path)
        var names: [String] = []
        var count = 0
        try FolderNames.each(of: opened) { name in
            count += 1
            if let name, count <= limit { names.append(name) }
            return count > limit ? .yes : .no
        }
        guard count <= limit else {
            throw SystemError(call: "readdir", subject: whole(path), code: E2BIG)
        }
        return names
    }

    /// What an ordinary user may still write here, in bytes; a quota may be less.
    ///
    /// `fstatvfs(3)`, f_bavail.
    package func freeBytes() throws(SystemError) -> UInt64 { try space().freeBytes }

    /// The same and the size of the file system, in bytes.
    ///
    /// `fstatvfs(3)`, f_bavail and f_blocks.
    package func space() throws(SystemError) -> (freeBytes: UInt64, totalBytes: UInt64) {
        var status = statvfs()
        try SystemError.checkErrno(unsafe fstatvfs(folder.raw, &status), "fstatvfs", path)
        func bytes(_ blocks: UInt64) -> UInt64 {
            let bytes = blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize))
            return bytes.overflow ? .max : bytes.partialValue
        }
        return (bytes(UInt64(status.f_bavail)), bytes(UInt64(status.f_blocks)))
    }

    /// Whether the file system frees what was removed only when it next writes everything down: btrfs.
    ///
    /// `fstatfs(2)`.
    package var freesLate: Bool { bah_frees_late(folder.raw) == 1 }

    /// Has the file system carry out what it has put off, such as making free what was removed.
    ///
    /// It writes what it holds of anybody's. `syncfs(2)`.
    package func syncFileSystem() throws(SystemError) {
        try DescriptorIO.syncFileSystem(folder.raw, subject: path)
    }

    /// True when it holds nothing, as far as can be seen.
    package var isEmpty: Bool { (try? names(limit: 0)) != nil }

    /// Removes everything in it, however deep, and never through a link.
    ///
    /// Nothing may run any more that could change the folder meanwhile. `unlinkat(2)`,
    /// `renameat2(2)`.
    ///
    /// - Throws: ``SystemError`` when something could not be removed.
    package func empty() throws(SystemError) {
        _ = try attempt("unlinkat", nil) { bah_empty_folder(folder.raw) }
    }

    /// Makes the names in it, or in a folder below, durable.
    ///
    /// `fsync(2)`.
    ///
    /// - Parameter path: Of the folder below; nil for this one.
    /// - Throws: ``SystemError``.
    package func sync(_ path: String? = nil) throws(SystemError) {
        guard let path else {
            try SystemError.checkErrno(fsync(folder.raw), "fsync", self.path)
            return
        }
        let inner = try openFolder(path)
        try SystemError.checkErrno(fsync(inner.raw), "fsync", whole(path))
    }
}

/// How everything is reached.
extension ConfinedFolder {
    func whole(_ name: String?) -> String { name.map { "\(path)/\($0)" } ?? path }

    private func openFolder(_ path: String?) throws(SystemError) -> OwnedDescriptor {
        let inner = try path.map { name throws(SystemError) in try BeneathPath(name).text }
        return try opened(inner ?? ".", flags: O_RDONLY | O_DIRECTORY)
    }

    func opened(_ path: String, flags: Int32) throws(SystemError) -> OwnedDescriptor {
        let raw = try attempt("openat2", path) {
            canResolve
                ? unsafe bah_resolve_beneath(folder.raw, path, flags)
                : unsafe bah_walk_beneath(folder.raw, path, flags)
        }
        return OwnedDescriptor(adopting: raw)
    }

    func folderOf(_ place: BeneathPath) throws(SystemError) -> OwnedDescriptor {
        try opened(place.parent ?? ".", flags: bah_place_flag() | O_DIRECTORY)
    }

    /// Does something to the last name of a path, in the folder it is in.
    private func change(
        _ path: String, _ call: String, _ body: (_ parent: Int32, _ name: String) -> Int32
    ) throws(SystemError) {
        let place = try BeneathPath(path)
        let parent = try folderOf(place)
        _ = try attempt(call, path) { body(parent.raw, place.name) == 0 ? 0 : -errno }
    }

    private func removed(
        _ path: String, _ call: String, flags: Int32
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try change(path, call) { parent, last in unsafe unlinkat(parent, last, flags) }
            return true
        } catch {
            guard error.code == ENOENT else { throw error }
            return false
        }
    }

    /// Adds what lies below it; false as ``FolderUse/measure(_:mostFiles:)`` has it.
    func measure(mostFiles: UInt64, into use: inout bah_folder_use) -> Bool {
        let before = use
        var sum = use
        let result = try? attempt("openat", nil) {
            sum = before
            return unsafe bah_measure_folder(folder.raw, mostFiles, &sum)
        }
        use = sum
        return result != nil
    }

    /// Tries, and once more with the rights that the folder's owner has taken from it.
    func attempt(
        _ call: String, _ subject: String?, _ body: () -> Int32
    ) throws(SystemError) -> Int32 {
        var result = body()
        if result == -EACCES, fchmod(folder.raw, 0o700) == 0 { result = body() }
        return try SystemError.check(result, call, whole(subject))
    }
}
