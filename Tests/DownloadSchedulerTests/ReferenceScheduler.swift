import DownloadScheduler

/// The scheduler's rules in the plainest words, and the store: one list of all rows, looked through
/// anew for every start.
struct ReferenceScheduler {
    enum Place: Equatable {
        case waiting, starting, running, paused
        case resting(Duration)
        case stopping(DownloadScheduler.Sequel)
    }

    struct Row {
        var summary: DownloadSummary
        var place = Place.waiting
        /// In which pool its slot is.
        var isForegroundSlot = false

        var holdsSlot: Bool {
            switch place {
            case .waiting, .resting, .paused: false
            case .starting, .running, .stopping: true
            }
        }

        var isUnderWay: Bool { place == .starting || place == .running }

        /// Whether the store has it among those that wait.
        var isInLine: Bool {
            if case .resting = place { true } else { place == .waiting }
        }
    }

    let caps: TransferCaps
    /// Everything that has not ended.
    var rows: [Int64: Row] = [:]
    var now: Duration?
    var isStopping = false
    var conditions = SchedulingConditions()
    var pausedApps: Set<String> = []
    /// When each app was served last.
    private var served: [String: Int] = [:]
    private var starts = 0

    init(caps: TransferCaps) {
        self.caps = caps
    }

    /// What an event changes; returns the stops and changes of class it brings about.
    mutating func take(in event: DownloadScheduler.Event) -> [DownloadScheduler.Action] {
        switch event {
        case .windowOpened, .refilled, .refilledOtherHosts: return []
        case .admitted(let summary): admit(summary)
        case .reclassified(let summary): return reclassify(summary)
        case .began(let id):
            if rows[id]?.place == .starting { rows[id]?.place = .running }
        case .finished(let id): end(id, failing: nil)
        case .failed(let id, let retryAt): end(id, failing: retryAt)
        case .stopped(let id): stopped(id)
        case .cancelled(let id): return drop(id, .cancelled)
        case .paused(let id): return drop(id, .paused)
        case .reached(let time): reach(time)
        case .appResumed(let app): pausedApps.remove(app)
        case .appPaused(let app):
            pausedApps.insert(app)
            return stops()
        case .conditionsChanged(let new):
            conditions = new
            return stops()
        case .stopRequested:
            isStopping = true
            return stops()
        }
        return []
    }

    /// The starts that are due, when the scheduler knows of those that `isKnown` says.
    mutating func startWhatFits(isKnown: (Int64) -> Bool) -> [DownloadScheduler.Action] {
        var actions: [DownloadScheduler.Action] = []
        var waiting = waiting.filter { isKnown($0.id) }
        for downloadClass in [DownloadClass.foreground, .essential, .background] {
            while let next = next(of: downloadClass, waiting) {
                rows[next.id]?.place = .starting
                rows[next.id]?.isForegroundSlot = downloadClass == .foreground
                waiting.removeAll { $0 == next }
                starts += 1
                served[next.app] = starts
                actions.append(.start(next.id))
            }
        }
        return actions
    }

    var waiting: [DownloadSummary] {
        rows.values.filter { $0.place == .waiting }.map(\.summary)
    }

    /// Those of `waiting` that could start now, without looking at the total cap.
    func startable(
        of downloadClass: DownloadClass, _ waiting: [DownloadSummary], _ slots: [DownloadSummary]
    ) -> [DownloadSummary] {
        waiting.filter { summary in
            summary.downloadClass == downloadClass && mayRun(summary)
                && slots.count { $0.host == summary.host } < caps.perHost
        }
    }

    /// Those that share the caps with `downloadClass`.
    func slots(of downloadClass: DownloadClass) -> [DownloadSummary] {
        rows.values
            .filter { $0.holdsSlot && $0.isForegroundSlot == (downloadClass == .foreground) }
            .map(\.summary)
    }

