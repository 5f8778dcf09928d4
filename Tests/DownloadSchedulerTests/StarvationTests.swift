import DownloadScheduler
import Testing

/// Whole queues worked off against a store, with transfers that end one after the other.
struct StarvationTests {
    @Test func anAppOfAHundredThousandHoldsUpNobody() {
        let many = (1...100_000 as ClosedRange<Int64>).map {
            DownloadSummary.sample($0, app: "many", host: "host\($0 % 5)")
        }
        let few = (100_001...100_050 as ClosedRange<Int64>).map {
            DownloadSummary.sample($0, app: "few", host: "host\($0 % 5)")
        }
        var queue = WorkedQueue(rows: many + few)
        queue.work(steps: 150)
        #expect(few.allSatisfy { queue.ended.contains($0.id) })
        queue.work(steps: 10_000)
        #expect(queue.ended.count == 10_150)
        #expect(queue.greatestCount <= 2 * WorkedQueue.width)
    }

    @Test func aDeadHostHoldsUpNobodyButItself() {
        // Its rows come first, and are more than any window holds.
        let dead = (1...300 as ClosedRange<Int64>).map {
            DownloadSummary.sample($0, host: "dead", priority: 1)
        }
        let alive = (301...900 as ClosedRange<Int64>).map {
            DownloadSummary.sample($0, host: "host\($0 % 3)")
        }
        let other = (901...950 as ClosedRange<Int64>).map {
            DownloadSummary.sample($0, app: "b", host: "dead")
        }
        var queue = WorkedQueue(rows: dead + alive + other)
        queue.work(steps: .max)
        #expect(queue.ended.count == 950)
        #expect(queue.failed == Set(dead.map(\.id)).union(other.map(\.id)))
        // All that could be fetched was, long before the dead ones were given up.
        #expect(queue.lastFetched < .seconds(60))
        #expect(queue.greatestCount <= 2 * WorkedQueue.width * 3 / 2)
    }

    @Test func everyAppGetsItsShare() {
        let apps = 20
        let rows = (1...4000 as ClosedRange<Int64>).map {
            DownloadSummary.sample($0, app: "app\($0 * 20 / 4001)", host: "host\($0 % 7)")
        }
        var queue = WorkedQueue(rows: rows)
        queue.work(steps: 2000)
        let shares = Dictionary(grouping: rows.filter { queue.ended.contains($0.id) }, by: \.app)
        #expect(shares.count == apps)
        // The first to come had all 16 slots to itself once.
        let counts = shares.mapValues(\.count)
        #expect(counts.values.allSatisfy { (95...116).contains($0) }, "\(counts)")
    }
}

/// A scheduler at work: every transfer takes its turn to end, and the host "dead" never answers.
private struct WorkedQueue {
    static let width = 64

    private var scheduler = DownloadScheduler(limits: WindowLimits(main: width))
    private var store: StoreModel
    private var actions: [DownloadScheduler.Action] = []
    private var running: [DownloadSummary] = []
    private var next = 0
    private var clock = Duration.zero
    private var retries: [Int64: Int] = [:]
    private let byID: [Int64: DownloadSummary]
    private(set) var ended: Set<Int64> = []
    private(set) var failed: Set<Int64> = []
    private(set) var lastFetched = Duration.zero
    private(set) var greatestCount = 0

    init(rows: [DownloadSummary]) {
        store = StoreModel(rows: rows)
        byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        for key in store.keys { tell(.windowOpened(key)) }
    }

    /// Lets that many transfers end, or all.
    mutating func work(steps: Int) {
        var left = steps
        while left > 0 {
            if next < running.count {
                left -= 1
                end(running[next])
                next += 1
            } else if let wake = scheduler.nextWake {
                clock = max(clock, wake)
                tell(.reached(clock))
            } else {
                return
            }
        }
    }

    private mutating func end(_ summary: DownloadSummary) {
        clock += .milliseconds(10)
        guard summary.host == "dead" else {
            ended.insert(summary.id)
            lastFetched = clock
            return tell(.finished(summary.id))
        }
        let attempt = retries[summary.id, default: 0]
        retries[summary.id] = attempt + 1
        let wait = RetryPolicy().delay(for: summary.downloadClass, attempt: attempt, random: 0.5)
        if wait == nil {
            ended.insert(summary.id)
            failed.insert(summary.id)
        } else {
            store.putBack(summary.id)
        }
        tell(.failed(summary.id, retryAt: wait.map { clock + $0 }))
        tell(.reached(clock))
    }

    private mutating func tell(_ event: DownloadScheduler.Event) {
        actions += scheduler.handle(event)
        greatestCount = max(greatestCount, scheduler.count)
        while let action = actions.popLast() {
            if case .start(let id) = action {
                #expect(!ended.contains(id))
                store.remove(id)
                if let summary = byID[id] { running.append(summary) }
            } else if let answer = store.answer(to: action) {
                actions += scheduler.handle(answer)
                greatestCount = max(greatestCount, scheduler.count)
            }
        }
    }
}
