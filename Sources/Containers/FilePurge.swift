internal import Glibc
package import LinuxSystem

/// What came of taking one file back.
package enum PurgeOutcome: Hashable, Sendable {
    case purged

    /// Somebody holds a `flock(2)` or a lease on it, or nobody can be asked: a file system without
    /// such locks.
    case inUse

    /// Something else has its name, or it was changed.
    case changed

    /// It has another name beside, and lies there still.
    case linked

    /// Nothing has its name.
    case gone

    /// It may be in the host's folder: ``FilePurge/settle(_:)`` sees to that.
    case failed(SystemError)
}

/// Takes published files back while a plugin may change the container, and may do so on purpose.
///
/// A file is moved to the host's folder, where no plugin can put another in its place, and only there
/// it is looked at for the last time and removed. What is another file after all is moved back. A
/// host that ends in between leaves it under a name that says of which download it is.
package struct FilePurge: Sendable {
    /// How the name of a file that is being purged ends in the host's folder.
    package static let ending = ".purged"

    /// How many names are tried for a file that cannot go back to its own.
    private static let mostReturns = 16

    private let folders: ContainerFolders
    private let privateFolder: ConfinedFolder

    /// - Parameters:
    ///   - folders: Where the files lie.
    ///   - privateFolder: The host's own, in the same mount, and no other process's at the time.
    package init(_ folders: ContainerFolders, privateFolder: ConfinedFolder) {
        self.folders = folders
        self.privateFolder = privateFolder
    }

    /// Removes one file, if it is still what the host has put there and nobody uses it.
    ///
    /// Not durable before ``sync(_:)``. `flock(2)`, `renameat2(2)`, `unlinkat(2)`.
    package func take(_ candidate: PurgeCandidate) -> PurgeOutcome {
        guard let place = folders.place(of: candidate.path) else { return .gone }
        do throws(SystemError) {
            guard let status = try place.folder.status(place.inner) else { return .gone }
            if let refusal = FilePurge.refusal(status, candidate) { return refusal }
            let file = try place.folder.open(place.inner, only: candidate.stamp)
            guard try FilePurge.lock(file, candidate) else { return .inUse }
            try place.folder.give(
                place.inner, to: privateFolder, as: FilePurge.name(of: candidate.uniqueIdentifier))
            // The lock is held until then.
            return removeWhatCame(candidate, file)
        } catch {
            switch error.code {
            case ENOENT: return .gone
            // A lease: fcntl(2), F_SETLEASE.
            case EAGAIN: return .inUse
            case ELOOP, ENOTDIR, EISDIR, ENOTSUP, ENXIO, ESTALE: return .changed
            default: return .failed(error)
            }
        }
    }

    /// Makes durable that files are gone.
    ///
    /// - Parameter purged: Those that ``take(_:)`` has removed, all together.
    /// - Throws: ``SystemError`` when the host's own folder cannot be synced.
    package func sync(_ purged: [PurgeCandidate]) throws(SystemError) {
        guard !purged.isEmpty else { return }
        // By bytes: two texts that mean the same are two folders.
        let oneOfEach = Dictionary(
            purged.map { (Array(Paths.folder(of: $0.path).utf8), $0.path) }
        ) { $1 }
        for path in oneOfEach.values {
            guard let place = folders.place(of: path) else { continue }
            FilePurge.syncFolder(of: place.inner, in: place.folder)
        }
        try privateFolder.sync()
    }

    /// Ends what an earlier host has begun with a file whose row says that it is being purged.
    ///
    /// - Returns: True when the file was in the host's folder and is gone now; what is another file, or
    ///   has another name, is moved back.
    /// - Throws: ``SystemError`` when something that is there cannot be removed or moved back.
    package func settle(_ candidate: PurgeCandidate) throws(SystemError) -> Bool {
        let name = FilePurge.name(of: candidate.uniqueIdentifier)
        guard let held = try privateFolder.status(name) else { return false }
        guard FilePurge.refusal(held, candidate) == nil else {
            try putBack(candidate)
            return false
        }
        try privateFolder.remove(name)
        try privateFolder.sync()
        return true
    }

    /// Empties the host's folder of what was being purged and no row knows of.
    ///
    /// A file goes when it is marked as the download's of its name, is as it was published and has no
    /// other name. All else may be somebody's only copy, of whatever kind: it is moved back, beside
    /// where it was. What cannot be moved stays, and keeps nothing else from being looked at.
    ///
    /// - Parameters:
    ///   - limit: Of entries in it.
    ///   - isPurging: Asked for each file's unique identifier.
    /// - Returns: How many files were removed.
    /// - Throws: ``SystemError``; E2BIG past the limit.
    package func removeOrphans(
        limit: Int, isPurging: (String) -> Bool
    ) throws(SystemError) -> Int {
        var count = 0
        for name in try privateFolder.names(limit: limit) {
            guard let identifier = FilePurge.identifier(of: name), !isPurging(identifier) else {
                continue
            }
            if (try? endOrphan(name, identifier)) == true { count += 1 }
        }
        if count > 0 { try privateFolder.sync() }
        return count
    }

    /// True when it is removed, false when it was moved back.
    private func endOrphan(_ name: String, _ identifier: String) throws(SystemError) -> Bool {
        let status = try privateFolder.status(name)
        if status?.kind == .file, status?.links == 1,
            (try? privateFolder.untouchedMark(of: name)) == identifier
        {
            return try privateFolder.remove(name)
        }
        guard let first = folders.folders.first else { return false }
        try putBack(identifier, first.folder, [])
        return false
    }
}

