internal import DownloadScheduler
internal import DownloadStore
internal import ExtensionHost
internal import Glibc
internal import LinuxSystem
internal import WireProtocol

/// The run's workers: one for the content request, then one per batch of completions.
extension RunEngine {
    func startEntryWorker() {
        startWorker(isForEntry: true)
    }

    func startCompletionWorker() {
        startWorker(isForEntry: false)
    }

    private func startWorker(isForEntry: Bool) {
        var plan = request.workerPlan
        if request.manifest != nil { plan.setup.manifestPath = container.manifestPath }
        quota?.forgetLook()
        var written = writtenBudget()
        // Before any code of the plugin; one that cannot be looked through is told when it is ready.
        let begin = BootClock.now()
        var use = container.use(mostFiles: written.mostFiles)
        if !container.hasCaches { use?.files += 1 }
        let cannotBeWatched = written.isSpent(by: use)
        do throws(ExtensionHostError) {
            workerCount += 1
            worker = ActiveWorker(
                session: try launchers.start(plan, now: BootClock.now()),
                number: workerCount, isForEntry: isForEntry, written: written,
                cannotBeWatched: cannotBeWatched, nextLook: Self.nextLook(after: begin))
        } catch {
            hasRunEntry = true
            canDeliver = false
            entryVerdict = entryVerdict ?? .internalError
            fail("\(error)")
        }
    }

    /// Lets the live worker move on, and takes in what it says.
    func serviceWorker(_ set: PollSet) {
        guard let worker else { return }
        let now = BootClock.now()
        for answer in lease.expire(now: now) { pass(answer) }
        lookAtWritten(worker, now: now)
        for event in worker.session.service(set, now: now) { handle(event, of: worker, now: now) }
    }

    /// Samples what the container holds.
    private func lookAtWritten(_ worker: ActiveWorker, now: Instant) {
        guard worker.isWatched, now >= worker.nextLook else { return }
        let use = container.use(mostFiles: worker.written.mostFiles)
        worker.nextLook = Self.nextLook(after: now)
        // What it wrote is not in what was found before.
        quota?.forgetLook()
        noteGiven(on: worker)
        guard worker.written.isSpent(by: use, arriving: arriving) else { return }
        if !hasMadeSpace(for: worker) { endForWritten(worker) }
    }

    /// Looking takes no more than a twentieth of the time.
    private static func nextLook(after begin: Instant) -> Instant {
        let end = BootClock.now()
        return end + max(.milliseconds(50), (end - begin) * 20)
    }

    private func endForWritten(_ worker: ActiveWorker) {
        end(
            worker,
            for: worker.written.isEndedByQuota
                ? .groupQuota(bytes: request.quotaBytes ?? 0) : .writtenBytes)
    }

    private func end(_ worker: ActiveWorker, for reason: TerminationReason) {
        worker.session.terminate(reason, now: BootClock.now())
        worker.isWatched = false
    }

    /// The files that transfers may publish at this moment; nil when a size is not known.
    private var arriving: FolderUse? {
        var sum = FolderUse()
        for size in queue.sizesInFlight {
            guard let size else { return nil }
            sum.bytes = sum.bytes.addingReportingOverflow(size).partialValue
            sum.files += 1
        }
        return sum
    }

    private func handle(_ event: WorkerEvent, of worker: ActiveWorker, now: Instant) {
        switch event {
        case .ready(let ready):
            worker.heldAtStart = ready.heldBytes
            worker.memoryBytes = min(request.limits.memoryBytes, ready.inForce.memoryBytes)
            worker.isWatched = true
            if worker.number == 1 { tellMissingLayers(ready) }
            if worker.cannotBeWatched { end(worker, for: .containerUnseen) }
        case .loaded:
            // It may have been told to end in the meantime.
            guard worker.session.isIdle else { return }
            if request.event == .shouldDownload {
                askNext(on: worker)
            } else if worker.isForEntry {
                call(entryCall(), on: worker)
            } else {
                deliverNext(on: worker)
            }
        case .hostCall(let call, let sequence): answer(call, sequence, on: worker, now: now)
        case .answered(let replies): take(replies, of: worker, now: now)
        case .returned(let entry, let result): returned(entry, result, on: worker)
        case .printed(let stream, let line): observe(.printed(stream, line))
        case .ended(let outcome): ended(worker, outcome)
        }
    }

    /// What this machine does not give; that a user's host has its user is no news, nor that a
    /// single run has no cgroup.
    private func tellMissingLayers(_ ready: WorkerReady) {
        let missing = ready.missing.filter { !["identity", "cgroup"].contains($0.layer) }
        guard request.isolation != .basic else {
            return observe(.note("isolation: basic, files are not confined"))
        }
        guard !missing.isEmpty else { return }
        let layers = missing.map { "\($0.layer) (\($0.why))" }.joined(separator: ", ")
        observe(.note("isolation: without \(layers)"))
    }

    func call(_ call: EntryCall, on worker: ActiveWorker) {
        do throws(ExtensionHostError) {
            // Storing what came before may have taken its time; the plugin's begins now.
            let now = BootClock.now()
            worker.call = call.entryPoint
            worker.callStart = now
            worker.callBudget = worker.session.budget(of: call)
            try worker.session.call(call, now: now)
        } catch {
            worker.session.shutDown(now: BootClock.now())
            fail("\(error)")
        }
    }

