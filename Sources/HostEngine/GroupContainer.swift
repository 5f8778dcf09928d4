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

    /// The same without links, as rows of files have it.
    package let resolvedPath: String

    /// What this value has made, outermost first.
    private var made: [String]
    private let owner: UInt32?

    /// `.bahost/`, locked for as long as this lives: one run at a time.
    let privateFolder: ConfinedFolder

    /// Published files, reached by the host through this alone; what is put in is the worker's.
    package let downloads: ConfinedFolder
    private let library: ConfinedFolder
    private let temporary: ConfinedFolder

    /// The folders that plugins can write to.
    static let writableNames = ["Downloads", "Library", "tmp"]

    private static let tagText = "Signature: 8a477f597d28d172789f06886806bc55\n"

    /// False when the worker has yet to make `Library/Caches`.
    var hasCaches: Bool { (try? library.status("Caches")) != nil }

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
            let root = try GroupContainer.openRoot(path, owner: owner, &made)
            let lock = try GroupContainer.takePrivateFolder(
                in: root.raw, path, owner: owner, &made)
            let folders = try GroupContainer.writableNames.map { name throws(SystemError) in
                try GroupContainer.take(name, in: root.raw, path, owner, &made)
            }
            try GroupContainer.writeTag(root.raw, path, &made)
            privateFolder = lock
            downloads = folders[0]
            library = folders[1]
            temporary = folders[2]
            self.path = path
            resolvedPath = Paths.resolved(path) ?? path
            self.owner = owner
            self.made = made
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

    private static func openRoot(
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
        return root
    }

    /// Sees to it that root takes no container of a user's: it would be root's afterwards.
    ///
    /// - Throws: ``RunError`` with `outputFailed`.
    static func checkOwner(_ path: String) throws(RunError) {
        guard geteuid() == 0, let root = try? Descriptor.open(path, flags: O_RDONLY | O_DIRECTORY),
            unsafe faccessat(root.raw, ".bahost", F_OK, AT_SYMLINK_NOFOLLOW) == 0,
            let owner = (try? EntryStatus(of: root.raw, subject: path))?.owner, owner != 0
        else { return }
        throw RunError(
            .outputFailed,
            "cannot use the output folder \(path): it is the user's with the id \(owner), and "
                + "would not be theirs any more")
    }

    /// A folder that plugins can write to.
    private static func take(
        _ name: String, in root: Int32, _ path: String, _ owner: UInt32?, _ made: inout [String]
    ) throws(SystemError) -> ConfinedFolder {
        let folder = try FolderMaking.take(name, in: root, path, mode: 0o700, &made)
        if let owner { _ = fchown(folder.raw, owner, owner) }
        return try ConfinedFolder(folder, path: "\(path)/\(name)", newOwner: owner)
    }

    private static func takePrivateFolder(
        in root: Int32, _ path: String, owner: UInt32?, _ made: inout [String]
    ) throws(SystemError) -> ConfinedFolder {
        let mode: UInt32 = owner == nil ? 0o700 : 0o711
        let folder = try FolderMaking.take(".bahost", in: root, path, mode: mode, &made)
        try Descriptor.lock(folder.raw, subject: path)
        return try ConfinedFolder(folder, path: "\(path)/.bahost")
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

    /// Lets the worker's id read the manifest, which lies where it may not look around.
    package func giveManifest() {
        guard let owner else { return }
        // Its folder is the host's alone: nobody can put a link there.
        _ = unsafe lchown(manifestPath, owner, owner)
    }

    /// Removes what still lies at a published file's name, never through a link.
    package func remove(published name: String) {
        _ = try? downloads.remove(name)
    }

    /// Empties `tmp/`, without following links out of it.
    package func emptyTemporaryFolder() throws(SystemError) {
        try temporary.empty()
    }

    var writable: [(name: String, folder: ConfinedFolder)] {
        zip(GroupContainer.writableNames, [downloads, library, temporary]).map {
            (name: $0, folder: $1)
        }
    }

    /// The lengths of unfinished downloads, by unique identifier; nil when they cannot be listed.
    func partialBytes(limit: Int) -> [String: UInt64]? {
        guard let names = try? privateFolder.names(limit: limit) else { return nil }
        var found: [String: UInt64] = [:]
        for name in names where name.hasSuffix(Reconciliation.partialEnding) {
            let status = (try? privateFolder.status(name)) ?? nil
            found[String(name.dropLast(Reconciliation.partialEnding.utf8.count))] = status?.size
        }
        return found
    }

    /// What lies where plugins can write; nil as ``FolderUse/measure(_:mostFiles:)`` has it.
    package func use(mostFiles: UInt64) -> FolderUse? {
        FolderUse.measure([downloads, library, temporary], mostFiles: mostFiles)
    }

    /// Takes back what was made for a run that left nothing: folders go only when empty.
    package mutating func removeIfUnused() {
        // The worker makes this one.
        if made.contains("\(path)/Library") { _ = try? library.removeFolder("Caches") }
        let folders = [downloads, library, temporary, privateFolder]
        guard folders.allSatisfy(\.isEmpty) else { return }
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
        "\(path)/.bahost/\(partialName(record.uniqueIdentifier))"
    }

    static func partialName(_ uniqueIdentifier: String) -> String {
        "\(FileName.forIdentifier(uniqueIdentifier))\(Reconciliation.partialEnding)"
    }

    /// A published file's place, relative to the container.
    package static func publishedPath(_ identifier: String) -> String {
        "Downloads/\(FileName.forIdentifier(identifier))"
    }
}
