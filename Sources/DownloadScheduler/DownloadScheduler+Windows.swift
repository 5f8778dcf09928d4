/// What is known of the store, and what is asked of it.
extension DownloadScheduler {
    func window(_ key: WindowKey) -> Window {
        windows[key.downloadClass.index][key.app] ?? Window()
    }

    mutating func open(_ key: WindowKey) {
        changeWindow(key) {
            $0.reach = .upTo(nil)
            $0.exhausted = nil
        }
    }

    mutating func refill(_ key: WindowKey, _ rows: [DownloadSummary], _ isComplete: Bool) {
        guard case .more(let after)? = window(key).question else { return }
        changeWindow(key) { $0.question = nil }
        // What was crowded out since then lies between: it is asked for anew.
        guard window(key).reach == .upTo(after) else { return }
        for row in rows where entries[row.id] == nil && WindowKey(row) == key {
            insert(Entry(summary: row, phase: .waiting))
        }
        var end = isComplete ? nil : rows.last?.position
        // Rows from before the place asked for lead nowhere.
        if let reached = end, let after, reached <= after { end = nil }
        changeWindow(key) { $0.reach = end.map { .upTo($0) } ?? .everything }
        settle(key)
    }

    mutating func refillOtherHosts(_ key: WindowKey, _ rows: [DownloadSummary]) {
        guard case .otherHosts(let filter, let limit)? = window(key).question else { return }
        let fresh = rows.filter { entries[$0.id] == nil && WindowKey($0) == key }
        changeWindow(key) {
            $0.question = nil
            // What became known since it was asked can fill an answer.
            if fresh.isEmpty, rows.count < limit { $0.exhausted = filter }
        }
        let room = max(0, limits.others - window(key).others.load)
        for row in fresh.prefix(room) {
            insert(Entry(summary: row, phase: .waiting, isOther: true))
        }
        settle(key)
    }

    // MARK: - Asking

    /// What is to be asked now; of one window one thing at a time.
    mutating func questions() -> [Action] {
        guard !isStopping else { return [] }
        var actions: [Action] = []
        for downloadClass in DownloadClass.allCases {
            var asking: [(key: WindowKey, question: Window.Question)] = []
            let isFull = pool(downloadClass).isFull
            for (app, window) in windows[downloadClass.index] {
                let key = WindowKey(app: app, downloadClass: downloadClass)
                if let question = question(key, window, isFull: isFull) {
                    asking.append((key, question))
                }
            }
            for (key, question) in asking.sorted(by: { $0.key.app < $1.key.app }) {
                changeWindow(key) { $0.question = question }
                actions.append(action(key, question))
            }
        }
        return actions
    }

    /// What `window` lacks, if it can be of use now.
    ///
    /// Everything that fits has been started: unless the slots are full, nothing that is known can
    /// start.
    private func question(
        _ key: WindowKey, _ window: Window, isFull: Bool
    ) -> Window.Question? {
        guard case .upTo(let end) = window.reach, window.question == nil else { return nil }
        let isLow = window.main.load <= limits.lowWater
        guard isLow || !isFull && window.others.load < limits.others else { return nil }
        guard !pausedApps.contains(key.app), conditions.allows(key, allowingMetered: true) else {
            return nil
        }
        if isLow { return .more(after: end) }
        let filter = HostFilter(
            excluded: hostsHoldingUp(key, window),
            mustAllowMetered: !conditions.allows(key, allowingMetered: false))
        guard window.exhausted?.covers(filter) != true else { return nil }
        let room = limits.others - window.others.load
        return .otherHosts(filter, limit: room + knownCount(window, filter))
    }

    /// The hosts at their cap, and those of which as many downloads rest.
    private func hostsHoldingUp(_ key: WindowKey, _ window: Window) -> [String] {
        let full = pool(key.downloadClass).fullHosts
        let resting = window.main.resting.merging(window.others.resting, uniquingKeysWith: +)
            .filter { $0.value >= caps.perHost && !full.contains($0.key) }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return Array((full + resting.map(\.key)).prefix(WindowLimits.excludedHosts))
    }

    private func action(_ key: WindowKey, _ question: Window.Question) -> Action {
        switch question {
        case .more(let after):
            .refill(key, after: after, limit: limits.main - window(key).main.load)
        case .otherHosts(let filter, let limit):
            .refillOtherHosts(
                key, excluding: filter.excluded, mustAllowMetered: filter.mustAllowMetered,
                limit: limit)
        }
    }

    /// How many rows of the answer may be known already, and must not fill it.
    private func knownCount(_ window: Window, _ filter: HostFilter) -> Int {
        [window.main, window.others].map { shelf in
            let resting = shelf.resting.filter { !filter.excluded.contains($0.key) }
            return shelf.waiting.elements.count { filter.passes($0) }
                + resting.values.reduce(0, +)
        }.reduce(0, +)
    }

    // MARK: - Staying within bounds

    /// Brings the window back to its bounds, and drops one that shows nothing.
    mutating func settle(_ key: WindowKey) {
        for isOther in [false, true] {
            while let summary = overflow(key, isOther: isOther) {
                remove(summary.id)
                changeWindow(key) { $0.leave(summary) }
            }
        }
        if windows[key.downloadClass.index][key.app]?.isForgettable == true {
            windows[key.downloadClass.index][key.app] = nil
        }
    }

    /// The last in order of what waits, while too much is known; without any of these, what rests
    /// longest, if that alone is too much.
    private func overflow(_ key: WindowKey, isOther: Bool) -> DownloadSummary? {
        guard let window = windows[key.downloadClass.index][key.app] else { return nil }
        let shelf = window.shelf(isOther: isOther)
        let limit = isOther ? limits.others : limits.main
        guard shelf.load > limit else { return nil }
        if let last = shelf.waiting.last { return last }
        guard shelf.resting.values.reduce(0, +) > limit else { return nil }
        return rests.elements.lazy.reversed().compactMap { entries[$0.id] }
            .first { $0.key == key && $0.isOther == isOther }?.summary
    }

    private mutating func changeWindow(_ key: WindowKey, _ change: (inout Window) -> Void) {
        change(&windows[key.downloadClass.index][key.app, default: Window()])
    }
}
