internal import CLinuxShims
internal import Glibc

/// Moving out to a folder of the host's alone, and back.
///
/// Both replace nothing: `renameat2(2)` RENAME_NOREPLACE. Where the file system or the kernel has no
/// such thing, the way out looks first: nobody but the host makes names in the host's folder. The way
/// back makes a second name and takes the first away; where that cannot be, as for a folder, it looks
/// first as well. A host that ended between the two has left both names: the second try takes the
/// first one away.
extension ConfinedFolder {
    /// Moves out what has this name at that moment, of whatever kind.
    ///
    /// - Parameters:
    ///   - path: Its place here.
    ///   - host: A folder of the host's alone, in the same mount.
    ///   - name: Its name there.
    /// - Throws: ``SystemError``; EEXIST when something has that name, EXDEV for another mount.
    package func give(
        _ path: String, to host: ConfinedFolder, as name: String
    ) throws(SystemError) {
        let place = try BeneathPath(path)
        let parent = try folderOf(place)
        let target = Entry(folder: host.folder.raw, name: try ConfinedFolder.single(name))
        try move(path, in: parent) { parent in
            let source = Entry(folder: parent, name: place.name)
            let result = hasRenameFlags ? source.renameNew(target) : -EINVAL
            return Entry.isRefused(result) ? source.renameAfterALook(target) : result
        }
    }

    /// Moves back what ``give(_:to:as:)`` has moved out.
    ///
    /// - Parameters:
    ///   - name: Its name there.
    ///   - host: The folder of the host's alone.
    ///   - path: Its place here.
    /// - Throws: ``SystemError``; EEXIST when something has its place, ENOENT without a folder.
    package func restore(
        _ name: String, from host: ConfinedFolder, as path: String
    ) throws(SystemError) {
        let place = try BeneathPath(path)
        let parent = try folderOf(place)
        let source = Entry(folder: host.folder.raw, name: try ConfinedFolder.single(name))
        try move(path, in: parent) { parent in
            let target = Entry(folder: parent, name: place.name)
            var result = hasRenameFlags ? source.renameNew(target) : -EINVAL
            if Entry.isRefused(result) { result = source.renameByLink(target) }
            return result == -EEXIST && source.isSame(target) ? source.remove() : result
        }
    }

    /// Opens this file and no other, also when its owner has taken the right to read it.
    ///
    /// - Parameters:
    ///   - path: Where it was seen.
    ///   - stamp: What it is known by.
    /// - Returns: The file, for reading.
    /// - Throws: ``SystemError`` as ``open(_:)``; ESTALE for another file.
    package func open(
        _ path: String, only stamp: FileStamp
    ) throws(SystemError) -> OwnedDescriptor {
        do throws(SystemError) {
            return try same(try open(path), path, stamp)
        } catch {
            guard error.code == EACCES else { throw error }
        }
        let place = try opened(try BeneathPath(path).text, flags: bah_place_flag())
        let status = try EntryStatus(of: place.raw, subject: whole(path))
        // With another name it may be somebody else's file too.
        guard status.kind == .file, status.stamp == stamp, status.links == 1 else {
            throw SystemError(call: "open", subject: whole(path), code: ESTALE)
        }
        let added = ~status.permissions & 0o400
        _ = bah_add_rights(place.raw, added)
        // What is open stays open: its owner's mode is not the host's to change.
        defer { _ = bah_remove_rights(place.raw, added) }
        return try same(try open(path), path, stamp)
    }

    private func same(
        _ file: consuming OwnedDescriptor, _ path: String, _ stamp: FileStamp
    ) throws(SystemError) -> OwnedDescriptor {
        guard try EntryStatus(of: file.raw, subject: whole(path)).stamp == stamp else {
            throw SystemError(call: "open", subject: whole(path), code: ESTALE)
        }
        return file
    }

    /// Moves, and once more with the rights that the folder's owner has taken from it.
    private func move(
        _ path: String, in parent: borrowing OwnedDescriptor, _ body: (Int32) -> Int32
    ) throws(SystemError) {
        let raw = parent.raw
        _ = try attempt("rename", path) {
            let result = body(raw)
            guard result == -EACCES, bah_add_rights(raw, 0o700) == 0 else { return result }
            return body(raw)
        }
    }

    private static func single(_ name: String) throws(SystemError) -> String {
        let place = try BeneathPath(name)
        guard place.parent == nil else {
            throw SystemError(call: "rename", subject: name, code: EINVAL)
        }
        return name
    }
}

/// A name in an open folder; each call gives 0 or a negated errno.
private struct Entry {
    let folder: Int32
    let name: String

    /// True when the flag, and not the move, is what cannot be.
    static func isRefused(_ result: Int32) -> Bool { result == -EINVAL || result == -ENOSYS }

    /// Both are one name, and nothing that the kernel would look up by itself, through links.
    private func isPlain(_ target: Entry) -> Bool {
        !name.utf8.contains(Paths.separator) && !target.name.utf8.contains(Paths.separator)
    }

    func renameNew(_ target: Entry) -> Int32 {
        guard isPlain(target) else { return -EINVAL }
        return unsafe bah_rename_new(folder, name, target.folder, target.name)
    }

    func renameAfterALook(_ target: Entry) -> Int32 {
        guard isPlain(target) else { return -EINVAL }
        var status = stat()
        if unsafe fstatat(target.folder, target.name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            return -EEXIST
        }
        return unsafe renameat(folder, name, target.folder, target.name) == 0 ? 0 : -errno
    }

    func renameByLink(_ target: Entry) -> Int32 {
        guard isPlain(target) else { return -EINVAL }
        guard unsafe linkat(folder, name, target.folder, target.name, 0) == 0 else {
            let code = errno
            return code == EPERM || code == EOPNOTSUPP || code == EMLINK
                ? renameAfterALook(target) : -code
        }
        return remove()
    }

    /// True when both are names of one file.
    func isSame(_ target: Entry) -> Bool {
        var (one, other) = (stat(), stat())
        return unsafe isPlain(target)
            && fstatat(folder, name, &one, AT_SYMLINK_NOFOLLOW) == 0
            && fstatat(target.folder, target.name, &other, AT_SYMLINK_NOFOLLOW) == 0
            && one.st_ino == other.st_ino && one.st_dev == other.st_dev
    }

    func remove() -> Int32 {
        unsafe unlinkat(folder, name, 0) == 0 ? 0 : -errno
    }
}