    func mayRun(_ summary: DownloadSummary) -> Bool {
        if isStopping || pausedApps.contains(summary.app) { return false }
        if summary.downloadClass == .foreground { return true }
        if !conditions.isOnline { return false }
        if summary.downloadClass == .essential { return true }
        if conditions.isMetered && !summary.allowsMetered { return false }
        if conditions.isPowerSaving || !conditions.isBackgroundRefreshOn { return false }
        return !conditions.appsWithoutBackgroundRefresh.contains(summary.app)
    }

    private func next(
        of downloadClass: DownloadClass, _ waiting: [DownloadSummary]
    ) -> DownloadSummary? {
        if waiting.isEmpty { return nil }
        let slots = slots(of: downloadClass)
        guard slots.count < caps.total else { return nil }
        return startable(of: downloadClass, waiting, slots).min { one, other in
            let left = rank(one.app, slots)
            let right = rank(other.app, slots)
            return left == right ? comesFirst(one, other) : left < right
        }
    }

    private func rank(_ app: String, _ slots: [DownloadSummary]) -> (Int, Int, String) {
        (slots.count { $0.app == app }, served[app, default: 0], app)
    }

    private func comesFirst(_ one: DownloadSummary, _ other: DownloadSummary) -> Bool {
        let left = (-one.position.priority, one.position.sequence)
        return left < (-other.position.priority, other.position.sequence)
    }

    // MARK: - One row

    private mutating func admit(_ summary: DownloadSummary) {
        switch rows[summary.id]?.place {
        case nil: rows[summary.id] = Row(summary: summary)
        case .paused: rows[summary.id]?.place = .waiting
        case .stopping(.paused): rows[summary.id]?.place = .stopping(.kept)
        default: break
        }
    }

    private mutating func reclassify(_ summary: DownloadSummary) -> [DownloadScheduler.Action] {
        guard let row = rows[summary.id], row.summary != summary else { return [] }
        rows[summary.id]?.summary = summary
        if summary.downloadClass == .foreground, row.isInLine { rows[summary.id]?.place = .waiting }
        guard row.isUnderWay else { return [] }
        if !mayRun(summary) { return stops() }
        if row.summary.downloadClass == summary.downloadClass { return [] }
        return [.reclassify(summary.id, summary.downloadClass)]
    }

    private mutating func end(_ id: Int64, failing retryAt: Duration?) {
        guard let row = rows[id], row.holdsSlot else { return }
        guard let retryAt, row.place != .stopping(.cancelled) else {
            rows[id] = nil
            return
        }
        let isDue = now.map { retryAt <= $0 } ?? false
        rows[id]?.place = isDue ? .waiting : .resting(retryAt)
        if row.place == .stopping(.paused) { rows[id]?.place = .paused }
    }

    private mutating func stopped(_ id: Int64) {
        guard let row = rows[id], row.holdsSlot else { return }
        switch row.place {
        case .stopping(.cancelled): rows[id] = nil
        case .stopping(.paused): rows[id]?.place = .paused
        default: rows[id]?.place = .waiting
        }
    }

    private mutating func drop(
        _ id: Int64, _ sequel: DownloadScheduler.Sequel
    ) -> [DownloadScheduler.Action] {
        guard let row = rows[id] else { return [] }
        if !row.holdsSlot {
            rows[id]?.place = .paused
            if sequel == .cancelled { rows[id] = nil }
            return []
        }
        if row.place != .stopping(.cancelled) { rows[id]?.place = .stopping(sequel) }
        return row.isUnderWay ? [.stop(id)] : []
    }

    private mutating func reach(_ time: Duration) {
        now = max(time, now ?? time)
        for (id, row) in rows {
            if case .resting(let until) = row.place, until <= time { rows[id]?.place = .waiting }
        }
    }

    private mutating func stops() -> [DownloadScheduler.Action] {
        let ids = rows.values.filter { $0.isUnderWay && !mayRun($0.summary) }.map(\.summary.id)
        for id in ids { rows[id]?.place = .stopping(.kept) }
        return ids.sorted().map { .stop($0) }
    }
}
