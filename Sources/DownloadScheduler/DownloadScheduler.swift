/// Decides which download starts when.
///
/// Pure: events in, actions out, no clock and no waiting inside.
///
/// The order is foreground, essential, background; within a class the app with the fewest slots,
/// then the one that was served longest ago; within an app priority, then age. Foreground downloads
/// have slots of their own, so that they start now. A host at its cap holds up nobody but its own
/// downloads.
///
/// The store may hold a million downloads: only a bounded window of each app and class is known
/// here. The caller fills it when asked (`refill`), from the store and at once. A download that is
/// known stays so until it has finished, failed for good, been cancelled or paused, or been crowded
/// out while it waited; it holds a slot from its `start` until the event that ends the transfer.
package struct DownloadScheduler: Sendable {
    /// What happened.
    ///
    /// Events about an entry that is not known, or that do not fit its phase,
    /// change nothing.
    package enum Event: Hashable, Sendable {
        /// The store has, or may have, waiting downloads of this app and class that nobody told of.
        case windowOpened(WindowKey)
        /// The answer to `refill`: the waiting downloads after the position asked for, in order.
        ///
        /// To be read from the store when the action's turn has come, and told before anything
        /// else: every row is waiting and may start, as far as the events so far say. Rows that are
        /// known are passed over. `isComplete` says that the last of them is the last of all; an
        /// answer without rows always is. One that nobody asked for is ignored.
        case refilled(WindowKey, [DownloadSummary], isComplete: Bool)
        /// The answer to `refillOtherHosts`; the same holds for it.
        case refilledOtherHosts(WindowKey, [DownloadSummary])
        /// A download may start from now on: newly stored, resumed or no longer held back.
        ///
        /// One whose place is behind the window is left to a later `refill`. A second one of the
        /// same id is ignored.
        case admitted(DownloadSummary)
        /// The download has been promoted or demoted, or has another priority: this is how it
        /// stands now, in the store as well.
        ///
        /// A running one runs on in the slot it has; one that is not known is as if admitted.
        case reclassified(DownloadSummary)
        /// The transfer that `start` asked for is under way.
        case began(Int64)
        /// The file is complete; the slot is free.
        case finished(Int64)
        /// The transfer failed; the slot is free. With a time the download rests until then
        /// (``RetryPolicy`` says how long), without one it has failed for good.
        case failed(Int64, retryAt: Duration?)
        /// The download is not wanted any more. One with a transfer is stopped first.
        case cancelled(Int64)
        /// The download waits in the store until it is admitted again. One with a transfer is
        /// stopped first.
        case paused(Int64)
        /// The transfer ended neither finished nor failed, as `stop` asks; the slot is free.
        case stopped(Int64)
        /// Nothing of the app starts any more, and its transfers are to stop.
        case appPaused(String)
        case appResumed(String)
        /// Transfers that may not run any more are to stop, and wait until they may.
        case conditionsChanged(SchedulingConditions)
        /// The caller's clock, counted from any fixed moment, has come this far.
        case reached(Duration)
        /// Nothing starts any more, and every transfer is to stop. There is no way back.
        case stopRequested
    }

    /// What the caller is to do.
    package enum Action: Hashable, Sendable {
        case start(Int64)
        case stop(Int64)
        /// The transfer goes on as one of this class.
        case reclassify(Int64, DownloadClass)
        /// Answer with `refilled`: at most `limit` waiting downloads after the position, in order.
        case refill(WindowKey, after: DownloadPosition?, limit: Int)
        /// Answer with `refilledOtherHosts`: at most `limit` waiting downloads, the first in order
        /// of those whose hosts are none of at most 16, and that allow a metered network if they
        /// must.
        case refillOtherHosts(
            WindowKey, excluding: [String], mustAllowMetered: Bool, limit: Int)
    }

    package let caps: TransferCaps
    package let limits: WindowLimits
    var entries: [Int64: Entry] = [:]

    /// By class, then by app; one that is missing has nothing in the store that is not known.
    var windows: [[String: Window]] = DownloadClass.allCases.map { _ in [:] }
    var rests = SortedList<Rest>()
    var foregroundPool: SlotPool
    var sharedPool: SlotPool
    var service = ServiceOrder()
    var conditions = SchedulingConditions()
    var pausedApps: Set<String> = []
    var now: Duration?
    var isStopping = false

    /// Foreground has caps of its own, the same as all other downloads together.
    package init(caps: TransferCaps = TransferCaps(), limits: WindowLimits? = nil) {
        self.caps = caps
        self.limits = limits ?? WindowLimits(caps: caps)
        foregroundPool = SlotPool(caps: caps)
        sharedPool = SlotPool(caps: caps)
    }

    /// How many downloads are known: waiting, resting or with a slot.
    package var count: Int { entries.count }

    /// How many slots are taken, foreground included.
    package var slotsInUse: Int { foregroundPool.inUse + sharedPool.inUse }

    /// The earliest moment at which a resting download may start again.
    ///
    /// The caller sets its timer by it and then reports `reached`.
    package var nextWake: Duration? { rests.first?.time }

    /// Where the download stands, or nil when it is not known.
    package func phase(of id: Int64) -> Phase? { entries[id]?.phase }

    /// How many downloads of a window are known: in order, and fetched past it.
    package func load(of key: WindowKey) -> (main: Int, others: Int) {
        (window(key).main.load, window(key).others.load)
    }

    /// Takes in one event and says what to do, in this order.
    package mutating func handle(_ event: Event) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .windowOpened(let key): open(key)
        case .refilled(let key, let rows, let isComplete): refill(key, rows, isComplete)
        case .refilledOtherHosts(let key, let rows): refillOtherHosts(key, rows)
        case .admitted(let summary): admit(summary)
        case .reclassified(let summary): actions += reclassify(summary)
        case .began(let id): begin(id)
        case .finished(let id): end(id, retryAt: nil)
        case .failed(let id, let retryAt): end(id, retryAt: retryAt)
        case .cancelled(let id): actions += drop(id, then: .cancelled)
        case .paused(let id): actions += drop(id, then: .paused)
        case .stopped(let id): stopped(id)
        case .appPaused(let app):
            pausedApps.insert(app)
            actions += stopWhatMayNotRun()
        case .appResumed(let app): pausedApps.remove(app)
        case .conditionsChanged(let new):
            conditions = new
            actions += stopWhatMayNotRun()
        case .reached(let time): reach(time)
        case .stopRequested:
            isStopping = true
            actions += stopWhatMayNotRun()
        }
        return actions + startWhatFits() + questions()
    }
}
