internal import Containers
package import DownloadStore
internal import Glibc
internal import LinuxSystem

/// Files whose bytes are not those that were downloaded, although nobody has said that they changed
/// them: a disk's fault, or a change with the time set back.
extension StorageKeeper {
    /// Takes back what is damaged, so that it is fetched again when it is asked for.
    ///
    /// Reads every published file whose digest is on the list.
    ///
    /// - Returns: What went, and sentences on what could not be judged or stays.
    /// - Throws: ``DownloadStoreError``; what was taken by then is gone.
    package func freeDamaged() throws(DownloadStoreError) -> (
        taken: StorageTaken, notes: [String]
    ) {
        var taken = StorageTaken()
        var (notes, unknown): ([String], Int) = ([], 0)
        let rows = try rows()
        guard let sights = find(rows, &taken) else { return (taken, notes) }
        let undelivered = try undeliveredIdentifiers()
        let free = StoragePlan.candidates(rows, sights, now: BootClock.wallSeconds()) {
            !undelivered.contains($0)
        }
        let mayGo = Dictionary(free.map { ($0.rowID, $0) }) { first, _ in first }
        var chosen: [PurgeCandidate] = []
        for row in rows where !row.isPurging {
            guard let sight = sights.found[row.rowID] else { continue }
            guard let sha256 = row.sha256 else {
                unknown += 1
                continue
            }
            guard isDamaged(sight.path, sha256, &taken) else { continue }
            if let candidate = mayGo[row.rowID] {
                chosen.append(candidate)
            } else {
                notes.append(
                    "\(row.identifier): its file is damaged, and may not be taken back now")
            }
        }
        let freeBefore = try? place.freeBytes()
        try take(chosen, &taken)
        if let freeBefore { settle(taken, freeBefore: freeBefore) }
        if unknown > 0 {
            notes.append(
                "\(StorageTaken.files(unknown)) cannot be judged: what was downloaded is not known")
        }
        return (taken, notes)
    }

    private func isDamaged(
        _ path: String, _ sha256: [UInt8], _ taken: inout StorageTaken
    ) -> Bool {
        do throws(SystemError) {
            return try place.isDamaged(path, sha256: sha256)
        } catch {
            taken.note(fault: "\(error)")
            return false
        }
    }
}

extension StoragePlace {
    /// Whether a file has other bytes than were downloaded.
    ///
    /// - Parameters:
    ///   - path: Relative to the container.
    ///   - sha256: Of what was downloaded.
    /// - Returns: False also when libcrypto refuses to work.
    /// - Throws: ``SystemError`` when it cannot be read.
    func isDamaged(_ path: String, sha256: [UInt8]) throws(SystemError) -> Bool {
        guard let (folder, inner) = folders.place(of: path) else { return false }
        let file = try folder.open(inner)
        do throws(SystemError) {
            return try FileDigest.of(file.raw, subject: path).map { $0.sha256 != sha256 } ?? false
        } catch {
            // The disk cannot give the bytes any more.
            guard error.code == EIO else { throw error }
            return true
        }
    }
}
