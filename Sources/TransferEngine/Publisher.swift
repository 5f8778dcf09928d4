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
    /// What the file is; nil without a destination, and where nothing tells it from a changed one.
    var stamp: FileStamp?
    /// The file that had the name and no other; nil when there was none.
    var replaced: FileStamp?
}

/// Gives finished files their names, a group at a time, so that each is there whole or not at all,
/// also after a power cut.
enum Publisher {
    /// From so many files of one file system on, all of it is synced at once.
    ///
    /// Each sync of a file has the disk empty its cache. Fewer do not wait for what others have written.
    private static let manyFiles = 32

    /// Syncs every file, renames every file, then syncs each folder once.
    ///
    /// A failure of one is that one's alone. A file of that name is replaced; a folder is not (EISDIR).
    /// `fdatasync(2)`, `syncfs(2)`, `rename(2)`, `fsync(2)`.
    static func publish(_ group: [PublishJob]) -> [PublishResult] {
        // All at once into the disk's queue, so that the syncs after it find little left to do.
        if group.count > 1 {
            for job in group { job.file.startWriteBack(from: 0, count: 0) }
        }
        // While nobody else can write to it: what others make of it is not the host's to take back.
        let stamps = group.map { $0.destination == nil ? nil : $0.file.setBack() }
        let durable = syncedFileSystems(of: group)
        var results = group.map { job in
            PublishResult(
                id: job.id,
                failure: durable.contains(job.file.device)
                    ? failure(of: job.file.checkWritten) : failure(of: job.file.sync))
        }
        var folders: [ObjectIdentifier: (folder: ConfinedFolder, places: [Int])] = [:]
        for (place, job) in group.enumerated() {
            guard let destination = job.destination, results[place].failure == nil else { continue }
            results[place].stamp = stamps[place]
            results[place].replaced = loneFile(at: destination)
            results[place].failure = failure(of: { () throws(TransferFailure) in
                try rename(
                    job.file.path, to: destination,
                    // It would say that the file is as it was, also after a change.
                    mark: stamps[place] == nil ? nil : destination.mark)
            })
            guard results[place].failure == nil else { continue }
            let folder = destination.folder
            folders[ObjectIdentifier(folder), default: (folder, [])].places.append(place)
        }
        for (folder, places) in folders.values {
            guard let failure = failure(of: { () throws(TransferFailure) in try sync(folder) })
            else { continue }
            for place in places {
                // Nobody will say that it is there.
                if let name = group[place].destination?.name { _ = try? folder.remove(name) }
                results[place].failure = failure
            }
        }
        return results
    }

    /// The file systems of many files that were synced as a whole; after a fault the files of one are
    /// synced one by one, so that each has its own.
    private static func syncedFileSystems(of group: [PublishJob]) -> Set<UInt64> {
        guard group.count >= manyFiles else { return [] }
        let systems = Dictionary(grouping: group, by: \.file.device)
        let durable = systems.values.filter { jobs in
            jobs.count >= manyFiles && jobs[0].file.syncFileSystem()
        }
        return Set(durable.map { $0[0].file.device })
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

    /// The file that goes when another takes its name.
    private static func loneFile(at destination: TransferDestination) -> FileStamp? {
        guard let found = try? destination.folder.status(destination.name),
            found.kind == .file, found.links == 1
        else { return nil }
        return found.stamp
    }

    private static func rename(
        _ path: String, to destination: TransferDestination, mark: String?
    ) throws(TransferFailure) {
        do throws(SystemError) {
            try destination.folder.take(path, as: destination.name, mark: mark)
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
