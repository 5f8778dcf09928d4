internal import DownloadScheduler
internal import DownloadStore
internal import LinuxSystem

/// A store and its scheduler, with transfers that finish when they are told to.
struct QueueRun {
    private let store: DownloadStore
    private var scheduler = DownloadScheduler()

    /// Oldest first.
    private var running: [Int64] = []

    /// Not in the store yet; a query must not see these rows as waiting.
    private var unstored: [StoreChange] = []

    /// What writing to the store has taken.
    private var writing = Duration.zero
    private static let mostUnstored = 256

    /// Opens the store and every window, and starts what may start.
    init(_ folder: String) throws(DownloadStoreError) {
        store = try DownloadStore(folder: folder)
        try store.requeueInFlight()
        for key in try store.windowKeys() {
            try tell(.windowOpened(WindowKey(app: key.app, downloadClass: key.downloadClass)))
        }
    }

    /// Finishes the oldest transfer; the time until the next one is told to start, without that of
    /// writing to the store.
    ///
    /// - Returns: nil when nothing is left.
    mutating func pick() throws(DownloadStoreError) -> Duration? {
        guard !running.isEmpty else { return nil }
        if unstored.count >= Self.mostUnstored { try write() }
        let ended = running.removeFirst()
        let before = (running: running.count, writing: writing)
        let file = FinishedDownload(
            rowID: ended, path: "Downloads/\(ended)", receivedBytes: 1,
            sha256: [UInt8](repeating: 0, count: 32))
        let begun = BootClock.now()
        unstored.append(.finished(file))
        try tell(.finished(ended))
        let time = BootClock.now() - begun - (writing - before.writing)
        return running.count > before.running ? time : nil
    }

    /// Leaves the store as a host does that was told to stop.
    mutating func end() throws(DownloadStoreError) {
        unstored += running.map { .state($0, .waiting) }
        running = []
        try write()
    }

    private mutating func write() throws(DownloadStoreError) {
        let begun = BootClock.now()
        _ = try store.commit(unstored)
        unstored.removeAll(keepingCapacity: true)
        writing = writing + (BootClock.now() - begun)
    }

    private mutating func tell(_ event: DownloadScheduler.Event) throws(DownloadStoreError) {
        var actions = scheduler.handle(event)
        var next = 0
        while next < actions.count {
            switch actions[next] {
            case .start(let row):
                running.append(row)
                actions += scheduler.handle(.began(row))
            case .refill(let key, let position, let limit):
                try write()
                let rows = try store.window(
                    app: key.app, downloadClass: key.downloadClass, after: position, limit: limit)
                actions += scheduler.handle(
                    .refilled(key, rows, isComplete: rows.count < limit))
            case .refillOtherHosts(let key, let hosts, let mustAllowMetered, let limit):
                try write()
                let rows = try store.windowOfOtherHosts(
                    app: key.app, downloadClass: key.downloadClass, excluding: hosts, limit: limit)
                actions += scheduler.handle(
                    .refilledOtherHosts(
                        key, rows.filter { $0.allowsMetered || !mustAllowMetered }))
            case .stop, .reclassify: break
            }
            next += 1
        }
    }
}
