package import DownloadScheduler
internal import Glibc
package import LinuxSystem

/// The folder of an app group: what the app and its extension share.
///
/// `Downloads/` published files, `Library/` the plugin's own, `tmp/` emptied when a run ends,
/// `.bahost/` partial files and the manifest, where plugins have no right. The folder itself stays
/// the host's, so that no plugin can put another in the place of one of these.
package struct GroupContainer: ~Copyable, Sendable {
    package let path: String

    /// What this value has made, outermost first.
    private var made: [String]
    private let owner: UInt32?

    /// `.bahost/`, locked for as long as this lives: one run at a time.
    private let privateFolder: OwnedDescriptor

    private static let pluginFolders = ["Downloads", "Library", "tmp"]
    private static let tagText = "Signature: 8a477f597d28d172789f06886806bc55\n"

    /// The folders that plugins can write to.
    package var pluginPaths: [String] {
        GroupContainer.pluginFolders.map { "\(path)/\($0)" }
    }

    /// False when the worker has yet to make `Library/Caches`.
    var hasCaches: Bool {
        var status = stat()
        return unsafe lstat("\(path)/Library/Caches", &status) == 0
    }

    package var downloadsPath: String { "\(path)/Downloads" }
    package var manifestPath: String { "\(path)/.bahost/manifest" }

    /// Makes the container, or takes one that was made before.
    ///
    /// - Parameters:
    ///   - path: Absolute.
    ///   - owner: The worker's id when that is not the host's own.
    /// - Throws: ``RunError`` with `outputFailed` naming the folder and the fault: also for a folder
    ///   with other things in it, and for one that another run uses.
    package init(path: String, owner: UInt32?) throws(RunError) {
        var made: [String] = []
        do throws(SystemError) {
            let lock = try GroupContainer.prepare(path, owner: owner, &made)
            self.path = path
            self.owner = owner
            self.made = made
            privateFolder = lock
        } catch {
            FolderMaking.remove(made)
            let reason =
                switch error.code {
                case ENOTEMPTY: "it holds other things and is no container of bahost's"
                case EWOULDBLOCK: "another run is using it"
                default: SystemError.message(for: error.code)
                }
            throw RunError(
                .outputFailed, "cannot use the output folder \(error.subject): \(reason)")
        }
    }

    private static func prepare(
        _ path: String, owner: UInt32?, _ made: inout [String]
    ) throws(SystemError) -> OwnedDescriptor {
        made += try FolderMaking.makeAll(path)
        let isNew = made.last == path
        let root = try Descriptor.open(path, flags: O_RDONLY | O_DIRECTORY)
        let hasPrivate = unsafe faccessat(root.raw, ".bahost", F_OK, AT_SYMLINK_NOFOLLOW) == 0
        guard isNew || hasPrivate || FolderMaking.isEmpty(root.raw) else {
            throw SystemError(call: "open", subject: path, code: ENOTEMPTY)
        }
        if owner != nil {
            // Another id may pass through, by name; it may not list or write.
            try SystemError.checkErrno(fchown(root.raw, geteuid(), getegid()), "fchown", path)
            try SystemError.checkErrno(fchmod(root.raw, 0o711), "fchmod", path)
        }
        let lock = try takePrivateFolder(in: root.raw, path, owner: owner, &made)
        for name in pluginFolders {
            let folder = try FolderMaking.take(name, in: root.raw, path, mode: 0o700, &made)
            if let owner { _ = fchown(folder.raw, owner, owner) }
        }
        try writeTag(root.raw, path, &made)
        return lock
    }

    private static func takePrivateFolder(
        in root: Int32, _ path: String, owner: UInt32?, _ made: inout [String]
    ) throws(SystemError) -> OwnedDescriptor {
        let mode: UInt32 = owner == nil ? 0o700 : 0o711
        let folder = try FolderMaking.take(".bahost", in: root, path, mode: mode, &made)
        try Descriptor.lock(folder.raw, subject: path)
        return folder
    }

    private static func writeTag(
        _ root: Int32, _ path: String, _ made: inout [String]
    ) throws(SystemError) {
        let name = "CACHEDIR.TAG"
        guard unsafe faccessat(root, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { return }
        let file = try Descriptor.open(
            name, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644, in: root)
        made.append("\(path)/\(name)")
        try DescriptorIO.writeAll(file.raw, Array(tagText.utf8), subject: "\(path)/\(name)")
    }

    /// Makes the worker's id the owner of a file the host has put into `Downloads/`.
    ///
    /// Only of a plain file of the host's own with one name: a plugin could have put a link there.
    package func give(published name: String) {
        guard let owner,
            let folder = try? Descriptor.open(
                downloadsPath, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            let file = try? Descriptor.open(
                name, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK, in: folder.raw)
        else { return }
        var status = stat()
        guard unsafe fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink == 1, status.st_uid == geteuid()
        else { return }
        _ = fchown(file.raw, owner, owner)
    }

    /// Lets the worker's id read the manifest, which lies where it may not look around.
    package func giveManifest() {
        guard let owner else { return }
        // Its folder is the host's alone: nobody can put a link there.
        _ = unsafe lchown(manifestPath, owner, owner)
    }

    /// Removes what still lies at a published file's name, never through a link.
    package func remove(published name: String) {
        guard
            let folder = try? Descriptor.open(
                downloadsPath, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        else { return }
        _ = unsafe unlinkat(folder.raw, name, 0)
    }

    /// Empties `tmp/`, without following links out of it.
    package func emptyTemporaryFolder() throws(SystemError) {
        try FolderSweep.empty("\(path)/tmp")
    }

    /// Takes back what was made for a run that left nothing: folders go only when empty.
    package mutating func removeIfUnused() {
        // The worker makes this one.
        if made.contains("\(path)/Library") { _ = unsafe rmdir("\(path)/Library/Caches") }
        let folders = pluginPaths + ["\(path)/.bahost"]
        guard folders.allSatisfy({ FolderMaking.isEmpty($0) })
        else { return }
        FolderMaking.remove(made)
        made = []
    }

    /// Where the bytes of an unfinished download lie.
    ///
    /// Named by the download's own UUID: rows of another database count from 1 as well.
    package func partialPath(of record: DownloadRecord) -> String {
        GroupContainer.partialPath(of: record, in: path)
    }

    /// The same for the container at `path`.
    package static func partialPath(of record: DownloadRecord, in path: String) -> String {
        "\(path)/.bahost/\(FileName.forIdentifier(record.uniqueIdentifier)).partial"
    }

    /// A published file's place, relative to the container.
    package static func publishedPath(_ identifier: String) -> String {
        "Downloads/\(FileName.forIdentifier(identifier))"
    }
}
