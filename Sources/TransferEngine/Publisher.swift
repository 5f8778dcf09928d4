internal import LinuxSystem

/// A file that is whole and right and waits for its name.
struct PublishJob: Sendable {
    let id: Int64
    let file: DataFile
    /// Nil leaves it where it is.
    let destination: TransferDestination?
}

struct PublishResult: Sendable {
    let id: Int64
    /// Nil when the file is durable under its name.
    var failure: TransferFailure?
}

/// Gives finished files their names, a group at a time, so that each is there whole or not at all,
/// also after a power cut.
enum Publisher {
    /// Syncs every file, renames every file, then syncs each folder once.
    ///
    /// A failure of one is that one's alone. A file of that name is replaced; a folder is not (EISDIR).
    /// `fdatasync(2)`, `rename(2)`, `fsync(2)`.
    static func publish(_ group: [PublishJob]) -> [PublishResult] {
        // All at once into the disk's queue, so that the syncs after it find little left to do.
        if group.count > 1 {
            for job in group { job.file.startWriteBack(from: 0, count: 0) }
        }
        var results = group.map { PublishResult(id: $0.id, failure: failure(of: $0.file.sync)) }
        var folders: [ObjectIdentifier: (folder: ConfinedFolder, places: [Int])] = [:]
        for (place, job) in group.enumerated() {
            guard let destination = job.destination, results[place].failure == nil else { continue }
            results[place].failure = failure(of: { () throws(TransferFailure) in
                try rename(job.file.path, to: destination)
            })
            guard results[place].failure == nil else { continue }
            let folder = destination.folder
            folders[ObjectIdentifier(folder), default: (folder, [])].places.append(place)
        }
        for (folder, places) in folders.values {
            guard let failure = failure(of: { () throws(TransferFailure) in try sync(folder) })
            else { continue }
            for place in places { results[place].failure = failure }
        }
        return results
    }

    private static func failure(
        of work: () throws(TransferFailure) -> Void
    ) -> TransferFailure? {
        do throws(TransferFailure) {
            try work()
            return nil
        } catch {
            return error
        }
    }

    private static func rename(
        _ path: String, to destination: TransferDestination
    ) throws(TransferFailure) {
        do throws(SystemError) {
            try destination.folder.take(path, as: destination.name, mark: destination.mark)
        } catch {
            throw TransferFailure(error)
        }
    }

    private static func sync(_ folder: ConfinedFolder) throws(TransferFailure) {
        do throws(SystemError) {
            try folder.sync()
        } catch {
            throw TransferFailure(error)
        }
    }
}
