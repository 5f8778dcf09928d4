internal import DownloadScheduler
internal import DownloadStore
internal import ExtensionHost
internal import Glibc
internal import HTTPClient
internal import LinuxSystem
internal import TransferEngine
internal import URLPolicy
internal import WireProtocol

/// What the transfer thread says, and what becomes of it.
extension RunEngine {
    /// Takes in what the transfer thread has said, a bounded part at a time: deadlines and signals
    /// must not wait for a thousand rows to be stored.
    func handleTransfers() {
        transferEvents += mailbox.take()
        let part = transferEvents.prefix(64)
        transferEvents = transferEvents.dropFirst(part.count)
        for event in part {
            if event.id == RunEngine.manifestOrder {
                handleManifest(event)
            } else {
                handle(event)
            }
        }
        let now = BootClock.now()
        act(scheduler.handle(.reached(.nanoseconds(now.nanoseconds))))
    }

    private func handle(_ event: TransferEvent) {
        guard let record = records[event.id] else { return forgotten(event) }
        switch event {
        case .began(let row, _): act(scheduler.handle(.began(row)))
        case .resumed(_, let from):
            observe(.note("\(record.identifier): continues after \(ByteCount(bytes: from))"))
        case .progress(let row, let received, let total):
            records[row]?.receivedBytes = received
            observe(
                .progress(
                    identifier: record.identifier, receivedBytes: received, totalBytes: total))
        case .checkpoint(let row, let state): keep(row, state)
        case .finished(let row, let bytes, let sha256): finished(row, record, bytes, sha256)
        case .failed(let row, let failure): failed(row, failure)
        case .stopped(let row): stopped(row)
        }
    }

    /// A row that was replaced while its transfer was stopping: its slot is free now.
    private func forgotten(_ event: TransferEvent) {
        var hasPublished = false
        switch event {
        case .began, .resumed, .progress, .checkpoint: return
        case .finished: hasPublished = true
        case .failed, .stopped: break
        }
        if let partial = endingPartials.removeValue(forKey: event.id) {
            _ = unsafe unlink(partial)
        }
        act(scheduler.handle(.stopped(event.id)))
        release(heldBy: event.id, hasPublished: hasPublished)
    }

    /// The transfer that held rows back has ended; a file it has still published is nobody's.
    private func release(heldBy row: Int64, hasPublished: Bool) {
        for held in blockers.filter({ $0.value == row }).keys.sorted() {
            blockers[held] = nil
            guard let record = records[held], record.state.isUnfinished else { continue }
            if hasPublished {
                container.remove(published: FileName.forIdentifier(record.identifier))
            }
            if hasRunEntry, !isStopping { announceAndQueue(record) }
        }
    }

    private func keep(_ row: Int64, _ state: ResumeState) {
        let validator = state.validator.flatMap {
            TransferValidator(
                kind: $0.text.hasPrefix("\"") ? .strongETag : .lastModified, text: $0.text,
                total: state.totalBytes)
        }
        records[row]?.receivedBytes = state.receivedBytes
        records[row]?.validator = validator
        records[row]?.totalBytes = state.totalBytes
        do throws(DownloadStoreError) {
            try store.checkpoint(
                rowID: row, receivedBytes: state.receivedBytes, validator: validator,
                totalBytes: state.totalBytes)
        } catch let error where error.code == .noSuchRow {
            // Cancelled in the meantime.
        } catch {
            fail("\(error)")
        }
    }

    private func finished(
        _ row: Int64, _ record: DownloadRecord, _ bytes: UInt64, _ sha256: [UInt8]
    ) {
        defer { act(scheduler.handle(.finished(row))) }
        let path = GroupContainer.publishedPath(record.identifier)
        container.give(published: FileName.forIdentifier(record.identifier))
        worker?.written.notePublished(bytes: bytes)
        do throws(DownloadStoreError) {
            try store.markFinished(
                rowID: row, path: path, receivedBytes: bytes, sha256: sha256)
        } catch let error where error.code == .noSuchRow {
            // Cancelled a moment before it was whole.
            return container.remove(published: FileName.forIdentifier(record.identifier))
        } catch {
            return fail("\(error)")
        }
        records[row]?.state = .finished
        records[row]?.receivedBytes = bytes
        records[row]?.finishedPath = path
        records[row]?.resultSha256 = sha256
        observe(.finished(identifier: record.identifier, bytes: bytes))
        ended(row)
    }

