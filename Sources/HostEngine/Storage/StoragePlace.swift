internal import Containers
internal import DownloadStore
internal import Glibc
package import LinuxSystem

/// Where published files of one container are looked for and taken from.
package struct StoragePlace: Sendable {
    /// The container's path without links, as its rows have it.
    package let path: String

    /// The folders that plugins can write to.
    let folders: ContainerFolders

    /// `.bahost/`.
    let privateFolder: ConfinedFolder

    /// Of a container that this host has taken.
    init(_ container: borrowing GroupContainer) {
        path = container.resolvedPath
        folders = ContainerFolders(container.writable)
        privateFolder = container.privateFolder
    }

    /// Of a container that is looked at only, beside the host that has it.
    ///
    /// - Throws: ``SystemError``; ENOENT for a folder that is no container.
    package init(reading path: String) throws(SystemError) {
        self.path = Paths.resolved(path) ?? path
        privateFolder = try ConfinedFolder("\(path)/.bahost")
        folders = ContainerFolders(
            try GroupContainer.writableNames.map { name throws(SystemError) in
                (name, try ConfinedFolder("\(path)/\(name)"))
            })
    }

    /// Where the container says it was, when it is the same one that was moved; nil when it is where it
    /// was, or a copy.
    func oldPath(_ said: ContainerState) -> String? {
        let old = said.containerPath
        guard !old.utf8.elementsEqual(path.utf8) else { return nil }
        do throws(SystemError) {
            return try StoragePlace.identity(of: old) == StoragePlace.identity(of: path) ? old : nil
        } catch {
            return error.subject == old && [ENOENT, ENOTDIR].contains(error.code) ? old : nil
        }
    }

    /// Device and inode of a folder.
    private static func identity(of path: String) throws(SystemError) -> [UInt64] {
        var status = Glibc.stat()
        try SystemError.checkErrno(unsafe fstatat(AT_FDCWD, path, &status, 0), "stat", path)
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }

    /// Whether it is no more where it says it was, nor is it just spelled otherwise.
    ///
    /// - Parameter said: Its own word.
    /// - Returns: True also when something else is there by now.
    func wasMoved(_ said: ContainerState) -> Bool {
        let old = said.containerPath
        guard !old.utf8.elementsEqual(path.utf8) else { return false }
        do throws(SystemError) {
            return try StoragePlace.identity(of: "\(old)/.bahost")
                != StoragePlace.identity(of: "\(path)/.bahost")
        } catch {
            return error.subject.utf8.starts(with: old.utf8)
                && [ENOENT, ENOTDIR].contains(error.code)
        }
    }

    /// What the container says; a copy has its original's word, and none of its own.
    var said: ContainerState? {
        guard let said = ContainerState.read(in: privateFolder), let inode, said.inode == inode
        else { return nil }
        return said
    }

    /// Under which path the list in a state folder has the container's rows, for one who may not change
    /// it.
    func rowsPath(statePath: String) -> String {
        guard let said, said.isIn(statePath) else { return path }
        return oldPath(said) ?? path
    }

    /// Where the files of some rows are now, each looked for where it was seen last, and only then
    /// everywhere.
    func find(_ rows: [PublishedFile]) throws(SystemError) -> PublishedSights {
        var sights = PublishedSights()
        var missing: [PublishedFile] = []
        for row in rows {
            if let status = status(row.path), status.kind == .file, status.stamp == row.stamp {
                sights.found[row.rowID] = PublishedSight(
                    path: row.path, links: status.links, accessedSeconds: status.accessedSeconds)
            } else {
                missing.append(row)
            }
        }
        guard !missing.isEmpty else { return sights }
        let scan = try ContainerScan.scan(folders, wanted: Set(missing.map(\.stamp)))
        sights.isComplete = scan.isComplete
        for row in missing {
            guard let file = scan.file(with: row.stamp) else { continue }
            sights.found[row.rowID] = PublishedSight(
                path: file.path, links: file.links, accessedSeconds: file.accessedSeconds)
        }
        return sights
    }

    /// What an ordinary user may still write here, in bytes.
    package func freeBytes() throws(SystemError) -> UInt64 { try privateFolder.freeBytes() }

    /// The device of the file system; nil where nobody knows.
    var device: UInt64? { (try? StoragePlace.identity(of: privateFolder.path))?.first }

    /// Of `.bahost/`: a copy has another; nil where nobody knows.
    var inode: UInt64? { (try? StoragePlace.identity(of: privateFolder.path))?.last }

    /// The same, and what was not found is looked for once more: what is moved during a look can be
    /// missed by it.
    func findTwice(_ rows: [PublishedFile]) throws(SystemError) -> PublishedSights {
        var sights = try find(rows)
        let missing = rows.filter { sights.found[$0.rowID] == nil }
        // What one look cannot reach a second one does not either.
        if missing.isEmpty || !sights.isComplete { return sights }
        let again = try find(missing)
        sights.found.merge(again.found) { first, _ in first }
        sights.isComplete = sights.isComplete && again.isComplete
        return sights
    }

    func hasEntry(_ path: String) -> Bool { status(path) != nil }

    /// What has a path of the container's; nil for nothing that can be looked at.
    private func status(_ path: String) -> EntryStatus? {
        guard let (folder, rest) = folders.place(of: path) else { return nil }
        return (try? folder.status(rest)) ?? nil
    }

    /// Whether somebody has a lock on a file, which keeps it.
    ///
    /// A lease as well: fcntl(2), F_SETLEASE. `flock(2)`: for the moment of this look it is locked.
    func isInUse(_ path: String) -> Bool {
        guard let (folder, rest) = folders.place(of: path) else { return false }
        do throws(SystemError) {
            let file = try folder.open(rest)
            try Descriptor.lock(file.raw, subject: path)
            return false
        } catch {
            // What cannot be asked for counts as in use, as it does for whoever takes it.
            return [EWOULDBLOCK, EBADF, ENOLCK, ENOSYS, EOPNOTSUPP].contains(error.code)
        }
    }
}

/// Where a published file is.
struct PublishedSight: Hashable, Sendable {
    /// Relative to the container.
    var path: String
    var links: UInt64
    var accessedSeconds: Int64
}

/// Where published files are, by row.
struct PublishedSights: Hashable, Sendable {
    var found: [Int64: PublishedSight] = [:]

    /// False when there was too much to look through: what was not found may be somewhere.
    var isComplete = true
}
