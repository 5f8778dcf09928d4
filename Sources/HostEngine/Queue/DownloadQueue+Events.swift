internal import DownloadScheduler
internal import DownloadStore
internal import Glibc
internal import LinuxSystem
internal import TransferEngine

/// What the transfers say, and what becomes of it.
extension DownloadQueue {
    func take(_ event: TransferEvent) {
        switch event {
        case .began(let row, let total): if isOurs(row, event) { began(row, total) }
        case .resumed(let row, let from):
            active[row]?.record.receivedBytes = from
            tellAbout(row) { .resumed($0) }
        case .restarted(let row, let reason):
            active[row]?.record.receivedBytes = 0
            tellAbout(row) { .restarted($0, because: reason) }
        case .progress(let row, let progress):
            active[row]?.record.receivedBytes = progress.receivedBytes
            noteMissing(row, progress)
            tellAbout(row) { .progress($0, progress) }
        case .checkpoint(let row, let state): keep(row, state)
        case .verified(let row): verified(row)
        case .finished(let group):
            for file in group where isOurs(file.id, event) { finished(file) }
        case .failed(let row, let failure):
            guard isOurs(row, event) else { return }
            if let record = active[row]?.record { failed(record, failure) } else { gone(row) }
        case .stopped(let row):
            guard isOurs(row, event) else { return }
            if let record = active[row]?.record { stopped(record) } else { gone(row) }
        }
    }

    /// False for an order that is no download, which its owner is told of.
    private func isOurs(_ id: Int64, _ event: TransferEvent) -> Bool {
        guard id < 0 else { return true }
        owner?.sideOrderTells(event)
        return false
    }

    private func noteMissing(_ row: Int64, _ progress: TransferProgress) {
        guard let total = progress.totalBytes else {
            return checkOpenSize(row, receivedBytes: progress.receivedBytes)
        }
        reservations.setRemaining(row, bytes: total - min(total, progress.receivedBytes))
    }

    /// Nothing is told of one that was cancelled or paused meanwhile.
    private func tellAbout(_ row: Int64, _ notice: (DownloadRecord) -> QueueNotice) {
        guard let running = active[row], running.endState == nil else { return }
        if pending.holds(row), !running.isTold { flush() }
        active[row]?.isTold = true
        owner?.queueTells(notice(running.record))
    }

    /// Now its size is known, there may be too little space for it.
    private func began(_ row: Int64, _ total: UInt64?) {
        decide(.began(row))
        guard var record = active[row]?.record, record.sizeBytes == nil, let total,
            let place = active[row]?.place
        else { return }
        record.totalBytes = total
        guard let refusal = reserve(record, in: place) else { return }
        active[row]?.heldReason = refusal.sentence
        stopTransfer(row)
    }

    /// The transfer of a row that was dropped while it was under way has ended.
    private func gone(_ row: Int64, hasPublished: Bool = false) {
        decide(.stopped(row))
        guard let place = ending.removeValue(forKey: row) else { return }
        unsafe _ = unlink(place.partialPath)
        if hasPublished { _ = try? place.folder.remove(place.name) }
        release(heldBy: row)
    }

    private func release(heldBy row: Int64) {
        for held in blockers.filter({ $0.value == row }).keys.sorted() {
            blockers[held] = nil
            guard let record = try? store.record(rowID: held), record.isInLine else { continue }
            decide(.admitted(record.summary))
        }
    }

    private func keep(_ row: Int64, _ state: ResumeState) {
        let validator = state.validator.flatMap {
            TransferValidator($0, total: state.totalBytes)
        }
        guard var record = active[row]?.record else { return }
        let isNew =
            record.receivedBytes != state.receivedBytes || record.validator != validator
            || record.totalBytes != state.totalBytes
        record.receivedBytes = state.receivedBytes
        record.validator = validator
        record.totalBytes = state.totalBytes
        active[row]?.record = record
        guard isNew else { return }
        if state.receivedBytes > active[row]?.startBytes ?? .max { forgiveRetries(row) }
        change(
            .checkpoint(
                row, receivedBytes: state.receivedBytes, validator: validator,
                totalBytes: state.totalBytes))
    }

