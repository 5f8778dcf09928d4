/// Who gets the free slots.
extension DownloadScheduler {
    func pool(_ downloadClass: DownloadClass) -> SlotPool {
        downloadClass == .foreground ? foregroundPool : sharedPool
    }

    mutating func startWhatFits() -> [Action] {
        guard !isStopping else { return [] }
        var actions: [Action] = []
        for downloadClass in DownloadClass.allCases {
            while let next = firstInOrder(of: downloadClass) {
                start(next)
                actions.append(.start(next.id))
            }
        }
        return actions
    }

    /// What starts next: of the app with the fewest slots, then served longest ago, then first by
    /// name, the first download that may run and whose host has a slot left.
    ///
    /// Costs one look per app while no host is at its cap.
    private func firstInOrder(of downloadClass: DownloadClass) -> DownloadSummary? {
        let pool = pool(downloadClass)
        guard !pool.isFull else { return nil }
        var first: (rank: (Int, UInt64, String), summary: DownloadSummary)?
        for (app, window) in windows[downloadClass.index] where !pausedApps.contains(app) {
            let rank = (pool.slots(of: app), service.moment(of: app), app)
            if let first, first.rank < rank { continue }
            let found = window.first {
                !pool.fullHosts.contains($0.host) && conditions.allows($0)
            }
            if let found { first = (rank, found) }
        }
        return first?.summary
    }

    private mutating func start(_ summary: DownloadSummary) {
        change(summary.id, to: .starting)
        let isForeground = summary.downloadClass == .foreground
        if isForeground {
            foregroundPool.take(host: summary.host, app: summary.app)
        } else {
            sharedPool.take(host: summary.host, app: summary.app)
        }
        entries[summary.id]?.slot = Slot(
            isForeground: isForeground, host: summary.host, app: summary.app)
        service.serve(summary.app)
    }
}
