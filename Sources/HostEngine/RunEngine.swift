internal import DownloadScheduler
internal import DownloadStore
internal import ExtensionHost
internal import Glibc
package import LinuxSystem
internal import TransferEngine
internal import WireProtocol

/// One run of one plugin in this process, from the manifest to the last completion.
///
/// Everything happens on the caller's thread in one poll loop; only the transfers have a thread of
/// their own. The order: earlier downloads are taken up, the manifest is fetched, the extension is
/// woken, its requests are admitted, transfers run, and each end is delivered to a worker.
package final class RunEngine {
    let request: RunRequest
    let observe: (RunNotice) -> Void
    var container: GroupContainer
    let queue: DownloadQueue
    var broker: Broker
    var lease = ExclusiveLease()
    var report: RunReport

    /// Every download of this run by its row, and the order to show them in.
    var records: [Int64: DownloadRecord] = [:]
    var order: [Int64] = []

    /// Downloads of earlier runs that the rules of this one do not allow, with the reason.
    var heldBack: [Int64: String] = [:]

    /// What earlier runs left unfinished, until it is held against the disk.
    var earlier: [DownloadRecord]

    /// What the system may take back of the container.
    private(set) lazy var keeper = StorageKeeper(container, store: queue.store)

    /// Unique identifiers of this run's downloads: their files stay as long as it goes on.
    var spared: Set<String> = []

    /// Rows of files that extensions were done with, to be forgotten together.
    var doneRows: [Int64] = []
    var quota: QuotaBook?

    /// When the container may be looked through again for ``quota``.
    var nextQuotaLook = Instant(nanoseconds: 0)

    /// What downloads had been given when the live worker began.
    var givenBefore: UInt64 = 0

    /// What was told about files that could not be taken back.
    var storageFaults: Set<String> = []

    /// The database has rows of files that were published before it.
    var hasRebuilt = false

    var undelivered = UndeliveredEnds()
    var worker: ActiveWorker?
    let launchers: LauncherPool
    var workerCount: UInt64 = 0
    var manifest = ManifestState.none
    var manifestBytes: UInt64 = 0
    var hasRunEntry = false

    /// How many packs have an answer, and where the batch ends that is asked about.
    var packsAnswered = 0
    var batchEnd = 0
    var canDeliver = true
    var isStopping = false

    /// The user's signal that ended the run early.
    private var stopSignal: Int32?

    /// The folders this run made for the state.
    let madeForState: [String]

    /// Runs a request to its end.
    ///
    /// - Parameters:
    ///   - request: What to run.
    ///   - stop: Ends the run early, cleanly, with everything kept for the next one.
    ///   - observe: Told of everything a person may want to see, on the caller's thread.
    /// - Returns: What came of it.
    /// - Throws: ``RunError`` when there was no run at all; then nothing was left behind.
    package static func run(
        _ request: RunRequest, stop: borrowing StopSignals,
        observe: @escaping (RunNotice) -> Void
    ) throws(RunError) -> RunReport {
        if let fault = PluginFile.fault(of: request.pluginPath) {
            var report = RunReport(packs: request.packs)
            report.add(.loadError(fault))
            return report
        }
        let (report, failure, unused) = try runOnce(request, stop: stop, observe: observe)
        // The database is closed by now.
        if let unused { StateCleaning.remove(request.statePath, made: unused) }
        if let failure, report.verdict == .ok { throw failure }
        return report
    }

    private static func runOnce(
        _ request: RunRequest, stop: borrowing StopSignals,
        observe: @escaping (RunNotice) -> Void
    ) throws(RunError) -> (RunReport, RunError?, unused: [String]?) {
        let engine = try RunEngine(request: request, observe: observe)
        let report = engine.run(stop: stop)
        let isUnused =
            !engine.madeForState.isEmpty && engine.records.isEmpty && !engine.hasRebuilt
        return (report, engine.failure, isUnused ? engine.madeForState : nil)
    }

    /// Opens the state folder and the container.
    private init(
        request: RunRequest, observe: @escaping (RunNotice) -> Void
    ) throws(RunError) {
        // Makes itself ready while the folders are made.
        launchers = LauncherPool()
        launchers.prepare(request.workerPlan, now: BootClock.now())
        try GroupContainer.checkOwner(request.containerPath)
        let madeForState = try StateMaking.make(
            request.statePath, for: request.containerPath)
        do throws(RunError) {
            queue = try RunEngine.openQueue(request)
            container = try GroupContainer(
                path: request.containerPath, owner: WorkerIdentity.forThisHost())
        } catch {
            StateCleaning.remove(request.statePath, made: madeForState)
            throw error
        }
        report = RunReport(packs: request.packs)
        self.request = request
        self.observe = observe
        self.madeForState = madeForState
        earlier = try RunEngine.earlierDownloads(request, queue.store)
        broker = Broker(policy: RunEngine.brokerPolicy(request, earlier))
        quota = request.quotaBytes.map { QuotaBook(quotaBytes: $0) }
        queue.setOwner(self)
    }

    private static func openQueue(_ request: RunRequest) throws(RunError) -> DownloadQueue {
        var configuration = request.downloads
        // Somebody is waiting: a one-shot run gives up sooner than a background service does.
        configuration.retries.maximumRetries = 3
        let store: DownloadStore
        do throws(DownloadStoreError) {
            store = try DownloadStore(folder: request.statePath, creation: .whenAdmitting)
        } catch {
            throw RunError(.outputFailed, "\(error)")
        }
        do throws(SystemError) {
            return try DownloadQueue(store: store, configuration: configuration)
        } catch {
            throw RunError(.hostBroken, "\(error)")
        }
    }

    private func run(stop: borrowing StopSignals) -> RunReport {
        let name = request.pluginPath.split(separator: "/").last ?? ""
        observe(.note("waking \(name) for \(request.event.rawValue)"))
        // A question about packs moves no bytes.
        if request.event != .shouldDownload { takeUpEarlierDownloads() }
        do throws(RunError) {
            if !isStopping { try beginManifest() }
        } catch {
            failure = error
            manifest = .failed
        }
        while !isDone {
            advance()
            if isDone { break }
            var set = PollSet()
            let stopPlace = set.add(stop.descriptor)
            set.add(queue.descriptor)
            worker?.session.register(in: &set)
            do throws(SystemError) {
                try set.wait(timeout: patience(now: BootClock.now()))
            } catch {
                fail("\(error)")
                break
            }
            if set.isReadable(stopPlace), let signal = stop.next() { interrupt(signal) }
            queue.service()
            serviceWorker(set)
            launchers.endIdle(now: BootClock.now())
        }
        return finish()
    }

    /// Why there was no run at all; nil when there was one.
    private var failure: RunError?

    func failManifest(_ message: String) {
        failure = failure ?? RunError(.inputMissing, message)
        manifest = .failed
    }

    /// Nothing can be stored, and nothing has been: there was no run.
    func failState(_ message: String) {
        failure = failure ?? RunError(.outputFailed, message)
        isStopping = true
    }

    private var isDone: Bool {
        guard worker == nil else { return false }
        if isStopping { return queue.isQuiet && manifest != .fetching }
        if manifest == .failed { return true }
        guard hasRunEntry else { return false }
        if !canDeliver { return queue.isIdle || !isEntryGood }
        return queue.isIdle && undelivered.isEmpty
    }

    /// True when the content request went well, so that downloads go on.
    var isEntryGood: Bool { hasRunEntry && entryVerdict == .ok }
    var entryVerdict: Verdict?

    /// Starts whatever can start now.
    private func advance() {
        guard worker == nil, !isStopping else { return }
        if manifest == .ready, !hasRunEntry {
            startEntryWorker()
        } else if mayStartCompletionWorker,
            undelivered.isDue(at: BootClock.now(), mayGrow: !queue.isQuiet)
        {
            startCompletionWorker()
        }
    }

    private var mayStartCompletionWorker: Bool {
        worker == nil && !isStopping && hasRunEntry && canDeliver
    }

    private func patience(now: Instant) -> Duration? {
        var moments: [Instant] = []
        if let due = worker?.session.nextDeadline { moments.append(due) }
        if let due = lease.nextDeadline { moments.append(due) }
        if let due = launchers.nextDeadline { moments.append(due) }
        if let worker, worker.isWatched { moments.append(worker.nextLook) }
        if let due = queue.nextDeadline { moments.append(due) }
        if mayStartCompletionWorker, let due = undelivered.deadline { moments.append(due) }
        guard let first = moments.min() else { return nil }
        return max(.zero, first - now)
    }

    private func interrupt(_ signal: Int32) {
        guard !isStopping else {
            // Asked twice: the state is on the disk, nothing more is owed.
            worker = nil
            _exit(130)
        }
        isStopping = true
        stopSignal = signal
        worker?.session.interrupt(now: BootClock.now())
        stopTransfers()
    }

    private func finish() -> RunReport {
        worker = nil
        // They end while the rest is put in order.
        launchers.killAll()
        queue.close()
        forgetDone()
        keepUnheard()
        do throws(SystemError) {
            try container.emptyTemporaryFolder()
        } catch {
            observe(.note("tmp/ of the container is not empty: \(error)"))
        }
        if hasRunEntry, stopSignal == nil, request.event != .shouldDownload { keepSpaceFree() }
        _ = unsafe unlink(container.manifestPath)
        if records.isEmpty { container.removeIfUnused() }
        report.wasInterrupted = stopSignal != nil
        if let stopSignal, report.verdict == .ok {
            report.verdict = .interrupted
            report.detail = "stopped by signal \(stopSignal)"
            report.stage = hasRunEntry ? .completion : .setup
        }
        for note in queue.store.notes { observe(.note(note)) }
        report.downloads = order.compactMap { records[$0] }
        return report
    }

    /// A fault of ours or of the machine in the middle of a run: ends it, keeping what is stored.
    func fail(_ message: String) {
        if report.verdict == .ok {
            report.verdict = .internalError
            report.detail = message
        }
        isStopping = true
        worker?.session.terminate(.hostStopping, now: BootClock.now())
        stopTransfers()
    }
}

