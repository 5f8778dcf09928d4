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
        guard let refusal = refusal(afterALookFor: record, in: place) else { return nil }
        guard makeSpace(bytes: refusal.missingBytes, for: record) else { return refusal }
        return self.refusal(of: record, in: place)
    }

    /// Why not, once what has arrived of everything in flight is taken in.
    ///
    /// Transfers have gone on writing: what they have by now is not wanting.
    private func refusal(
        afterALookFor record: DownloadRecord, in place: DownloadPlace
    ) -> SpaceRefusal? {
        let first = refusal(of: record, in: place)
        guard let first, first.missingBytes <= reservations.reservedBytes else { return first }
        lookAtPartials()
        return refusal(of: record, in: place)
    }

    private func refusal(of record: DownloadRecord, in place: DownloadPlace) -> SpaceRefusal? {
        let first = tryToReserve(record, in: place, isExact: false)
        // What a group has used may have been guessed too high.
        guard first?.quota != nil else { return first }
        flush()
        return tryToReserve(record, in: place, isExact: true)
    }

    private func tryToReserve(
        _ record: DownloadRecord, in place: DownloadPlace, isExact: Bool
    ) -> SpaceRefusal? {
        let missing = bytesToCome(of: record)
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
            return makeOpenStep(for: record, in: running.place)
        }
        if let refusal = refusal(afterALookFor: record, in: running.place) {
            return makeSpace(bytes: refusal.missingBytes, for: record)
        }
        triesForSpace[row, default: 0] += 1
        let count = triesForSpace[row, default: 0]
        guard count <= DownloadQueue.mostTriesForSpace else { return false }
        // Space was made a moment ago, perhaps after the disk was found full.
        if count == 1, hasMadeSpace { return true }
        // A quota of the file system's own does not show in what is free.
        return makeSpace(bytes: max(1, bytesToCome(of: record)), for: record)
    }

    private func bytesToCome(of record: DownloadRecord) -> UInt64 {
        let size = record.sizeBytes ?? record.totalBytes ?? 0
        let there = active[record.rowID].flatMap { DownloadQueue.arrivedBytes(of: $0) }
        return size - min(size, there ?? record.receivedBytes)
    }

    /// What a running transfer has in its file, which may have its name already; nil when it has none.
    private static func arrivedBytes(of running: ActiveDownload) -> UInt64? {
        var status = stat()
        if unsafe lstat(running.place.partialPath, &status) == 0 {
            return UInt64(max(status.st_size, 0))
        }
        return running.hasName ? .max : nil
    }

    /// Takes in what has arrived of everything in flight; its progress is told some ten times a
    /// second.
    private func lookAtPartials() {
        for row in active.keys { noteArrived(row) }
    }

    /// The same of one download.
    func noteArrived(_ row: Int64) {
        guard let running = active[row],
            let size = running.record.sizeBytes ?? running.record.totalBytes,
            let there = DownloadQueue.arrivedBytes(of: running)
        else { return }
        reservations.setRemaining(row, bytes: size - min(size, there))
    }

    /// Makes some space for a transfer whose size nobody knows, on top of what is overdrawn.
    ///
    /// What it has may have to be fetched again: with less it might never end.
    private func makeOpenStep(for record: DownloadRecord, in place: DownloadPlace) -> Bool {
        let step = max(DownloadQueue.openStepBytes, record.receivedBytes)
        guard
            var space = owner?.space(
                at: place, writtenBytes: reservations.writtenBytes, isExact: true)
        else { return makeSpace(bytes: step, for: record) }
        // What cannot be measured has no end that could be reached.
        guard space.quota?.usedBytes != .max else { return false }
        // What stays free at other times is for such as this.
        space.floorBytes = 0
        let lack = reservations.lackBytes(needBytes: step, in: space)
        return makeSpace(bytes: max(step, lack), for: record)
    }

    private func makeSpace(bytes: UInt64, for record: DownloadRecord) -> Bool {
        let isMade = owner?.makeSpace(bytes: bytes, for: record) ?? false
        hasMadeSpace = hasMadeSpace || isMade
        return isMade
    }

    /// A download of a size that nobody knows stops where the group's quota ends, and where the disk
    /// has no more than what is kept free.
    func checkOpenSize(_ row: Int64, receivedBytes: UInt64) {
        reservations.setReceived(row, bytes: receivedBytes)
        guard var record = active[row]?.record, let running = active[row], !running.wasToldToStop,
            bound(of: running.place, isExact: false) != nil,
            let bound = bound(of: running.place, isExact: true)
        else { return }
        record.receivedBytes = receivedBytes
        if makeOpenStep(for: record, in: running.place) { return }
        active[row]?.heldReason = bound
        stopTransfer(row)
    }

    /// What keeps a download of unknown size from going on, as a sentence; nil when nothing does.
    private func bound(of place: DownloadPlace, isExact: Bool) -> String? {
        let space = owner?.space(
            at: place, writtenBytes: reservations.writtenBytes, isExact: isExact)
        guard let space else { return nil }
        let reserved = reservations.reservedBytes
        if space.quota != nil, space.leftBytes(reservedBytes: reserved, ofQuota: true) == 0 {
            return space.quota?.usedBytes == .max
                ? "what the group keeps of its quota cannot be measured"
                : "the group's quota is used up"
        }
        // Down to the smallest floor it finds the disk full by itself.
        guard space.floorBytes > SpaceReservations.floorBytes,
            space.leftBytes(reservedBytes: reserved, ofQuota: false) == 0
        else { return nil }
        return "no more than the \(ByteCount(bytes: space.floorBytes)) that are kept free are "
            + "free on \(place.folder.path)"
    }
}

extension TransferFailure {
    /// Whether the file system, or a quota of it, has no more space.
    fileprivate var isWantOfSpace: Bool {
        domain == .errno && (code == ENOSPC || code == EDQUOT)
    }
}
