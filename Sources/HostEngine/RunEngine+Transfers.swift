package import DownloadScheduler
internal import DownloadStore
internal import ExtensionHost
internal import HTTPClient
internal import LinuxSystem
package import TransferEngine
internal import URLPolicy
internal import WireProtocol

/// Downloads from admission to their end.
extension RunEngine {
    /// Takes up what an earlier run left unfinished, and what it did not deliver.
    func takeUpEarlierDownloads() {
        do throws(DownloadStoreError) {
            let app = request.app.identifier
            // Nothing starts before the extension has answered.
            queue.hold(app: app)
            // First of all: a file that was held when a purge was cut off is where it was, and there is
            // space to write down what follows.
            try takeUpStorage()
            keepSpaceFree()
            try reconcile(app: app)
            for sentence in try keeper.review().sentences { observe(.note(sentence)) }
            for record in try queue.store.unfinished(app: app) { remember(record) }
            try queue.open(app: app)
            for record in try queue.store.undelivered(app: app) {
                remember(record)
                undelivered.append(record.rowID)
            }
        } catch {
            fail("\(error)")
        }
    }

    static func earlierDownloads(
        _ request: RunRequest, _ store: DownloadStore
    ) throws(RunError) -> [DownloadRecord] {
        do throws(DownloadStoreError) {
            return try store.unfinished(app: request.app.identifier)
        } catch {
            throw RunError(.outputFailed, "\(error)")
        }
    }

    /// What the broker must know of earlier runs.
    static func brokerPolicy(_ request: RunRequest, _ earlier: [DownloadRecord]) -> BrokerPolicy {
        var policy = BrokerPolicy(appGroup: request.app.group, rules: request.rules)
        policy.otherGroups = request.app.otherGroups
        policy.plainAllowance = request.plainAllowance
        policy.essentialAllowance = request.essentialAllowance
        for record in earlier {
            policy.unfinished[record.identifier] = UnfinishedDownload(
                url: record.url, sizeBytes: record.sizeBytes ?? 0, sha256: record.sha256,
                group: record.group)
        }
        return policy
    }

    private func remember(_ record: DownloadRecord) {
        if records[record.rowID] == nil { order.append(record.rowID) }
        records[record.rowID] = record
        spared.insert(record.uniqueIdentifier)
    }

    private func forget(_ rowID: Int64) {
        guard let record = records.removeValue(forKey: rowID) else { return }
        heldBack[rowID] = nil
        if !record.state.isUnfinished { undelivered.remove(rowID) }
    }

    /// Stores what the broker has admitted and puts it in line; durable when it returns.
    func admit(_ requests: [AdmittedRequest]) {
        do throws(DownloadStoreError) {
            var fresh: [DownloadRecord] = []
            var replaced: [DownloadRecord] = []
            for request in requests {
                let old = try queue.store.record(
                    app: self.request.app.identifier, identifier: request.identifier)
                if let old {
                    if request.relation == .adopted, old.state.isUnfinished { continue }
                    replaced.append(old)
                }
                fresh.append(record(of: request))
            }
            let admitted = try queue.admit(fresh, replacing: replaced)
            keeper.sayWhoseListItIs(
                app: self.request.app.identifier, statePath: self.request.statePath)
            for old in replaced { forget(old.rowID) }
            for record in admitted {
                remember(record)
                if hasRunEntry { announce(record) }
            }
        } catch {
            guard queue.store.hasDatabase else { return failState("\(error)") }
            fail("cannot store the downloads: \(error)")
        }
    }

