import DownloadScheduler
import DownloadStore
import Testing

struct QueryTests {
    private let scratch: ScratchFolder
    private let store: DownloadStore

    init() throws {
        scratch = try ScratchFolder()
        store = try DownloadStore(folder: scratch.path)
    }

    private func admit(
        _ identifier: String, essential: Bool = false, priority: Int64 = 0
    ) throws -> Int64 {
        var record = DownloadRecord.sample(identifier)
        record.isEssential = essential
        record.priority = priority
        return try #require(try store.admit([record]).first).rowID
    }

    @Test func unfinishedOnesComeInTheOrderOfTheScheduler() throws {
        _ = try admit("old")
        _ = try admit("young")
        _ = try admit("urgent", priority: 1000)
        _ = try admit("essential", essential: true, priority: -1000)
        let gone = try admit("gone", essential: true)
        _ = try store.commit([.cancelled(gone)])
        _ = try store.admit([.sample("other", app: "other")])
        let records = try store.unfinished(app: "app")
        #expect(records.map(\.identifier) == ["essential", "urgent", "old", "young"])
        #expect(records.map(\.summary) == records.map(\.summary).sorted())
        #expect(try store.unfinished(app: "app", limit: 2).count == 2)
        #expect(try store.unfinished(app: "app", limit: -1) == [])
    }

    @Test func undeliveredOnesComeOldestFirst() throws {
        let rows = try ["a", "b", "c", "d"].map { try admit($0) }
        let failure = DownloadFailure(domain: .apple, code: 203, message: "allowance")
        _ = try store.commit([.failed(rows[2], failure)])
        _ = try store.commit(rows[0...1].map { .finished(.sample($0)) } + [.delivered(rows[0])])
        #expect(try store.undelivered(app: "app").map(\.identifier) == ["b", "c"])
        #expect(try store.undelivered(app: "app", limit: 1).map(\.identifier) == ["b"])
    }

    @Test func pagesOfCurrentOnesJoinWithoutGapOrOverlap() throws {
        let names = ["B", "a", "b", "ä", "aa"]
        for name in names { _ = try admit(name) }
        _ = try store.commit([.cancelled(admit("ab"))])
        var pages: [[String]] = []
        var last: String?
        repeat {
            let page = try store.current(app: "app", after: last, limit: 2).map(\.identifier)
            pages.append(page)
            last = page.last
        } while last != nil
        #expect(pages == [["B", "a"], ["aa", "b"], ["ä"], []])
    }

    @Test func whatIsInFlightKeepsItsPlaceInTheOrder() throws {
        let rows = try ["a", "b", "c", "d"].map { try admit($0) }
        _ = try store.commit([.state(rows[0], .downloading), .state(rows[2], .paused)])
        #expect(try store.unfinished(app: "app").map(\.identifier) == ["a", "b", "c", "d"])
        #expect(try store.unfinished(app: "app", limit: 3).map(\.rowID) == Array(rows[0...2]))
    }

    @Test(arguments: ["app", nil])
    func anUncleanStopIsRequeuedAndEndsForeground(app: String?) throws {
        let rows = try ["a", "b", "c", "d"].map { try admit($0, essential: $0 == "b") }
        let other = try #require(try store.admit([.sample("a", app: "other")]).first).rowID
        _ = try store.commit(
            [
                .state(rows[0], .downloading), .state(rows[1], .paused),
                .state(other, .downloading), .cancelled(rows[3]),
            ] + (rows[0...2] + [other]).map { .foreground($0, true) })
        #expect(try store.requeueInFlight(app: app) == (app == nil ? 2 : 1))
        #expect(try store.requeueInFlight(app: app) == 0)
        #expect(
            try store.counts(app: "app")
                == [.waiting: 1, .paused: 1, .created: 1, .cancelled: 1])
        #expect(
            try store.unfinished(app: "app").map(\.downloadClass)
                == [.essential, .background, .background])
        #expect(try store.record(rowID: other)?.isForeground == (app != nil))
    }

    @Test func theListsAreServedByTheirIndexes() throws {
        _ = try admit("a")
        #expect(
            try scratch.plan(
                """
                EXPLAIN QUERY PLAN SELECT * FROM downloads
                WHERE app = 'app' AND state IN ('created', 'waiting')
                ORDER BY downloadClass, priority DESC, sequence LIMIT 5
                """) == ["SEARCH downloads USING INDEX downloadsWaiting (app=?)"])
        #expect(
            try scratch.plan(
                """
                EXPLAIN QUERY PLAN SELECT * FROM downloads
                WHERE state = 'paused' AND app = 'app' AND state IN ('downloading', 'paused')
                ORDER BY downloadClass, priority DESC, sequence LIMIT 5
                """) == ["SEARCH downloads USING INDEX downloadsActive (state=? AND app=?)"])
        #expect(
            try scratch.plan(
                """
                EXPLAIN QUERY PLAN SELECT * FROM downloads
                WHERE app = 'app' AND isDelivered = 0 AND state IN ('finished', 'failed')
                ORDER BY sequence LIMIT 5
                """) == ["SEARCH downloads USING INDEX downloadsUndelivered (app=?)"])
    }
}