    private func entryCall() -> EntryCall {
        var app = AppDescription()
        app.isRestricted = request.app.isRestricted
        app.identifier = request.app.identifier
        app.version = request.app.version
        app.group = request.app.group
        app.restrictedBytesRemaining = broker.remaining(what: 1) ?? -1
        app.restrictedEssentialBytesRemaining = broker.remaining(what: 2) ?? -1
        return .content(request.event.entryPoint, app, manifestBytes: manifestBytes)
    }

    private func returned(
        _ entry: EntryPoint, _ result: EntryReturn, on worker: ActiveWorker
    ) {
        worker.call = nil
        if entry == .shouldDownload { return answered(result, on: worker) }
        if entry.isContentRequest {
            guard result.status == 0 else {
                worker.session.noteDiscarded(broker.discardCollected())
                return worker.session.shutDown(now: BootClock.now())
            }
            admit(broker.takeCollected())
        } else if let row = worker.delivering {
            delivered(row, entry, result.status)
            worker.delivering = nil
            if result.status < 0 { return worker.session.shutDown(now: BootClock.now()) }
        }
        // A reply that is not allowed has already sent the worker away.
        if worker.session.isIdle { deliverNext(on: worker) }
    }

    private func deliverNext(on worker: ActiveWorker) {
        while !isStopping, let row = undelivered.popFirst(at: BootClock.now()) {
            guard let record = records[row], let next = completionCall(record) else { continue }
            worker.delivering = row
            return call(next, on: worker)
        }
        worker.session.shutDown(now: BootClock.now())
    }

    private func completionCall(_ record: DownloadRecord) -> EntryCall? {
        let download = RunEngine.description(of: record)
        if record.state == .finished, let path = record.finishedPath {
            return .finished(download, path: path)
        }
        guard record.state == .failed, let error = record.error else { return nil }
        let domain: UInt32 =
            switch error.domain {
            case .apple: 1
            case .bahost: 2
            case .http: 3
            case .transport: 4
            case .errno: 5
            }
        return .failed(
            download,
            ErrorDescription(
                domain: domain, code: error.code, httpStatus: error.httpStatus,
                message: error.message))
    }

    static func description(of record: DownloadRecord) -> DownloadDescription {
        var download = DownloadDescription()
        download.isEssential = record.isEssential
        download.state = record.state.appleState
        download.kind = record.kind == .manifest ? 2 : 1
        download.identifier = record.identifier
        download.uniqueIdentifier = record.uniqueIdentifier
        download.url = record.url
        download.group = record.group
        download.sizeBytes = record.sizeBytes ?? record.totalBytes ?? 0
        download.receivedBytes = record.receivedBytes
        download.priority = record.priority
        return download
    }

    /// The three outcomes of `bahost_download_finished`: done, keep, error.
    private func delivered(_ row: Int64, _ entry: EntryPoint, _ status: Int32) {
        let isDone = entry == .downloadFinished && status == 0
        markDelivered(row, isDone: isDone)
    }

    /// The file goes once the row says that the extension knows: the other way round, the next run
    /// would find the file of an untold download gone.
    private func markDelivered(_ row: Int64, isDone: Bool = false) {
        records[row]?.isDelivered = true
        let record = isDone ? records[row] : nil
        queue.markDelivered(row) { [weak self] in
            if let record { self?.removeDone(record) }
        }
    }

    private func ended(_ ended: ActiveWorker, _ outcome: WorkerOutcome) {
        worker = nil
        quota?.forgetLook()
        if let next = lease.end(ended.number) { pass(next) }
        report.add(outcome)
        // A completion whose worker died counts as delivered: it is not tried again for ever.
        if let row = ended.delivering, outcome.verdict != .interrupted, !isStopping {
            markDelivered(row)
        }
        if ended.isForEntry {
            hasRunEntry = true
            entryVerdict = outcome.verdict
            if outcome.verdict != .ok { _ = broker.discardCollected() }
        }
        guard outcome.verdict == .ok else { return endWithoutDownloads() }
        if ended.isForEntry, !isStopping { queueWaiting() }
    }

    /// After a bad verdict no further worker is started; transfers under way still end well.
    private func endWithoutDownloads() {
        canDeliver = false
        if entryVerdict != .ok { stopTransfers() }
    }
}

extension RunRequest {
    /// What all workers of the run are started with; each is told of the manifest besides.
    var workerPlan: WorkerPlan {
        var setup = WorkerSetup.ofThisHost(
            pluginPath, containerPath: containerPath, isolation: isolation,
            absentLayers: absentLayers, runtimeFolders: runtimeFolders)
        setup.limits = limits
        setup.memoryLimitAction = memoryLimitAction
        setup.memoryRule = memoryRule
        var plan = WorkerPlan(workerPath: workerPath, setup: setup, wallBudget: wallBudget)
        plan.writtenBytes = writtenBytes
        return plan
    }
}

/// What can be said of a plugin's file without opening it.
package enum PluginFile {
    /// One sentence, or nil when it is a regular file.
    package static func fault(of path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            return "\(path): \(SystemError.message(for: errno))"
        }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "\(path) is a directory, not a plugin"
        case S_IFIFO: "\(path) is a FIFO, not a plugin"
        case S_IFSOCK: "\(path) is a socket, not a plugin"
        default: "\(path) is a device, not a plugin"
        }
    }
}

extension WorkerOutcome {
    /// The outcome of a plugin that no worker was started for.
    static func loadError(_ sentence: String) -> WorkerOutcome {
        WorkerOutcome(Judgement(.loadError, sentence, at: .inspect))
    }
}
