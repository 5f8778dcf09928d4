import DownloadScheduler

/// The events of a random run.
extension RandomRun {
    mutating func nextEvent() -> DownloadScheduler.Event {
        switch Int.random(in: 0..<48, using: &random) {
        case 0..<14: return .admitted(newSummary())
        case 14..<18: return .began(anyID())
        case 18..<25: return .finished(anyID())
        case 25..<29: return .failed(anyID(), retryAt: retryTime())
        case 29: return .failed(anyID(), retryAt: nil)
        case 30..<32: return .cancelled(anyID())
        case 32..<34: return .paused(anyID())
        case 34..<36: return resumption() ?? .began(anyID())
        case 36: return .stopped(anyID())
        case 37..<40: return reclassification() ?? .began(anyID())
        case 40: return .appPaused(anyApp())
        case 41..<43: return .appResumed(anyApp())
        case 43: return .conditionsChanged(anyConditions())
        case 44: return .conditionsChanged(SchedulingConditions())
        default:
            clock += .milliseconds(Int.random(in: 0..<2000, using: &random))
            return .reached(clock)
        }
    }

    mutating func newSummary() -> DownloadSummary {
        lastID += 1
        let classes: [DownloadClass] = [.foreground, .essential, .essential, .background]
        return DownloadSummary(
            id: lastID, app: anyApp(), host: "host\(Int.random(in: 0..<5, using: &random))",
            downloadClass: classes.randomElement(using: &random) ?? .background,
            position: DownloadPosition(
                priority: Int64.random(in: -1...1, using: &random), sequence: lastID),
            allowsMetered: .random(using: &random))
    }

    /// Lets everything go on and end; says what is wrong or left over.
    mutating func drain() -> String? {
        var events: [DownloadScheduler.Event] = [.conditionsChanged(SchedulingConditions())]
        events += reference.pausedApps.sorted().map { .appResumed($0) }
        events += paused.map { .admitted($0) }
        for event in events {
            if let fault = apply(event) ?? answerAll() { return fault }
        }
        for _ in 0..<10_000 {
            if reference.rows.isEmpty { break }
            let next: DownloadScheduler.Event
            if let id = busy.min() {
                next = reference.rows[id]?.isUnderWay == true ? .finished(id) : .stopped(id)
            } else if let wake = scheduler.nextWake {
                next = .reached(wake)
            } else {
                return "nothing runs, nothing rests, \(reference.rows.count) are left"
            }
            if let fault = apply(next) ?? answerAll() { return fault }
        }
        guard reference.rows.isEmpty else { return "lost \(reference.rows.keys.sorted())" }
        return scheduler.count == 0 ? nil : "keeps \(scheduler.count)"
    }

    var busy: [Int64] { reference.rows.values.filter(\.holdsSlot).map(\.summary.id) }

    private mutating func anyApp() -> String {
        Self.apps.randomElement(using: &random) ?? ""
    }

    private mutating func anyID() -> Int64 {
        if Int.random(in: 0..<3, using: &random) > 0,
            let id = busy.sorted().randomElement(using: &random)
        {
            return id
        }
        return Int64.random(in: 0...lastID + 1, using: &random)
    }

    private mutating func retryTime() -> Duration {
        clock + .milliseconds(Int.random(in: -500..<8000, using: &random))
    }

    /// The paused rows, ready to go on.
    private var paused: [DownloadSummary] {
        reference.rows.values.filter { $0.place == .paused || $0.place == .stopping(.paused) }
            .map(\.summary).sorted()
    }

    private mutating func resumption() -> DownloadScheduler.Event? {
        paused.randomElement(using: &random).map { .admitted($0) }
    }

    /// A row that is promoted or demoted.
    private mutating func reclassification() -> DownloadScheduler.Event? {
        let rows = reference.rows.values.filter { $0.place != .paused }
        guard let old = rows.map(\.summary).sorted().randomElement(using: &random) else {
            return nil
        }
        return .reclassified(
            DownloadSummary(
                id: old.id, app: old.app, host: old.host,
                downloadClass: DownloadClass.allCases.randomElement(using: &random) ?? .foreground,
                position: old.position, allowsMetered: old.allowsMetered))
    }

    private mutating func anyConditions() -> SchedulingConditions {
        var conditions = SchedulingConditions()
        conditions.isOnline = Int.random(in: 0..<4, using: &random) > 0
        conditions.isMetered = .random(using: &random)
        conditions.isPowerSaving = Int.random(in: 0..<4, using: &random) == 0
        conditions.isBackgroundRefreshOn = Int.random(in: 0..<4, using: &random) > 0
        if Bool.random(using: &random) { conditions.appsWithoutBackgroundRefresh = [anyApp()] }
        return conditions
    }
}