    private func failed(_ row: Int64, _ failure: TransferFailure) {
        guard let record = records[row] else { return }
        broker.settleOpenSize(record.identifier, receivedBytes: record.receivedBytes)
        if record.state == .cancelled || isStopping && failure.isRetryable { return stopped(row) }
        if failure.isFullDisk { return pauseForSpace(row, failure) }
        let wait =
            failure.isRetryable
            ? retries.delay(
                for: record.downloadClass, attempt: retryCounts[row, default: 0],
                random: .random(in: 0...1), retryAfter: failure.retryAfter)
            : nil
        guard let wait else {
            end(row, failure: RunEngine.stored(failure))
            return act(scheduler.handle(.failed(row, retryAt: nil)))
        }
        do throws(DownloadStoreError) {
            try store.update(rowID: row, state: .waiting)
        } catch {
            fail("\(error)")
            return act(scheduler.handle(.stopped(row)))
        }
        records[row]?.state = .waiting
        retryCounts[row, default: 0] += 1
        observe(
            .failed(identifier: record.identifier, message: failure.message, retryIn: wait))
        let due = BootClock.now() + wait
        act(scheduler.handle(.failed(row, retryAt: .nanoseconds(due.nanoseconds))))
    }

    /// No space: the download waits with what it has, and nothing is tried again in this run.
    private func pauseForSpace(_ row: Int64, _ failure: TransferFailure) {
        if !hasToldOfFullDisk { observe(.note(failure.message)) }
        hasToldOfFullDisk = true
        queued[row] = nil
        records[row]?.state = .waiting
        try? store.update(rowID: row, state: .waiting)
        act(scheduler.handle(.failed(row, retryAt: nil)))
    }

    private static func stored(_ failure: TransferFailure) -> DownloadFailure {
        let domain: DownloadFailure.Domain =
            switch failure.domain {
            case .apple: .apple
            case .bahost: .bahost
            case .http: .http
            case .transport: .transport
            case .errno: .errno
            }
        return DownloadFailure(
            domain: domain, code: failure.code, httpStatus: failure.httpStatus,
            message: failure.message)
    }

    func end(_ row: Int64, failure: DownloadFailure) {
        do throws(DownloadStoreError) {
            try store.markFailed(rowID: row, failure: failure)
        } catch let error where error.code == .noSuchRow {
            // Cancelled in the meantime.
            return
        } catch {
            return fail("\(error)")
        }
        removePartial(row)
        records[row]?.state = .failed
        records[row]?.error = failure
        if let record = records[row] {
            observe(
                .failed(
                    identifier: record.identifier, message: failure.message, retryIn: nil))
        }
        ended(row)
    }

    private func ended(_ row: Int64) {
        guard let record = records[row] else { return }
        broker.downloadEnded(record.identifier, receivedBytes: record.receivedBytes)
        undelivered.append(row)
    }

    private func removePartial(_ row: Int64) {
        if let record = records[row] { _ = unsafe unlink(container.partialPath(of: record)) }
    }

    private func stopped(_ row: Int64) {
        if records[row]?.state == .cancelled {
            removePartial(row)
        }
        if let record = records[row] {
            broker.settleOpenSize(record.identifier, receivedBytes: record.receivedBytes)
        }
        if records[row]?.state == .downloading {
            records[row]?.state = .waiting
            try? store.update(rowID: row, state: .waiting)
        }
        act(scheduler.handle(.stopped(row)))
    }

    /// Ends a download at the plugin's wish; what is wrong with the wish, or nil.
    func cancelDownload(_ identifier: String) -> RefusalCode? {
        guard
            let row = order.first(where: { records[$0]?.identifier == identifier }),
            let record = records[row]
        else { return .downloadNotScheduled }
        guard record.state.isUnfinished, (try? store.cancel(rowID: row)) != nil else {
            return record.state == .failed ? .downloadAlreadyFailed : .downloadNotScheduled
        }
        records[row]?.state = .cancelled
        if record.state != .downloading { removePartial(row) }
        broker.downloadEnded(identifier, receivedBytes: record.receivedBytes)
        observe(.cancelled(identifier: identifier))
        act(scheduler.handle(.cancelled(row)))
        return nil
    }
}

extension TransferFailure {
    /// The disk, or the user's share of it, is full.
    var isFullDisk: Bool { domain == .errno && (code == ENOSPC || code == EDQUOT) }
}

extension TransferEvent {
    var id: Int64 {
        switch self {
        case .began(let id, _), .resumed(let id, _), .progress(let id, _, _),
            .checkpoint(let id, _), .finished(let id, _, _), .failed(let id, _), .stopped(let id):
            id
        }
    }
}
