package import DownloadScheduler
package import DownloadStore
internal import Glibc
internal import LinuxSystem

/// What is stored, and the changes that owners ask for.
extension DownloadQueue {
    /// Puts the downloads of `app` that an earlier host left unfinished in line.
    ///
    /// What was in the middle of a transfer waits again.
    package func open(app: String) throws(DownloadStoreError) {
        try store.requeueInFlight(app: app)
        for downloadClass in DownloadClass.allCases {
            decide(.windowOpened(WindowKey(app: app, downloadClass: downloadClass)))
        }
    }

    /// Stores new downloads, all or none, and puts them in line.
    ///
    /// One that replaces a row whose transfer has not ended starts when it has.
    ///
    /// - Parameters:
    ///   - records: As ``DownloadStore/admit(_:replacing:)`` takes them.
    ///   - replaced: Downloads that go in the same step, one for an identifier at most.
    /// - Returns: the records as they are stored.
    /// - Throws: ``DownloadStoreError``; then nothing has changed.
    package func admit(
        _ records: [DownloadRecord], replacing replaced: [DownloadRecord] = []
    ) throws(DownloadStoreError) -> [DownloadRecord] {
        flush()
        let admitted = try store.admit(records, replacing: replaced.map(\.rowID))
        var holders: [String: Int64] = [:]
        for old in replaced { holders[old.identifier] = drop(old) }
        for record in admitted {
            if let holder = holders[record.identifier] {
                blockers[record.rowID] = holder
            } else {
                decide(.admitted(record.summary))
            }
        }
        return admitted
    }

    /// Forgets a download whose row is gone; the row whose transfer must end first, if there is one.
    private func drop(_ old: DownloadRecord) -> Int64? {
        let row = old.rowID
        let holder = blockers.removeValue(forKey: row)
        forgetHistory(of: row)
        decide(.cancelled(row))
        guard let running = active.removeValue(forKey: row) else {
            removePartial(of: old)
            return holder
        }
        reservations.release(row)
        ending[row] = running.place
        return row
    }

    /// Ends a download that nobody wants any more.
    ///
    /// - Returns: false when it has ended already.
    package func cancel(_ row: Int64) throws(DownloadStoreError) -> Bool {
        flush()
        guard var record = try store.record(rowID: row), try isMade(.cancelled(row)) else {
            return false
        }
        if active[row] == nil { removePartial(of: record) }
        active[row]?.endState = .cancelled
        forgetHistory(of: row)
        record.state = .cancelled
        owner?.queueTells(.cancelled(record))
        decide(.cancelled(row))
        return true
    }

    /// Stops a download until ``resume(_:)``, also over the end of this host.
    ///
    /// - Returns: false when it has ended already.
    package func pause(_ row: Int64) throws(DownloadStoreError) -> Bool {
        guard try isMade(.state(row, .paused)) else { return false }
        active[row]?.endState = .paused
        decide(.paused(row))
        return true
    }

    /// Puts a paused download in line again.
    ///
    /// - Returns: false when it is not paused.
    package func resume(_ row: Int64) throws(DownloadStoreError) -> Bool {
        flush()
        guard let record = try store.record(rowID: row), record.state == .paused,
            try isMade(.state(row, .waiting))
        else { return false }
        notNow.remove(row)
        active[row]?.endState = nil
        // Of one whose transfer is still stopping, the scheduler knows that it goes on afterwards.
        decide(.admitted(record.summary))
        return true
    }

    /// Somebody waits for it: it starts now, or goes on faster with the bytes it has.
    ///
    /// - Returns: false when it has ended already.
    package func promote(_ row: Int64) throws(DownloadStoreError) -> Bool {
        try setForeground(row, true)
    }

    /// Nobody waits for it any more: it goes on in its own class.
    ///
    /// - Returns: false when it has ended already.
    package func demote(_ row: Int64) throws(DownloadStoreError) -> Bool {
        try setForeground(row, false)
    }

    private func setForeground(
        _ row: Int64, _ isForeground: Bool
    ) throws(DownloadStoreError) -> Bool {
        guard try isMade(.foreground(row, isForeground)),
            let record = try store.record(rowID: row)
        else { return false }
        active[row]?.record.isForeground = isForeground
        notNow.remove(row)
        let isInLine = record.state != .paused && !(active[row]?.isPublishing ?? false)
        if isInLine, blockers[row] == nil { decide(.reclassified(record.summary)) }
        return true
    }

    /// Makes a change now, after those that wait; false when the row's state does not allow it.
    private func isMade(_ change: StoreChange) throws(DownloadStoreError) -> Bool {
        flush()
        return try store.commit([change]).isEmpty
    }

    /// Nothing of what became of it counts any more.
    private func forgetHistory(of row: Int64) {
        notNow.remove(row)
        retryCounts[row] = nil
    }

    /// Keeps all downloads of an app from starting, and stops those that run.
    package func hold(app: String) { decide(.appPaused(app)) }

    package func release(app: String) { decide(.appResumed(app)) }

    package func setConditions(_ conditions: SchedulingConditions) {
        decide(.conditionsChanged(conditions))
    }

    /// Notes that the extension was told of a download's end; stored with the next changes.
    ///
    /// `isStored` is called once it is; not for a row that was replaced in the meantime.
    package func markDelivered(_ row: Int64, isStored: @escaping () -> Void) {
        change(.delivered(row)) { wasThere in if wasThere { isStored() } }
    }

    // MARK: - Gathering

    /// Has a change stored with the next ones, and something done once it is.
    func change(_ change: StoreChange, _ effect: PendingChanges.Effect? = nil) {
        pending.append(change, at: instant, effect)
        if pending.count >= DownloadQueue.commitSize { flush() }
    }

    /// Stores what was gathered, in one transaction, and does what waits for it.
    package func flush() {
        guard !pending.isEmpty else { return }
        let (changes, effects) = pending.take()
        guard let missing = commit(changes) else {
            // What was published is found by the next host; nobody is told of it by this one.
            for change in changes where active[change.rowID]?.isPublishing ?? false {
                leave(change.rowID)
            }
            return
        }
        for (place, effect) in effects.enumerated() { effect?(!missing.contains(place)) }
    }

    /// The places of changes whose rows were gone; nil when nothing was stored.
    private func commit(_ changes: [StoreChange]) -> Set<Int>? {
        guard !isBroken else { return nil }
        do throws(DownloadStoreError) {
            return Set(try store.commit(changes))
        } catch {
            breakDown("\(error)")
            return nil
        }
    }

    func removePartial(of record: DownloadRecord) {
        guard let place = owner?.place(of: record) else { return }
        unsafe _ = unlink(place.partialPath)
    }
}
