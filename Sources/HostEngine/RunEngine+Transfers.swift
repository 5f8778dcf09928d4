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
    func brokerPolicy() throws(RunError) -> BrokerPolicy {
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
        bounds[rowID] = nil
        order.removeAll { $0 == rowID }
        undelivered.removeAll { $0 == rowID }
    }

    /// Stores what the broker has admitted and puts it in line; durable when it returns.
    func admit(_ requests: [AdmittedRequest]) {
        do throws(DownloadStoreError) {
            var fresh: [DownloadRecord] = []
            var limits: [UInt64?] = []
            for request in requests {
                let old = try store.record(
                    app: self.request.app.identifier, identifier: request.identifier)
                if let old, request.relation == .adopted, old.state.isUnfinished {
                    if let bound = request.boundBytes { bounds[old.rowID] = bound }
                    continue
                }
                if let old { try dropEarlier(old, stillWanted: request.relation == .replaced) }
                fresh.append(record(of: request))
                limits.append(request.boundBytes)
            }
            for (record, bound) in zip(try store.admit(fresh), limits) {
                bounds[record.rowID] = bound
                remember(record)
                if hasRunEntry { announceAndQueue(record) }
            }
        } catch {
            fail("cannot store the downloads: \(error)")
        }
    }

    private func dropEarlier(
        _ old: DownloadRecord, stillWanted: Bool
    ) throws(DownloadStoreError) {
        if old.state.isUnfinished, stillWanted { try store.cancel(rowID: old.rowID) }
        _ = unsafe unlink(container.partialPath(rowID: old.rowID))
        forget(old.rowID)
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

    private func announceAndQueue(_ record: DownloadRecord) {
        observe(
            .added(
                identifier: record.identifier, sizeBytes: record.sizeBytes,
                receivedBytes: record.receivedBytes))
        guard let url = try? URLParser.parse(record.url) else {
            return end(record.rowID, failure: RunEngine.badAddress(record.url))
        }
        let host = "\(url.host):\(url.port)"
        act(scheduler.handle(.admitted(record.summary(host: host))))
    }

    private static func badAddress(_ url: String) -> DownloadFailure {
        DownloadFailure(
            domain: .bahost, code: RefusalCode.urlRefused.rawValue,
            message: "the stored address cannot be used: \(url)")
    }

    func stopTransfers() {
        if manifest == .fetching { transfers.cancel(RunEngine.manifestOrder) }
        act(scheduler.handle(.stopRequested))
    }

    func act(_ actions: [DownloadScheduler.Action]) {
        for action in actions {
            switch action {
            case .start(let row): start(row)
            case .stop(let row): transfers.cancel(row)
            }
        }
    }

    private func start(_ row: Int64) {
        guard let record = records[row], let transfer = transferOrder(for: record) else {
            let url = records[row]?.url ?? ""
            return end(row, failure: RunEngine.badAddress(url))
        }
        do throws(DownloadStoreError) {
            try store.update(rowID: row, state: .downloading, attempts: record.attempts + 1)
        } catch {
            return fail("\(error)")
        }
        records[row]?.state = .downloading
        records[row]?.attempts += 1
        transfers.start(transfer)
    }

    private func transferOrder(for record: DownloadRecord) -> TransferOrder? {
        guard let url = try? URLParser.parse(record.url) else { return nil }
        var transfer = TransferOrder(
            id: record.rowID, url: url,
            maximumBytes: record.sizeBytes ?? bounds[record.rowID] ?? .max,
            partialPath: container.partialPath(rowID: record.rowID), rules: request.rules)
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

extension RunEngine {
    /// Everything the transfer thread has said since the last time.
    func handleTransfers() {
        for event in mailbox.take() {
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
        guard let record = records[event.id] else { return }
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
        let path = GroupContainer.publishedPath(record.identifier)
        container.give("\(container.path)/\(path)")
        do throws(DownloadStoreError) {
            try store.markFinished(
                rowID: row, path: path, receivedBytes: bytes, sha256: sha256)
        } catch {
            return fail("\(error)")
        }
        records[row]?.state = .finished
        records[row]?.receivedBytes = bytes
        records[row]?.finishedPath = path
        records[row]?.resultSha256 = sha256
        observe(.finished(identifier: record.identifier, bytes: bytes))
        ended(row)
        act(scheduler.handle(.finished(row)))
    }

    private func failed(_ row: Int64, _ failure: TransferFailure) {
        guard let record = records[row] else { return }
        let wait =
            failure.isRetryable && !isStopping
            ? retries.delay(
                attempt: retryCounts[row, default: 0], random: .random(in: 0...1),
                retryAfter: failure.retryAfter)
            : nil
        guard let wait else {
            end(row, failure: RunEngine.stored(failure))
            return act(scheduler.handle(.failed(row, retryAt: nil)))
        }
        do throws(DownloadStoreError) {
            try store.update(rowID: row, state: .waiting)
        } catch {
            return fail("\(error)")
        }
        records[row]?.state = .waiting
        retryCounts[row, default: 0] += 1
        observe(
            .failed(identifier: record.identifier, message: failure.message, retryIn: wait))
        let due = BootClock.now() + wait
        act(scheduler.handle(.failed(row, retryAt: .nanoseconds(due.nanoseconds))))
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

    private func end(_ row: Int64, failure: DownloadFailure) {
        do throws(DownloadStoreError) {
            try store.markFailed(rowID: row, failure: failure)
        } catch {
            return fail("\(error)")
        }
        _ = unsafe unlink(container.partialPath(rowID: row))
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

    private func stopped(_ row: Int64) {
        if records[row]?.state == .cancelled {
            _ = unsafe unlink(container.partialPath(rowID: row))
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
        if record.state != .downloading { _ = unsafe unlink(container.partialPath(rowID: row)) }
        broker.downloadEnded(identifier, receivedBytes: record.receivedBytes)
        observe(.cancelled(identifier: identifier))
        act(scheduler.handle(.cancelled(row)))
        return nil
    }
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

/// Random UUIDs, version 4.
///
/// RFC 9562 §5.4.
enum UniqueIdentifier {
    static func random() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ""
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text += "-" }
            let digits = String(byte, radix: 16)
            text += digits.count == 1 ? "0\(digits)" : digits
        }
        return text
    }
}