    /// There are new bytes: what failed before them counts no more, but for the choice of address.
    private func forgiveRetries(_ row: Int64) {
        guard let count = retryCounts[row] else { return }
        retryCounts[row] = count - count % MirrorPlan.attemptsEach
    }

    /// All bytes are there and right: another transfer may have the slot while this one is published.
    private func verified(_ row: Int64) {
        guard active[row] != nil else { return }
        active[row]?.isPublishing = true
        decide(.finished(row))
    }

    /// The file has its name, and that is on the disk; now the row.
    private func finished(_ file: FinishedTransfer) {
        let row = file.id
        guard let running = active[row] else { return gone(row, hasPublished: true) }
        if !running.isPublishing { verified(row) }
        active[row]?.isEnding = true
        var record = running.record
        record.state = .finished
        record.receivedBytes = file.bytes
        record.finishedPath = running.place.publishedPath
        record.resultSha256 = file.sha256
        let stored = FinishedDownload(
            rowID: row, path: running.place.publishedPath, receivedBytes: file.bytes,
            sha256: file.sha256,
            published: file.stamp.map { stamp in
                PublishedPlace(
                    container: running.place.container, stamp: stamp, replaced: file.replaced,
                    publishedAt: wallClock())
            })
        change(.finished(stored)) { [weak self] isStored in
            self?.isPublished(record, running.place, isStored)
        }
    }

    private func isPublished(_ record: DownloadRecord, _ place: DownloadPlace, _ isStored: Bool) {
        leave(record.rowID, isWhole: true)
        retryCounts[record.rowID] = nil
        guard isStored else {
            // Cancelled a moment before it was whole.
            _ = try? place.folder.remove(place.name)
            return
        }
        owner?.queueTells(.finished(record))
    }

    /// The transfer of a row has ended.
    func leave(_ row: Int64, isWhole: Bool = false) {
        if !isWhole { noteArrived(row) }
        reservations.release(row, isWhole: isWhole)
        active[row] = nil
        release(heldBy: row)
    }

    private func failed(_ record: DownloadRecord, _ failure: TransferFailure) {
        let row = record.rowID
        if active[row]?.endState != nil || isStopping && failure.isRetryable {
            return stopped(record)
        }
        if hasSpace(for: record, after: failure) { return goOn(record, after: failure) }
        if failure.isOfThisMachine { return waitForMachine(record, failure.message) }
        // What cannot be published will not be so later; its slot is free already.
        let isPublishing = active[row]?.isPublishing ?? false
        guard !isPublishing, let retry = nextRetry(of: record, after: failure) else {
            end(record, DownloadFailure(failure))
            leave(row)
            retryCounts[row] = nil
            return decide(.failed(row, retryAt: nil))
        }
        var record = record
        record.state = .waiting
        record.retries = retry.count
        retryCounts[row] = retry.count
        let due = instant + retry.wait
        change(.state(row, .waiting, retries: retry.count)) { [weak self] isStored in
            guard isStored else { return }
            self?.owner?.queueTells(
                .retrying(record, DownloadFailure(failure), after: retry.wait))
        }
        leave(row)
        decide(.failed(row, retryAt: .nanoseconds(due.nanoseconds)))
    }