/// How far the content manifest is.
enum ManifestState {
    case none
    case fetching
    case ready
    case failed
}

/// The worker that is alive, and what it is there for.
final class ActiveWorker {
    let session: WorkerSession
    let number: UInt64

    /// The row whose end is being delivered; nil in the content request.
    var delivering: Int64?

    /// What is on the stack, since when.
    var call: EntryPoint?
    var callStart = Instant(nanoseconds: 0)
    let isForEntry: Bool

    /// How much time the call has since ``callStart``.
    var callBudget = Duration.zero

    /// True while plugin code may run.
    var isWatched = false

    /// What it held before the plugin was loaded.
    var heldAtStart: UInt64 = 0

    /// What it may hold beyond that.
    var memoryBytes: UInt64 = 0

    /// What it may write, and when to look again.
    var written: WrittenBudget
    var nextLook: Instant

    /// The container was past looking through before the plugin was loaded.
    let cannotBeWatched: Bool

    init(
        session: WorkerSession, number: UInt64, isForEntry: Bool, written: WrittenBudget,
        cannotBeWatched: Bool, nextLook: Instant
    ) {
        self.session = session
        self.written = written
        self.cannotBeWatched = cannotBeWatched
        self.nextLook = nextLook
        self.number = number
        self.isForEntry = isForEntry
    }
}
