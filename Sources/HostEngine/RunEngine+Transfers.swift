internal import DownloadScheduler
internal import DownloadStore
internal import ExtensionHost
internal import Glibc
internal import HTTPClient
internal import LinuxSystem
internal import TransferEngine
internal import URLPolicy
internal import WireProtocol

/// Downloads from admission to their end.
extension RunEngine {
    /// Puts what an earlier run left unfinished back in line, and what it did not deliver.
    func takeUpEarlierDownloads() {
        do throws(DownloadStoreError) {
            let app = request.app.identifier
            try store.requeueInFlight(app: app)
            for record in try store.unfinished(app: app) { remember(record) }
            for record in try store.undelivered(app: app) {
                remember(record)
                undelivered.append(record.rowID)
            }
        } catch {
            fail("\(error)")
        }
    }

    /// What the broker must know of earlier runs.
    static func brokerPolicy(
        _ request: RunRequest, _ store: DownloadStore
    ) throws(RunError) -> BrokerPolicy {
        var policy = BrokerPolicy(appGroup: request.app.group, rules: request.rules)
        policy.otherGroups = request.app.otherGroups
        policy.plainAllowance = request.plainAllowance
        policy.essentialAllowance = request.essentialAllowance
        do throws(DownloadStoreError) {
            for record in try store.unfinished(app: request.app.identifier) {
                policy.unfinished[record.identifier] = UnfinishedDownload(
                    url: record.url, sizeBytes: record.sizeBytes ?? 0, sha256: record.sha256,
                    group: record.group)
            }
        } catch {
            throw RunError(.outputFailed, "\(error)")
        }
        return policy
    }

    private func remember(_ record: DownloadRecord) {
        if records[record.rowID] == nil { order.append(record.rowID) }
        records[record.rowID] = record
    }

    private func forget(_ rowID: Int64) {
        records[rowID] = nil
        blockers[rowID] = nil
        order.removeAll { $0 == rowID }
        undelivered.removeAll { $0 == rowID }
    }

    /// Stores what the broker has admitted and puts it in line; durable when it returns.
    func admit(_ requests: [AdmittedRequest]) {
        do throws(DownloadStoreError) {
            var fresh: [(record: DownloadRecord, blocker: Int64?)] = []
            for request in requests {
                let old = try store.record(
                    app: self.request.app.identifier, identifier: request.identifier)
                if let old, request.relation == .adopted, old.state.isUnfinished {
                    continue
                }
                let blocker = try old.flatMap { (old) throws(DownloadStoreError) in
                    try dropEarlier(old, stillWanted: request.relation == .replaced)
                }
                fresh.append((record(of: request), blocker))
            }
            let admitted = try store.admit(fresh.map(\.record))
            for (record, blocker) in zip(admitted, fresh.map(\.blocker)) {
                remember(record)
                blockers[record.rowID] = blocker
                if hasRunEntry { announceAndQueue(record) }
            }
        } catch {
            guard store.hasDatabase else { return failState("\(error)") }
            fail("cannot store the downloads: \(error)")
        }
    }

    /// Drops the row that a new one takes the place of; the row whose transfer must end first.
    private func dropEarlier(
        _ old: DownloadRecord, stillWanted: Bool
    ) throws(DownloadStoreError) -> Int64? {
        if old.state.isUnfinished, stillWanted {
            try store.cancel(rowID: old.rowID)
            act(scheduler.handle(.cancelled(old.rowID)))
        }
        let isEnding = scheduler.phase(of: old.rowID) != nil
        let blocker = isEnding ? old.rowID : blockers[old.rowID]
        if isEnding { endingPartials[old.rowID] = container.partialPath(of: old) }
        _ = unsafe unlink(container.partialPath(of: old))
        forget(old.rowID)
        return blocker
    }

    private func record(of request: AdmittedRequest) -> DownloadRecord {
        let wish = request.wish
        var record = DownloadRecord(
            app: self.request.app.identifier, identifier: wish.identifier,
            uniqueIdentifier: UniqueIdentifier.random(), kind: .url, url: request.url.text,
            group: request.group)
        record.mirrors = request.mirrors.map(\.text)
        record.headers = wish.headers.map { .init(name: $0.name, value: $0.value) }
        record.sizeBytes = wish.sizeBytes == 0 ? nil : wish.sizeBytes
        record.sha256 = wish.sha256
        record.isEssential = wish.isEssential
        record.allowsMetered = wish.allowsMetered
        record.priority = wish.priority
        record.state = .waiting
        return record
    }

    /// After the content request: everything waiting may start.
    func queueWaiting() {
        for row in order {
            if let record = records[row], record.state.isUnfinished { announceAndQueue(record) }
        }
    }

    func announceAndQueue(_ record: DownloadRecord) {
        guard blockers[record.rowID] == nil else { return }
        if let reason = reasonToWait(record) {
            return observe(.note("\(record.identifier) waits: \(reason)"))
        }
        observe(
            .added(
                identifier: record.identifier, sizeBytes: record.sizeBytes,
                receivedBytes: record.receivedBytes))
        guard let url = try? URLParser.parse(record.url) else {
            return end(record.rowID, failure: RunEngine.badAddress(record.url))
        }
        var record = record
        record.host = "\(url.host):\(url.port)"
        queued[record.rowID] = record.summary
        act(scheduler.handle(.admitted(record.summary)))
    }

