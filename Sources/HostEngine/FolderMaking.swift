internal import Glibc
package import LinuxSystem

/// Making folders, with a list of what was made, so that it can be taken back.
package enum FolderMaking {
    /// Makes a path's folders, outermost first.
    ///
    /// - Returns: Those that were not there.
    /// - Throws: ``SystemError`` with the folder at fault; what was made before it is removed.
    package static func makeAll(_ path: String) throws(SystemError) -> [String] {
        var made: [String] = []
        var done = ""
        for part in Paths.names(of: path) where !part.isEmpty {
            done += "/\(part)"
            do throws(SystemError) {
                if try make(done) { made.append(done) }
            } catch {
                remove(made)
                throw error
            }
        }
        return made
    }

    private static func make(_ path: String) throws(SystemError) -> Bool {
        if unsafe mkdir(path, 0o700) == 0 { return true }
        let code = errno
        var status = stat()
        guard code == EEXIST || code == EROFS || code == EACCES || code == EPERM,
            unsafe stat(path, &status) == 0
        else { throw SystemError(call: "mkdir", subject: path, code: code) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SystemError(call: "mkdir", subject: path, code: ENOTDIR)
        }
        return false
    }

    /// Makes or takes one folder in another, never through a link, with exactly this mode.
    static func take(
        _ name: String, in root: Int32, _ path: String, mode: UInt32, _ made: inout [String]
    ) throws(SystemError) -> OwnedDescriptor {
        if unsafe mkdirat(root, name, mode_t(mode)) == 0 { made.append("\(path)/\(name)") }
        let subject = "\(path)/\(name)"
        // Its owner may have taken every right from it.
        _ = unsafe fchmodat(root, name, mode_t(mode), AT_SYMLINK_NOFOLLOW)
        return try opened(name, in: root, subject)
    }

    private static func opened(
        _ name: String, in root: Int32, _ subject: String
    ) throws(SystemError) -> OwnedDescriptor {
        do throws(SystemError) {
            return try Descriptor.open(
                name, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: root)
        } catch {
            throw SystemError(call: "open", subject: subject, code: error.code)
        }
    }

    /// Removes what a list names, innermost first; a folder goes only when it is empty.
    package static func remove(_ made: [String]) {
        for path in made.reversed() {
            if unsafe rmdir(path) != 0 { _ = unsafe unlink(path) }
        }
    }

    static func isEmpty(_ folder: Int32) -> Bool {
        let copy = dup(folder)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else { return false }
        defer { unsafe _ = closedir(stream) }
        unsafe rewinddir(stream)
        // Besides "." and "..".
        var count = 0
        while count < 3, unsafe readdir(stream) != nil { count += 1 }
        return count < 3
    }
}
