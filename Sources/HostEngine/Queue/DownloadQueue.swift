package import DownloadScheduler
package import DownloadStore
package import HTTPClient
package import LinuxSystem
package import TransferEngine

/// The durable queue of downloads: the store, the scheduler and the transfers put together.
///
/// Everything is decided and stored on the caller's thread; only bytes move elsewhere. What an owner
/// is told is on the disk by then. Changes of the store are gathered and committed together, at most
/// ``DownloadQueue/commitDelay`` later. The memory it takes does not grow with the rows that wait for
/// their turn; of those that had it and are left for a later host it keeps the number.
package final class DownloadQueue {
    package struct Configuration: Sendable {
        package var transfers = HTTPConfiguration()
        package var caps = TransferCaps()
        package var retries = RetryPolicy()

        /// Bytes a second for background downloads together; nil for no bound.
        package var backgroundRate: ByteCount?

        package init() {}
    }

    /// How long a change waits for others to be stored with.
    package static let commitDelay = Duration.milliseconds(20)

    /// The most changes of one transaction.
    package static let commitSize = 256

    /// The most transfer events taken in, and actions carried out, at once, so that deadlines and
    /// signals do not wait.
    private static let mostAtOnce = 256

    package let store: DownloadStore
    package let configuration: Configuration
    let mailbox: TransferMailbox
    weak var owner: (any DownloadQueueOwner)?
    private let now: () -> Instant
    let wallClock: () -> Int64

    /// Made when the first transfer starts: loading libcurl is a good part of a short run.
    private var transfers: TransferEngine?
    var scheduler: DownloadScheduler
    var reservations = SpaceReservations()

    /// What has a transfer, or a file that is being published.
    var active: [Int64: ActiveDownload] = [:]

    /// Rows that must not start before the transfer of another row has ended, because both would
    /// publish under one name.
    var blockers: [Int64: Int64] = [:]

    /// Rows that had their turn and are left for a later host.
    var notNow: Set<Int64> = []

    /// How often a row was tried again by this host; an interruption costs no retry.
    var retryCounts: [Int64: Int] = [:]

    /// How often a row was tried again because there was space after all.
    var triesForSpace: [Int64: Int] = [:]

    /// Files have made way for a download of this host's.
    var hasMadeSpace = false

    /// Rows that are gone and whose transfers are not, with the place they write to.
    var ending: [Int64: DownloadPlace] = [:]

    /// What the scheduler has said and nobody has done yet.
    private var actions: ArraySlice<DownloadScheduler.Action> = []
    private var isActing = false

    /// How many more actions are carried out before the next ``service()``.
    private var actionsLeft = mostAtOnce
    private var events: ArraySlice<TransferEvent> = []
    var pending = PendingChanges()
    private(set) var isStopping = false

    /// The store has failed: nothing is stored any more, and nobody told of what is not.
    private(set) var isBroken = false

    /// - Parameters:
    ///   - store: open, and this queue's alone from now on.
    ///   - configuration: of the transfers.
    ///   - now: the clock that deadlines are counted by.
    ///   - wallClock: seconds since 1970, for records.
    /// - Throws: ``SystemError`` without a descriptor for the mailbox.
    package init(
        store: DownloadStore, configuration: Configuration = Configuration(),
        now: @escaping () -> Instant = BootClock.now,
        wallClock: @escaping () -> Int64 = BootClock.wallSeconds
    ) throws(SystemError) {
        self.store = store
        self.configuration = configuration
        self.now = now
        self.wallClock = wallClock
        mailbox = try TransferMailbox()
        scheduler = DownloadScheduler(caps: configuration.caps)
    }

    package func setOwner(_ owner: any DownloadQueueOwner) { self.owner = owner }

    var instant: Instant { now() }

    // MARK: - What the caller's loop needs

    /// Readable when ``service()`` has something to do.
    package var descriptor: Int32 { mailbox.descriptor }

    /// When ``service()`` is to be called at the latest.
    package var nextDeadline: Instant? {
        if !events.isEmpty || !actions.isEmpty { return now() }
        let wake = scheduler.nextWake.map { Instant(nanoseconds: $0.wholeNanoseconds) }
        return [wake, commitDeadline].compactMap { $0 }.min()
    }

    private var commitDeadline: Instant? { pending.since.map { $0 + DownloadQueue.commitDelay } }

    /// No transfer is under way and nothing waits to be stored.
    package var isQuiet: Bool {
        active.isEmpty && ending.isEmpty && pending.isEmpty && events.isEmpty && actions.isEmpty
    }

    /// Nothing is left that this host would do.
    package var isIdle: Bool { isQuiet && scheduler.count == 0 && blockers.isEmpty }

    /// The size of each file that is fetched or published at this moment; nil where nobody knows it.
    package var sizesInFlight: [UInt64?] {
        active.values.map { $0.record.sizeBytes ?? $0.record.totalBytes }
    }

    /// Takes in what the transfers have said, wakes what has rested, stores what is due.
    package func service() {
        actionsLeft = DownloadQueue.mostAtOnce
        events += mailbox.take()
        let part = events.prefix(DownloadQueue.mostAtOnce)
        events = events.dropFirst(part.count)
        for event in part { take(event) }
        let time = now()
        decide(.reached(.nanoseconds(time.nanoseconds)))
        let isDue = commitDeadline.map { time >= $0 } ?? false
        // With no transfer under way there is nothing to wait for.
        if isDue || scheduler.slotsInUse == 0 && events.isEmpty && actions.isEmpty { flush() }
    }

    /// Tells the scheduler what happened and does what it says.
    ///
    /// One after the other: what one brings about joins the line, so that ten thousand downloads that
    /// cannot start do not pile up on the stack; what is too much for now is left for the next
    /// ``service()``.
    func decide(_ event: DownloadScheduler.Event) {
        // What the scheduler asks of the store it is told at once.
        var fresh = scheduler.handle(event)[...]
        while let action = fresh.popFirst() {
            if let answer = answer(to: action) {
                fresh += scheduler.handle(answer)
            } else {
                actions.append(action)
            }
        }
        guard !isActing else { return }
        isActing = true
        defer { isActing = false }
        while actionsLeft > 0, let action = actions.popFirst() {
            actionsLeft -= 1
            carryOut(action)
        }
    }

    // MARK: - Transfers

    /// Hands an order to the transfers' thread, which is started for the first one.
    ///
    /// - Throws: ``TransferFailure`` when libcurl or a thread cannot be had.
    package func start(_ order: TransferOrder) throws(TransferFailure) {
        if let transfers { return transfers.start(order) }
        let mailbox = mailbox
        let engine = try TransferEngine(
            configuration: configuration.transfers, backgroundRate: configuration.backgroundRate
        ) { event in mailbox.put(event) }
        transfers = engine
        engine.start(order)
    }

    package func cancelTransfer(_ id: Int64) { transfers?.cancel(id) }

    func setTransferClass(_ id: Int64, isBackground: Bool) {
        transfers?.setClass(id, isBackground: isBackground)
    }

    // MARK: - The end

    /// Starts nothing more and stops what runs; the caller serves the queue until ``isQuiet``.
    package func stop() {
        guard !isStopping else { return }
        isStopping = true
        decide(.stopRequested)
    }

    /// Ends the transfers' thread and stores the last words.
    package func close() {
        stop()
        transfers?.stop()
        repeat { service() } while !events.isEmpty || !actions.isEmpty
        flush()
    }

    /// The store or the machine has failed.
    func breakDown(_ message: String) {
        guard !isBroken else { return }
        isBroken = true
        store.needsLook = true
        owner?.queueTells(.broken(message))
        stop()
    }
}

/// A download with a transfer.
struct ActiveDownload {
    var record: DownloadRecord
    let place: DownloadPlace

    /// Its bytes are complete, and its slot is free; it gets its name at this moment.
    var isPublishing = false

    /// It was cancelled or paused while the transfer ran.
    var endState: DownloadState?

    /// Why it was stopped, to wait for a later host.
    var heldReason: String?

    /// It was told to stop; a word of an earlier transfer's end comes without.
    var wasToldToStop = false

    /// What the row says at the end of it is about to be stored.
    var isEnding = false

    /// Its owner has heard of it, so that its state is stored.
    var isTold = false

    /// Bytes that were there when the transfer began.
    var startBytes: UInt64 = 0

    /// Whether its file lies where it belongs, perhaps before the queue has heard of it.
    ///
    /// False where the file system keeps no marks.
    var hasName: Bool {
        (try? place.folder.untouchedMark(of: place.name)) == record.uniqueIdentifier
    }
}