    /// Why a download of an earlier run cannot go on under the rules of this one; it keeps what it
    /// has, for a run that allows it.
    private func reasonToWait(_ record: DownloadRecord) -> String? {
        if let url = try? URLParser.parse(record.url),
            let refusal = request.rules.refusal(of: url)
        {
            return refusal.message
        }
        guard
            broker.chargeEarlier(
                record.identifier, isEssential: record.isEssential,
                sizeBytes: record.sizeBytes ?? record.totalBytes ?? record.receivedBytes)
        else { return "the allowance does not hold its size" }
        return nil
    }

    private static func badAddress(_ url: String) -> DownloadFailure {
        DownloadFailure(
            domain: .bahost, code: RefusalCode.urlRefused.rawValue,
            message: "the stored address cannot be used: \(url)")
    }

    func stopTransfers() {
        if manifest == .fetching { cancelTransfer(RunEngine.manifestOrder) }
        act(scheduler.handle(.stopRequested))
    }

    /// Carries out what the scheduler says, one after the other: what one brings about joins the
    /// queue, so that ten thousand downloads that fail at once do not pile up on the stack.
    func act(_ actions: [DownloadScheduler.Action]) {
        actionQueue += actions
        guard !isActing else { return }
        isActing = true
        var next = 0
        while next < actionQueue.count {
            switch actionQueue[next] {
            case .start(let row): start(row)
            case .stop(let row): cancelTransfer(row)
            case .reclassify: break
            case .refill(let key, let end, let limit):
                let rows = queued(in: key, limit: limit) { summary in
                    end.map { summary.position > $0 } ?? true
                }
                actionQueue += scheduler.handle(
                    .refilled(key, rows, isComplete: rows.count < limit))
            case .refillOtherHosts(let key, let excluded, let isMetered, let limit):
                let rows = queued(in: key, limit: limit) {
                    !excluded.contains($0.host) && ($0.allowsMetered || !isMetered)
                }
                actionQueue += scheduler.handle(.refilledOtherHosts(key, rows))
            }
            next += 1
        }
        actionQueue = []
        isActing = false
    }

    /// The first downloads of an app and class that are in line, for the scheduler.
    private func queued(
        in key: WindowKey, limit: Int, where isWanted: (DownloadSummary) -> Bool
    ) -> [DownloadSummary] {
        let rows = queued.values.filter {
            WindowKey($0) == key && records[$0.id]?.state.isUnfinished == true && isWanted($0)
        }
        return Array(rows.sorted().prefix(limit))
    }

    private func start(_ row: Int64) {
        guard let record = records[row], let bound = bound(of: record) else { return }
        guard let transfer = transferOrder(for: record, bound: bound) else {
            end(row, failure: RunEngine.badAddress(record.url))
            return act(scheduler.handle(.failed(row, retryAt: nil)))
        }
        do throws(DownloadStoreError) {
            try store.update(rowID: row, state: .downloading, attempts: record.attempts + 1)
        } catch {
            fail("\(error)")
            return act(scheduler.handle(.stopped(row)))
        }
        records[row]?.state = .downloading
        records[row]?.attempts += 1
        do throws(RunError) {
            try start(transfer)
        } catch {
            fail(error.message)
            act(scheduler.handle(.stopped(row)))
        }
    }

    /// The most a transfer may fetch; nil when it does not start now, which the scheduler knows.
    private func bound(of record: DownloadRecord) -> UInt64? {
        if let size = record.sizeBytes { return size }
        switch broker.holdOpenSize(record.identifier) {
        case .unlimited: return .max
        case .bytes(let bytes): return bytes
        case .heldByOthers:
            let due = BootClock.now() + .milliseconds(200)
            act(
                scheduler.handle(
                    .failed(record.rowID, retryAt: .nanoseconds(due.nanoseconds))))
            return nil
        case .nothingLeft:
            end(
                record.rowID,
                failure: DownloadFailure(
                    domain: .apple,
                    code: RefusalCode.sessionDownloadDisallowedByAllowance.rawValue,
                    message: "nothing is left of the download allowance"))
            act(scheduler.handle(.failed(record.rowID, retryAt: nil)))
            return nil
        }
    }

    private func transferOrder(for record: DownloadRecord, bound: UInt64) -> TransferOrder? {
        guard let url = try? URLParser.parse(record.url) else { return nil }
        var transfer = TransferOrder(
            id: record.rowID, url: url, maximumBytes: bound,
            partialPath: container.partialPath(of: record), rules: request.rules)
        transfer.mirrors = record.mirrors.compactMap { try? URLParser.parse($0) }
        transfer.headers = record.headers.compactMap {
            HTTPHeader(name: $0.name, value: $0.value)
        }
        transfer.expectedBytes = record.sizeBytes
        transfer.sha256 = record.sha256
        transfer.destinationPath =
            "\(container.path)/\(GroupContainer.publishedPath(record.identifier))"
        if record.receivedBytes > 0 {
            transfer.resume = ResumeState(
                receivedBytes: record.receivedBytes,
                validator: record.validator.flatMap { Validator(stored: $0.text) },
                totalBytes: record.totalBytes)
        }
        return transfer
    }
}