    /// The number of the next retry and how long to wait for it; nil when there is none.
    ///
    /// A foreground download has one attempt at each address, at once. Others have three at each, and
    /// as many retries more as that makes for the mirrors; a new server is not made to wait for what
    /// the one before it did.
    private func nextRetry(
        of record: DownloadRecord, after failure: TransferFailure
    ) -> (count: Int, wait: Duration)? {
        guard failure.isRetryable else { return nil }
        let done = retryCounts[record.rowID, default: 0]
        let each = MirrorPlan.attemptsEach
        let address = done / each
        guard !record.isForeground else {
            return address < record.mirrors.count ? ((address + 1) * each, .zero) : nil
        }
        let isLastHere = done % each == each - 1
        var policy = configuration.retries
        policy.maximumRetries += each * record.mirrors.count
        guard done < policy.maximumRetries else { return nil }
        let isNewServer = isLastHere && address < record.mirrors.count
        let wait = policy.delay(
            for: record.downloadClass, attempt: isNewServer ? 0 : done,
            random: .random(in: 0...1), retryAfter: isNewServer ? nil : failure.retryAfter)
        return wait.map { (done + 1, $0) }
    }

    /// Space was made for it: it goes on with what it has, and no retry is counted.
    private func goOn(_ record: DownloadRecord, after failure: TransferFailure) {
        var record = record
        record.state = .waiting
        let waits = StoreChange.state(record.rowID, .waiting)
        change(waits) { [weak self] isStored in
            guard isStored else { return }
            self?.owner?.queueTells(.retrying(record, DownloadFailure(failure), after: .zero))
        }
        leave(record.rowID)
        decide(.failed(record.rowID, retryAt: .nanoseconds(instant.nanoseconds)))
    }

    /// This machine has failed it, most often for want of space: it waits with what it has, and nothing
    /// is tried again by this host.
    private func waitForMachine(_ record: DownloadRecord, _ reason: String) {
        var record = record
        record.state = .waiting
        let waits = StoreChange.state(record.rowID, .waiting)
        change(waits) { [weak self] isStored in
            guard isStored else { return }
            self?.owner?.queueTells(.held(record, reason: reason))
        }
        notNow.insert(record.rowID)
        leave(record.rowID)
        decide(.failed(record.rowID, retryAt: nil))
    }

    /// It has failed for good.
    func end(_ record: DownloadRecord, _ failure: DownloadFailure) {
        var record = record
        record.state = .failed
        record.error = failure
        let place = owner?.place(of: record)
        change(.failed(record.rowID, failure)) { [weak self] isStored in
            guard isStored else { return }
            if let place { unsafe _ = unlink(place.partialPath) }
            self?.owner?.queueTells(.failed(record))
        }
    }

    private func stopped(_ record: DownloadRecord) {
        let row = record.rowID
        guard let running = active[row], !running.isEnding,
            running.wasToldToStop || isStopping
        else { return }
        if running.endState == nil, let reason = running.heldReason {
            return waitForMachine(record, reason)
        }
        var record = record
        record.state = running.endState ?? .waiting
        switch running.endState {
        case .cancelled: unsafe _ = unlink(running.place.partialPath)
        case nil:
            change(.state(row, .waiting)) { [weak self] isStored in
                if isStored { self?.owner?.queueTells(.paused(record)) }
            }
        default: owner?.queueTells(.paused(record))
        }
        leave(row)
        decide(.stopped(row))
    }
}

extension DownloadFailure {
    init(_ failure: TransferFailure) {
        let domain: Domain =
            switch failure.domain {
            case .apple: .apple
            case .bahost: .bahost
            case .http: .http
            case .transport: .transport
            case .errno: .errno
            }
        self.init(
            domain: domain, code: failure.code, httpStatus: failure.httpStatus,
            message: failure.message)
    }
}

extension TransferFailure {
    /// Whether space, rights, descriptors or memory are wanting.
    ///
    /// Another download would fare no better, and later this one may. A folder in the place of the
    /// file is the plugin's own doing.
    var isOfThisMachine: Bool { domain == .errno && code != EISDIR && code != EEXIST }
}

extension TransferValidator {
    /// As the store keeps it.
    init?(_ validator: Validator, total: UInt64?) {
        self.init(
            kind: validator.text.hasPrefix("\"") ? .strongETag : .lastModified,
            text: validator.text, total: total)
    }
}
