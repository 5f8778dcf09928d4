internal import DownloadScheduler
internal import Glibc
internal import LinuxSystem
internal import TransferEngine

/// Space for downloads, which files that the system may take back make way for.
extension DownloadQueue {
    /// How often a transfer is tried again by this host that found the disk full although there is
    /// space by now.
    private static let mostTriesForSpace = 3

    /// What is made free for a transfer whose size nobody knows, at the least.
    private static let openStepBytes: UInt64 = 1 << 20

    /// Space for what is still to come, on top of what is reserved for everything in flight.
    func reserve(_ record: DownloadRecord, in place: DownloadPlace) -> SpaceRefusal? {
        guard let refusal = refusal(of: record, in: place) else { return nil }
        guard makeSpace(bytes: refusal.missingBytes, for: record) else { return refusal }
        return self.refusal(of: record, in: place)
    }

    private func refusal(of record: DownloadRecord, in place: DownloadPlace) -> SpaceRefusal? {
        let first = tryToReserve(record, in: place, isExact: false)
        // What a group has used may have been guessed too high.
        guard first?.quotaBytes != nil else { return first }
        return tryToReserve(record, in: place, isExact: true)
    }

    private func tryToReserve(
        _ record: DownloadRecord, in place: DownloadPlace, isExact: Bool
    ) -> SpaceRefusal? {
        let size = record.sizeBytes ?? record.totalBytes ?? 0
        let missing = size - min(size, record.receivedBytes)
        guard
            let space = owner?.space(
                at: place, writtenBytes: reservations.writtenBytes, isExact: isExact)
        else { return nil }
        return reservations.reserve(
            record.rowID, needBytes: missing, in: space, path: place.folder.path)
    }

    /// Whether a transfer that has found no space may go on at once.
    func hasSpace(for record: DownloadRecord, after failure: TransferFailure) -> Bool {
        let row = record.rowID
        guard !isStopping, failure.isWantOfSpace, let running = active[row], !running.isPublishing
        else { return false }
        guard record.sizeBytes ?? record.totalBytes != nil else {
            // What it has may have to be fetched again: with less it might never end.
            let step = max(DownloadQueue.openStepBytes, record.receivedBytes)
            return makeSpace(bytes: step, for: record)
        }
        guard let refusal = refusal(of: record, in: running.place) else {
            // Space was made for another one a moment ago.
            guard hasMadeSpace else { return false }
            triesForSpace[row, default: 0] += 1
            return triesForSpace[row, default: 0] <= DownloadQueue.mostTriesForSpace
        }
        return makeSpace(bytes: refusal.missingBytes, for: record)
    }

    private func makeSpace(bytes: UInt64, for record: DownloadRecord) -> Bool {
        let isMade = owner?.makeSpace(bytes: bytes, for: record) ?? false
        hasMadeSpace = hasMadeSpace || isMade
        return isMade
    }

    /// A download of a size that nobody knows stops where the group's quota ends.
    func checkOpenSize(_ row: Int64, receivedBytes: UInt64) {
        reservations.setReceived(row, bytes: receivedBytes)
        guard let running = active[row], !running.wasToldToStop,
            isPastQuota(running.place, isExact: false), isPastQuota(running.place, isExact: true)
        else { return }
        let step = max(DownloadQueue.openStepBytes, receivedBytes)
        if makeSpace(bytes: step, for: running.record) { return }
        active[row]?.heldReason = "the group's quota is used up"
        stopTransfer(row)
    }

    private func isPastQuota(_ place: DownloadPlace, isExact: Bool) -> Bool {
        let space = owner?.space(
            at: place, writtenBytes: reservations.writtenBytes, isExact: isExact)
        guard let quota = space?.quota else { return false }
        return quota.leftBytes <= reservations.reservedBytes
    }
}

extension TransferFailure {
    /// Whether the file system, or a quota of it, has no more space.
    fileprivate var isWantOfSpace: Bool {
        domain == .errno && (code == ENOSPC || code == EDQUOT)
    }
}
