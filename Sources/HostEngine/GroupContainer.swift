internal import Glibc
package import LinuxSystem

/// The folder of an app group: what the app and its extension share.
///
/// `Downloads/` published files, `Library/` and `Library/Caches/` the plugin's own, `tmp/` emptied
/// when a run ends, `.bahost/` partial files and the manifest, where plugins have no right.
package struct GroupContainer: Sendable {
    package let path: String
    package let wasMade: Bool
    private let owner: UInt32?

    private static let folders = ["Downloads", "Library", "Library/Caches", "tmp", ".bahost"]
    private static let tagText = "Signature: 8a477f597d28d172789f06886806bc55\n"

    package var downloadsPath: String { "\(path)/Downloads" }
    package var manifestPath: String { "\(path)/.bahost/manifest" }

    /// Makes the container, or takes an existing one.
    ///
    /// - Parameters:
    ///   - path: Absolute.
    ///   - owner: The worker's id when that is not the host's own.
    /// - Throws: ``RunError`` with `outputFailed` naming the folder and the fault.
    package init(path: String, owner: UInt32?) throws(RunError) {
        self.path = path
        self.owner = owner
        do {
            wasMade = try GroupContainer.makeFolders(path)
            for name in GroupContainer.folders {
                let folder = "\(path)/\(name)"
                if try GroupContainer.makeFolder(folder) || owner != nil, name != ".bahost" {
                    give(folder)
                }
            }
            give(path)
            // Another id may pass through to the manifest, by its name; it may not list or write.
            if owner != nil { _ = unsafe chmod("\(path)/.bahost", 0o711) }
            try writeTag()
        } catch {
            throw RunError(
                .outputFailed,
                "cannot use the output folder \(error.subject): "
                    + SystemError.message(for: error.code))
        }
    }

    /// Makes a path's folders, outermost first; true when the last one is new.
    package static func makeFolders(_ path: String) throws(SystemError) -> Bool {
        var isNew = false
        var done = ""
        for part in path.split(separator: "/") {
            done += "/\(part)"
            isNew = try makeFolder(done)
        }
        return isNew
    }

    private static func makeFolder(_ path: String) throws(SystemError) -> Bool {
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

    private func writeTag() throws(SystemError) {
        let tag = "\(path)/CACHEDIR.TAG"
        guard unsafe access(tag, F_OK) != 0 else {
            guard unsafe access(path, W_OK) == 0 else {
                throw SystemError(call: "access", subject: path, code: errno)
            }
            return
        }
        let file = try Descriptor.open(tag, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
        try DescriptorIO.writeAll(
            file.raw, Array(GroupContainer.tagText.utf8), subject: tag)
    }

    /// Makes the worker's id the owner, where the kernel lets this host do so.
    package func give(_ item: String) {
        guard let owner else { return }
        _ = unsafe lchown(item, owner, owner)
    }

    /// Empties `tmp/`, without following links out of it.
    package func emptyTemporaryFolder() {
        FolderSweep.empty("\(path)/tmp")
    }

    /// Takes back what was made for a run that left nothing: only empty folders go.
    package func removeIfUnused() {
        guard wasMade else { return }
        for name in GroupContainer.folders.reversed() {
            _ = unsafe rmdir("\(path)/\(name)")
        }
        guard unsafe access(downloadsPath, F_OK) != 0,
            unsafe access("\(path)/Library", F_OK) != 0,
            unsafe access("\(path)/.bahost", F_OK) != 0
        else { return }
        _ = unsafe unlink("\(path)/CACHEDIR.TAG")
        _ = unsafe rmdir(path)
    }

    /// Where the bytes of an unfinished download lie.
    package func partialPath(rowID: Int64) -> String {
        "\(path)/.bahost/\(rowID).partial"
    }

    /// A published file's place, relative to the container.
    package static func publishedPath(_ identifier: String) -> String {
        "Downloads/\(FileName.forIdentifier(identifier))"
    }
}

/// Emptying a folder that a hostile plugin could write to.
package enum FolderSweep {
    /// Deepest nesting that is followed; deeper ones stay.
    private static let deepest = 64

    /// Removes everything below `path`, opening each folder by its parent's descriptor and never
    /// through a link.
    ///
    /// `openat(2)` O_NOFOLLOW, `unlinkat(2)`.
    package static func empty(_ path: String) {
        guard
            let folder = try? Descriptor.open(
                path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        else { return }
        empty(folder.raw, depth: 0)
    }

    private static func empty(_ folder: Int32, depth: Int) {
        for name in names(in: folder) {
            if unsafe unlinkat(folder, name, 0) == 0 { continue }
            guard depth < deepest,
                let inner = try? Descriptor.open(
                    name, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: folder)
            else { continue }
            empty(inner.raw, depth: depth + 1)
            _ = unsafe unlinkat(folder, name, AT_REMOVEDIR)
        }
    }

    private static func names(in folder: Int32) -> [String] {
        let copy = dup(folder)
        guard copy >= 0 else { return [] }
        guard let stream = unsafe fdopendir(copy) else {
            _ = close(copy)
            return []
        }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
