/// What becomes of one download.
extension DownloadScheduler {
    mutating func admit(_ summary: DownloadSummary) {
        if let entry = entries[summary.id] {
            // Paused and resumed before its transfer has stopped.
            guard entry.phase == .stopping(then: .paused) else { return }
            return change(summary.id, to: .stopping(then: .kept))
        }
        let key = WindowKey(summary)
        if window(key).covers(summary.position) {
            insert(Entry(summary: summary, phase: .waiting))
            settle(key)
        } else {
            windows[key.downloadClass.index][key.app]?.leave(summary)
        }
    }

    mutating func reclassify(_ summary: DownloadSummary) -> [Action] {
        guard var entry = entries[summary.id] else {
            admit(summary)
            return []
        }
        let old = entry.summary
        guard old != summary else { return [] }
        // The slot goes along.
        entries[summary.id]?.slot = nil
        remove(summary.id)
        settle(WindowKey(old))
        entry.summary = summary
        if entry.phase == .waiting || summary.downloadClass == .foreground && !entry.phase.holdsSlot
        {
            admit(summary)
        } else {
            entry.isOther = !entry.phase.holdsSlot && !window(entry.key).covers(summary.position)
            insert(entry)
            settle(entry.key)
        }
        guard entry.phase.isUnderWay else { return [] }
        guard mayRun(summary) else {
            change(summary.id, to: .stopping(then: .kept))
            return [.stop(summary.id)]
        }
        guard old.downloadClass != summary.downloadClass else { return [] }
        return [.reclassify(summary.id, summary.downloadClass)]
    }

    mutating func begin(_ id: Int64) {
        if entries[id]?.phase == .starting { change(id, to: .running) }
    }

    mutating func end(_ id: Int64, retryAt: Duration?) {
        guard let entry = entries[id], entry.phase.holdsSlot else { return }
        guard let retryAt, entry.phase.isKept else { return forget(id) }
        let isDue = now.map { retryAt <= $0 } ?? false
        change(id, to: isDue ? .waiting : .resting(until: retryAt))
        settle(entry.key)
    }

    mutating func stopped(_ id: Int64) {
        guard let entry = entries[id], entry.phase.holdsSlot else { return }
        guard entry.phase.isKept else { return forget(id) }
        change(id, to: .waiting)
        settle(entry.key)
    }

    /// The caller wants it no more, or not now.
    mutating func drop(_ id: Int64, then sequel: Sequel) -> [Action] {
        guard let phase = entries[id]?.phase else { return [] }
        switch phase {
        case .waiting, .resting: forget(id)
        case .starting, .running:
            change(id, to: .stopping(then: sequel))
            return [.stop(id)]
        case .stopping(then: .cancelled): break
        case .stopping: change(id, to: .stopping(then: sequel))
        }
        return []
    }

    mutating func reach(_ time: Duration) {
        now = max(time, now ?? time)
        while let rest = rests.first, rest.time <= time { change(rest.id, to: .waiting) }
    }

    /// Stops what is under way and may not be; it is kept.
    mutating func stopWhatMayNotRun() -> [Action] {
        let forbidden = entries.values.filter { $0.phase.isUnderWay && !mayRun($0.summary) }
        let ids = forbidden.map(\.summary.id).sorted()
        for id in ids { change(id, to: .stopping(then: .kept)) }
        return ids.map { .stop($0) }
    }

    func mayRun(_ summary: DownloadSummary) -> Bool {
        !isStopping && !pausedApps.contains(summary.app) && conditions.allows(summary)
    }

    private mutating func forget(_ id: Int64) {
        guard let key = entries[id]?.key else { return }
        remove(id)
        settle(key)
    }
}