extension FilePurge {
    /// The name in the host's folder of a file that is being purged.
    package static func name(of uniqueIdentifier: String) -> String {
        "\(uniqueIdentifier)\(ending)"
    }

    /// Whose file has such a name; nil for another name.
    private static func identifier(of name: String) -> String? {
        let bytes = Array(name.utf8)
        guard bytes.count > ending.utf8.count,
            bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
        else { return nil }
        return String(decoding: bytes.dropLast(ending.utf8.count), as: UTF8.self)
    }

    /// Why it is not taken; nil when it is the file, and has no other name.
    private static func refusal(
        _ status: EntryStatus, _ candidate: PurgeCandidate
    ) -> PurgeOutcome? {
        guard status.kind == .file, status.stamp == candidate.stamp else { return .changed }
        return status.links == 1 ? nil : .linked
    }

    /// False when somebody else holds it, and where nobody can be asked, as on a network file system
    /// that locks only what is open for writing, or not at all.
    private static func lock(
        _ file: borrowing OwnedDescriptor, _ candidate: PurgeCandidate
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try Descriptor.lock(file.raw, subject: candidate.path)
            return true
        } catch {
            switch error.code {
            case EWOULDBLOCK, EBADF, ENOLCK, ENOSYS, EOPNOTSUPP: return false
            default: throw error
            }
        }
    }

    /// Looks for the last time, and removes it where no plugin can put another in its place.
    ///
    /// - Parameters:
    ///   - candidate: What was moved to the host's folder.
    ///   - file: The same, open.
    /// - Returns: What has come of it.
    private func removeWhatCame(
        _ candidate: PurgeCandidate, _ file: borrowing OwnedDescriptor
    ) -> PurgeOutcome {
        let name = FilePurge.name(of: candidate.uniqueIdentifier)
        do throws(SystemError) {
            guard let status = try privateFolder.status(name) else { return .gone }
            if let refusal = FilePurge.refusal(status, candidate) {
                try putBack(candidate)
                return refusal
            }
            try privateFolder.remove(name)
            // Who could reach it there may have made another name of it at the last moment.
            let left = try EntryStatus(of: file.raw, subject: candidate.path)
            return left.links == 0 ? .purged : .linked
        } catch {
            return .failed(error)
        }
    }

    /// Moves back what is not the file, or may not go: to its place, or beside where that is taken.
    private func putBack(_ candidate: PurgeCandidate) throws(SystemError) {
        guard let place = folders.place(of: candidate.path) else {
            throw SystemError(call: "rename", subject: candidate.path, code: ENOENT)
        }
        try putBack(candidate.uniqueIdentifier, place.folder, [place.inner])
    }

    /// To the first of some places that can be had, else beside.
    private func putBack(
        _ identifier: String, _ folder: ConfinedFolder, _ places: [String]
    ) throws(SystemError) {
        let name = FilePurge.name(of: identifier)
        let spares = (1...FilePurge.mostReturns).map { "\(identifier).returned-\($0)" }
        var fault = SystemError(call: "rename", subject: name, code: EEXIST)
        for path in places + spares {
            do throws(SystemError) {
                try folder.restore(name, from: privateFolder, as: path)
            } catch {
                fault = error
                continue
            }
            // Before its row says that it is there.
            FilePurge.syncFolder(of: path, in: folder)
            try privateFolder.sync()
            return
        }
        throw fault
    }

    /// One that is gone or moved meanwhile is left: at worst a file comes back after a loss of power,
    /// without its row.
    private static func syncFolder(of path: String, in folder: ConfinedFolder) {
        let parent = Paths.folder(of: path)
        try? folder.sync(parent == "." ? nil : parent)
    }
}