    private func record(of request: AdmittedRequest) -> DownloadRecord {
        let wish = request.wish
        var record = DownloadRecord(
            app: self.request.app.identifier, identifier: wish.identifier,
            uniqueIdentifier: UniqueIdentifier.random(), kind: .url, url: request.url.text,
            group: request.group)
        record.host = "\(request.url.host):\(request.url.port)"
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
            if let record = records[row], record.state.isUnfinished { announce(record) }
        }
        queue.release(app: request.app.identifier)
    }

    private func announce(_ record: DownloadRecord) {
        if let reason = reasonToWait(record) {
            heldBack[record.rowID] = reason
            return observe(.note("\(record.identifier) waits: \(reason)"))
        }
        observe(
            .added(
                identifier: record.identifier, sizeBytes: record.sizeBytes,
                receivedBytes: record.receivedBytes))
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

    func stopTransfers() {
        if manifest == .fetching { queue.cancelTransfer(RunEngine.manifestOrder) }
        queue.stop()
    }

    /// Ends a download at the plugin's wish; what is wrong with the wish, or nil.
    func cancelDownload(_ identifier: String) -> RefusalCode? {
        do throws(DownloadStoreError) {
            queue.flush()
            guard
                let record = try queue.store.record(
                    app: request.app.identifier, identifier: identifier)
            else { return .downloadNotScheduled }
            if try queue.cancel(record.rowID) { return nil }
            return record.state == .failed ? .downloadAlreadyFailed : .downloadNotScheduled
        } catch {
            return .downloadNotScheduled
        }
    }
}

/// What the queue asks and tells.
extension RunEngine: DownloadQueueOwner {
    package func place(of record: DownloadRecord) -> DownloadPlace? {
        DownloadPlace(
            partialPath: container.partialPath(of: record), folder: container.downloads,
            container: container.resolvedPath, name: FileName.forIdentifier(record.identifier),
            publishedPath: GroupContainer.publishedPath(record.identifier), rules: request.rules)
    }

    package func admission(of record: DownloadRecord) -> StartAdmission {
        if let reason = heldBack[record.rowID] { return .hold(reason) }
        guard record.sizeBytes == nil else { return .start(maximumBytes: .max) }
        switch broker.holdOpenSize(record.identifier) {
        case .unlimited: return .start(maximumBytes: .max)
        case .bytes(let bytes): return .start(maximumBytes: bytes)
        case .heldByOthers: return .later(.milliseconds(200))
        case .nothingLeft:
            return .fail(
                DownloadFailure(
                    domain: .apple,
                    code: RefusalCode.sessionDownloadDisallowedByAllowance.rawValue,
                    message: "nothing is left of the download allowance"))
        }
    }

    package func queueTells(_ notice: QueueNotice) {
        switch notice {
        case .resumed(let record):
            keep(record)
            let there = ByteCount(bytes: record.receivedBytes)
            observe(.note("\(record.identifier): continues after \(there)"))
        case .restarted(let record, let reason):
            keep(record)
            observe(.note("\(record.identifier): begins again: \(reason)"))
        case .progress(let record, let progress):
            keep(record)
            observe(.progress(identifier: record.identifier, progress))
        case .retrying(let record, let failure, let wait):
            settle(record)
            tellFailure(of: record, failure.message, retryIn: wait)
        case .held(let record, let reason):
            settle(record)
            if heldBack[record.rowID] == nil {
                observe(.note("\(record.identifier) waits: \(reason)"))
            }
        case .paused(let record): settle(record)
        case .finished(let record), .failed(let record), .cancelled(let record): ended(record)
        case .note(let sentence): observe(.note(sentence))
        case .broken(let sentence): fail(sentence)
        }
    }

    package func sideOrderTells(_ event: TransferEvent) { handleManifest(event) }

    private func keep(_ record: DownloadRecord) {
        if records[record.rowID] != nil { records[record.rowID] = record }
    }

    /// Its transfer has ended for now: it holds only what it has fetched.
    private func settle(_ record: DownloadRecord) {
        keep(record)
        broker.settleOpenSize(record.identifier, receivedBytes: record.receivedBytes)
    }

    private func ended(_ record: DownloadRecord) {
        keep(record)
        broker.downloadEnded(record.identifier, receivedBytes: record.receivedBytes)
        switch record.state {
        case .finished:
            worker?.written.notePublished(bytes: record.receivedBytes)
            observe(.finished(identifier: record.identifier, bytes: record.receivedBytes))
        case .failed: tellFailure(of: record, record.error?.message ?? "", retryIn: nil)
        default: return observe(.cancelled(identifier: record.identifier))
        }
        undelivered.append(record.rowID)
    }

    private func tellFailure(
        of record: DownloadRecord, _ message: String, retryIn wait: Duration?
    ) {
        observe(.failed(identifier: record.identifier, message: message, retryIn: wait))
    }
}
