internal import Glibc
package import LinuxSystem

/// What came of taking one file back.
package enum PurgeOutcome: Hashable, Sendable {
    case purged

    /// Somebody holds a `flock(2)` on it.
    case inUse

    /// Something else has its name, or it was changed.
    case changed

    /// It has another name beside.
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
            let outcome = removeWhatCame(candidate)
            // The lock is held until then.
            withExtendedLifetime(file) {}
            return outcome
        } catch {
            switch error.code {
            case ENOENT: return .gone
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
        let oneOfEach = Dictionary(purged.map { (Paths.folder(of: $0.path), $0.path) }) { $1 }
        for path in oneOfEach.values {
            guard let place = folders.place(of: path) else { continue }
            FilePurge.syncFolder(of: place.inner, in: place.folder)
        }
        try privateFolder.sync()
    }

    /// Ends what an earlier host has begun with a file whose row says that it is being purged.
    ///
    /// - Returns: True when the file was in the host's folder and is gone now.
    /// - Throws: ``SystemError`` when something that is there cannot be removed or moved back.
    package func settle(_ candidate: PurgeCandidate) throws(SystemError) -> Bool {
        let name = FilePurge.name(of: candidate.uniqueIdentifier)
        guard let held = try privateFolder.status(name) else { return false }
        guard held.kind == .file, held.stamp == candidate.stamp else {
            try putBack(candidate)
            return false
        }
        try privateFolder.remove(name)
        try privateFolder.sync()
        // With another name it lies there still.
        return held.links == 1
    }

    /// Removes from the host's folder what no row knows of.
    ///
    /// - Parameters:
    ///   - limit: Of entries in it.
    ///   - isPurging: Asked for each file's unique identifier.
    /// - Returns: How many files that were.
    /// - Throws: ``SystemError``; E2BIG past the limit.
    package func removeOrphans(
        limit: Int, isPurging: (String) -> Bool
    ) throws(SystemError) -> Int {
        let orphans = try privateFolder.names(limit: limit).filter { name in
            name.hasSuffix(FilePurge.ending)
                && !isPurging(String(name.dropLast(FilePurge.ending.utf8.count)))
        }
        for name in orphans { try privateFolder.remove(name) }
        return orphans.count
    }
}

extension FilePurge {
    /// The name in the host's folder of a file that is being purged.
    package static func name(of uniqueIdentifier: String) -> String {
        "\(uniqueIdentifier)\(ending)"
    }

    /// Why it is not taken; nil when it is the file, and has no other name.
    private static func refusal(
        _ status: EntryStatus, _ candidate: PurgeCandidate
    ) -> PurgeOutcome? {
        guard status.kind == .file, status.stamp == candidate.stamp else { return .changed }
        return status.links == 1 ? nil : .linked
    }

    /// False when somebody else holds it.
    private static func lock(
        _ file: borrowing OwnedDescriptor, _ candidate: PurgeCandidate
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try Descriptor.lock(file.raw, subject: candidate.path)
            return true
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return false
        }
    }

    private func removeWhatCame(_ candidate: PurgeCandidate) -> PurgeOutcome {
        let name = FilePurge.name(of: candidate.uniqueIdentifier)
        do throws(SystemError) {
            guard let status = try privateFolder.status(name) else { return .gone }
            if let refusal = FilePurge.refusal(status, candidate) {
                try putBack(candidate)
                return refusal
            }
            try privateFolder.remove(name)
            return .purged
        } catch {
            return .failed(error)
        }
    }

    /// Moves back what is not the file, or may not go: to its place, or beside where that is taken.
    private func putBack(_ candidate: PurgeCandidate) throws(SystemError) {
        let name = FilePurge.name(of: candidate.uniqueIdentifier)
        guard let place = folders.place(of: candidate.path) else {
            throw SystemError(call: "rename", subject: candidate.path, code: ENOENT)
        }
        let spares = (1...FilePurge.mostReturns).map {
            "\(candidate.uniqueIdentifier).returned-\($0)"
        }
        var fault = SystemError(call: "rename", subject: candidate.path, code: EEXIST)
        for path in [place.inner] + spares {
            do throws(SystemError) {
                try place.folder.restore(name, from: privateFolder, as: path)
            } catch {
                fault = error
                continue
            }
            // Before its row says that it is there.
            FilePurge.syncFolder(of: path, in: place.folder)
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
