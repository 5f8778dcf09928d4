import DownloadScheduler
import TestSupport

/// A scheduler, its reference, and the checks that hold whatever the reference thinks.
struct RandomRun {
    private(set) var scheduler: DownloadScheduler
    private(set) var reference: ReferenceScheduler
    var random: SeededGenerator
    var clock = Duration.zero
    var lastID: Int64 = 0

    /// Asked by the scheduler, not answered yet.
    private(set) var questions: [DownloadScheduler.Action] = []

    /// Whether a rest may have been lost: a window can overflow with rests when transfers change
    /// their class.
    private var hasReclassified = false

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let caps = TransferCaps(
            perHost: .random(in: 1...4, using: &random), total: .random(in: 1...8, using: &random))
        let width = [2, 3, 4, 8, 16, 64].randomElement(using: &random) ?? 2
        scheduler = DownloadScheduler(caps: caps, limits: WindowLimits(main: width))
        reference = ReferenceScheduler(caps: caps)
    }

    /// Applies `event` to both; says what is wrong, if anything.
    mutating func apply(_ event: DownloadScheduler.Event) -> String? {
        if case .reclassified = event { hasReclassified = true }
        if let fault = meetRefill(event) { return fault }
        let changes = reference.take(in: event)
        let actions = scheduler.handle(event)
        let asked = actions.filter(\.isQuestion)
        for question in asked {
            if let fault = fault(in: question) { return fault }
            questions.append(question)
        }
        let expected =
            changes + reference.startWhatFits { [scheduler] in scheduler.phase(of: $0) != nil }
        guard actions == expected + asked else { return "did \(actions), not \(expected)" }
        return faultInCounts() ?? faultInPhases() ?? (questions.isEmpty ? idleSlot() : nil)
    }

    /// Answers everything that was asked, the way a store does.
    mutating func answerAll() -> String? {
        for _ in 0..<10_000 {
            if questions.isEmpty { return nil }
            if let fault = answerOne() { return fault }
        }
        return "asks without end"
    }

    mutating func answerOne() -> String? {
        guard !questions.isEmpty else { return nil }
        switch questions.removeFirst() {
        case .refill(let key, let end, let limit):
            let rows = inLine(key).filter { row in end.map { row.position > $0 } ?? true }
            return apply(
                .refilled(key, Array(rows.prefix(limit)), isComplete: rows.count < limit))
        case .refillOtherHosts(let key, let excluded, let isMetered, let limit):
            let rows = inLine(key).filter {
                !excluded.contains($0.host) && ($0.allowsMetered || !isMetered)
            }
            return apply(.refilledOtherHosts(key, Array(rows.prefix(limit))))
        default: return "not a question"
        }
    }

    /// Rows that the store has and nobody has told the scheduler of.
    mutating func store(_ summary: DownloadSummary) { _ = reference.take(in: .admitted(summary)) }

    static let apps = ["app0", "app1", "app2"]
    static let keys = apps.flatMap { app in
        DownloadClass.allCases.map { WindowKey(app: app, downloadClass: $0) }
    }

    private func inLine(_ key: WindowKey) -> [DownloadSummary] {
        reference.rows.values.filter { $0.isInLine && WindowKey($0.summary) == key }
            .map(\.summary).sorted()
    }

    // MARK: - What must hold

    /// A row that comes anew from the store has lost its rest.
    private mutating func meetRefill(_ event: DownloadScheduler.Event) -> String? {
        let rows: [DownloadSummary]
        switch event {
        case .refilled(_, let answer, _), .refilledOtherHosts(_, let answer): rows = answer
        default: return nil
        }
        for row in rows where scheduler.phase(of: row.id) == nil {
            guard reference.rows[row.id]?.place != .waiting else { continue }
            guard hasReclassified else { return "forgot that \(row.id) rests" }
            reference.rows[row.id]?.place = .waiting
        }
        return nil
    }

    private func fault(in question: DownloadScheduler.Action) -> String? {
        switch question {
        case .refill(let key, let end, let limit):
            guard (1...scheduler.limits.main).contains(limit) else { return "asks for \(limit)" }
            guard !questions.contains(where: { $0.questionKey == key }) else { return "asks twice" }
            let unknown = inLine(key).first { row in
                end.map { row.position <= $0 } == true && scheduler.phase(of: row.id) == nil
            }
            return unknown.map { "has lost \($0)" }
        case .refillOtherHosts(let key, let excluded, _, let limit):
            let bound = scheduler.limits.others * 2 + scheduler.limits.main
            guard (1...bound).contains(limit) else { return "asks for \(limit)" }
            guard excluded.count <= 16 else { return "leaves out \(excluded.count) hosts" }
            return questions.contains { $0.questionKey == key } ? "asks twice" : nil
        default: return "not a question"
        }
    }

    private func faultInCounts() -> String? {
        let pools = [DownloadClass.foreground, .background].map { reference.slots(of: $0) }
        guard scheduler.slotsInUse == pools.map(\.count).reduce(0, +) else {
            return "miscounted slots"
        }
        for pool in pools {
            guard pool.count <= scheduler.caps.total else { return "past the total cap" }
            let hosts = Dictionary(grouping: pool, by: \.host)
            guard hosts.values.allSatisfy({ $0.count <= scheduler.caps.perHost }) else {
                return "past the cap of a host"
            }
        }
        let slots = scheduler.slotsInUse
        for key in Self.keys {
            let load = scheduler.load(of: key)
            let limits = scheduler.limits
            guard load.main <= limits.main + slots, load.others <= limits.others + slots else {
                return "knows \(load) of \(key)"
            }
        }
        return nil
    }

    /// The scheduler knows of each row what the reference does, or nothing.
    private func faultInPhases() -> String? {
        var known = 0
        var wakes: [Duration] = []
        for (id, row) in reference.rows {
            guard let phase = scheduler.phase(of: id) else {
                if row.holdsSlot { return "forgot \(id), which has a slot" }
                continue
            }
            known += 1
            switch (phase, row.place) {
            case (.waiting, .waiting), (.starting, .starting), (.running, .running): break
            case (.resting(let left), .resting(let right)) where left == right: wakes.append(left)
            case (.stopping(then: let left), .stopping(let right)) where left == right: break
            default: return "has \(id) as \(phase), not \(row.place)"
            }
        }
        guard known == scheduler.count else { return "knows \(scheduler.count), not \(known)" }
        return scheduler.nextWake == wakes.min() ? nil : "wakes at the wrong time"
    }

    /// No slot is empty while something could have it: of a host that is not held up by rests, with
    /// room to look past those that are.
    private func idleSlot() -> String? {
        let unknown = reference.waiting.filter { scheduler.phase(of: $0.id) == nil }
        if unknown.isEmpty { return nil }
        for downloadClass in DownloadClass.allCases {
            let slots = reference.slots(of: downloadClass)
            guard slots.count < scheduler.caps.total else { continue }
            for summary in reference.startable(of: downloadClass, unknown, slots) {
                let key = WindowKey(summary)
                if scheduler.load(of: key).others >= scheduler.limits.others { continue }
                if restCount(key, summary.host) >= scheduler.caps.perHost { continue }
                return "leaves \(summary) behind"
            }
        }
        return nil
    }

    private func restCount(_ key: WindowKey, _ host: String) -> Int {
        reference.rows.values.count { row in
            guard case .resting = scheduler.phase(of: row.summary.id) else { return false }
            return WindowKey(row.summary) == key && row.summary.host == host
        }
    }
}

extension DownloadScheduler.Action {
    var isQuestion: Bool { questionKey != nil }

    var questionKey: WindowKey? {
        switch self {
        case .refill(let key, _, _), .refillOtherHosts(let key, _, _, _): key
        case .start, .stop, .reclassify: nil
        }
    }
}
