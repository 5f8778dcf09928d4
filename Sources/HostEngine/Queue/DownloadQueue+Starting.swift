internal import DownloadScheduler
internal import DownloadStore
internal import ExtensionHost
internal import HTTPClient
internal import LinuxSystem
internal import TransferEngine
internal import URLPolicy

/// What the scheduler says, done.
extension DownloadQueue {
    func carryOut(_ action: DownloadScheduler.Action) {
        switch action {
        case .start(let row): start(row)
        case .stop(let row): stopTransfer(row)
        case .reclassify(let row, let downloadClass):
            setTransferClass(row, isBackground: downloadClass == .background)
        case .refill, .refillOtherHosts: break
        }
    }

    func stopTransfer(_ row: Int64) {
        active[row]?.wasToldToStop = true
        cancelTransfer(row)
    }

    /// What the store says to a question of the scheduler's; nil for an action that is none.
    func answer(to action: DownloadScheduler.Action) -> DownloadScheduler.Event? {
        switch action {
        case .refill(let key, let position, let limit): refill(key, position, limit)
        case .refillOtherHosts(let key, let hosts, let mustAllowMetered, let limit):
            refill(key, hosts, mustAllowMetered: mustAllowMetered, limit)
        case .start, .stop, .reclassify: nil
        }
    }

    private func refill(
        _ key: WindowKey, _ position: DownloadPosition?, _ limit: Int
    ) -> DownloadScheduler.Event {
        // What is not stored yet would be handed out as waiting.
        flush()
        do throws(DownloadStoreError) {
            var (rows, isComplete) = try window(key, after: position, limit)
            while fit(rows).isEmpty, !isComplete {
                (rows, isComplete) = try window(key, after: rows.last?.position, limit)
            }
            return .refilled(key, fit(rows), isComplete: isComplete)
        } catch {
            breakDown("\(error)")
            return .refilled(key, [], isComplete: true)
        }
    }

    private func window(
        _ key: WindowKey, after position: DownloadPosition?, _ limit: Int
    ) throws(DownloadStoreError) -> (rows: [DownloadSummary], isComplete: Bool) {
        let rows = try store.window(
            app: key.app, downloadClass: key.downloadClass, after: position, limit: limit)
        return (rows, rows.count < limit)
    }

    private func refill(
        _ key: WindowKey, _ hosts: [String], mustAllowMetered: Bool, _ limit: Int
    ) -> DownloadScheduler.Event {
        flush()
        do throws(DownloadStoreError) {
            let rows = try store.windowOfOtherHosts(
                app: key.app, downloadClass: key.downloadClass, excluding: hosts,
                mustAllowMetered: mustAllowMetered, limit: limit)
            return .refilledOtherHosts(key, fit(rows))
        } catch {
            breakDown("\(error)")
            return .refilledOtherHosts(key, [])
        }
    }

    /// Without those that are not to start now.
    private func fit(_ rows: [DownloadSummary]) -> [DownloadSummary] {
        rows.filter { !notNow.contains($0.id) && blockers[$0.id] == nil }
    }

    private func start(_ row: Int64) {
        if pending.holds(row) { flush() }
        do throws(DownloadStoreError) {
            guard let record = try store.record(rowID: row), record.isInLine, active[row] == nil
            else { return forgo(row) }
            start(record)
        } catch let error where error.code == .rowUnreadable {
            owner?.queueTells(.note("\(error)"))
            notNow.insert(row)
            forgo(row)
        } catch {
            breakDown("\(error)")
            decide(.stopped(row))
        }
    }

    /// The scheduler is to forget it.
    private func forgo(_ row: Int64) { decide(.failed(row, retryAt: nil)) }

    private func start(_ record: DownloadRecord) {
        let row = record.rowID
        // Its turn comes again when the other transfer has ended.
        guard blockers[row] == nil, !notNow.contains(row), let owner else { return forgo(row) }
        switch owner.admission(of: record) {
        case .start(let maximum): start(record, maximum: maximum)
        case .later(let delay):
            let due = instant + delay
            decide(.failed(row, retryAt: .nanoseconds(due.nanoseconds)))
        case .hold(let reason): hold(record, reason)
        case .fail(let failure):
            end(record, failure)
            forgo(row)
        }
    }

    /// It keeps what it has, for a later host.
    private func hold(_ record: DownloadRecord, _ reason: String) {
        notNow.insert(record.rowID)
        owner?.queueTells(.held(record, reason: reason))
        forgo(record.rowID)
    }

    private func start(_ record: DownloadRecord, maximum: UInt64) {
        let row = record.rowID
        guard let place = owner?.place(of: record),
            let transfer = order(for: record, place, maximum: maximum)
        else {
            end(record, DownloadQueue.badAddress(record.url))
            return forgo(row)
        }
        if let refusal = reserve(record, in: place) { return hold(record, refusal.sentence) }
        do throws(TransferFailure) {
            try start(transfer)
        } catch {
            reservations.release(row)
            breakDown(error.message)
            return decide(.stopped(row))
        }
        if record.sizeBytes ?? record.totalBytes == nil {
            reservations.beginOpen(row, receivedBytes: record.receivedBytes)
        }
        var record = record
        record.state = .downloading
        record.attempts += 1
        active[row] = ActiveDownload(
            record: record, place: place, startBytes: record.receivedBytes)
        change(.state(row, .downloading, attempts: record.attempts))
    }

    private func order(
        for record: DownloadRecord, _ place: DownloadPlace, maximum: UInt64
    ) -> TransferOrder? {
        guard let url = try? URLParser.parse(record.url) else { return nil }
        var transfer = TransferOrder(
            id: record.rowID, url: url, maximumBytes: maximum, partialPath: place.partialPath,
            rules: place.rules)
        transfer.mirrors = record.mirrors.compactMap { try? URLParser.parse($0) }
        transfer.headers = record.headers.compactMap {
            HTTPHeader(name: $0.name, value: $0.value)
        }
        transfer.expectedBytes = record.sizeBytes
        transfer.sha256 = record.sha256
        transfer.destination = TransferDestination(
            folder: place.folder, name: place.name, mark: record.uniqueIdentifier)
        transfer.isBackground = record.downloadClass == .background
        transfer.retries = retryCounts[record.rowID, default: 0]
        if record.receivedBytes > 0 {
            transfer.resume = ResumeState(
                receivedBytes: record.receivedBytes,
                validator: record.validator.flatMap { Validator(stored: $0.text) },
                totalBytes: record.totalBytes)
        }
        return transfer
    }

    static func badAddress(_ url: String) -> DownloadFailure {
        DownloadFailure(
            domain: .bahost, code: RefusalCode.urlRefused.rawValue,
            message: "the stored address cannot be used: \(url)")
    }
}

extension DownloadRecord {
    /// Whether it waits for its turn, or had it when an earlier host ended.
    var isInLine: Bool {
        switch state {
        case .created, .waiting, .downloading: true
        case .paused, .finished, .failed, .cancelled: false
        }
    }
}
