import DownloadScheduler
import DownloadStore
import Testing

struct QueryTests {
    private let scratch: ScratchFolder
    private let store: DownloadStore
    private let digest = [UInt8](repeating: 9, count: 32)

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
        try store.cancel(rowID: gone)
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
        try store.markFailed(rowID: rows[2], failure: failure)
        for row in rows[0...1] {
            try store.markFinished(rowID: row, path: "d/\(row)", receivedBytes: 1, sha256: digest)
        }
        try store.markDelivered(rowID: rows[0])
        #expect(try store.undelivered(app: "app").map(\.identifier) == ["b", "c"])
        #expect(try store.undelivered(app: "app", limit: 1).map(\.identifier) == ["b"])
    }

    @Test func pagesOfCurrentOnesJoinWithoutGapOrOverlap() throws {
        let names = ["B", "a", "b", "ä", "aa"]
        for name in names { _ = try admit(name) }
        try store.cancel(rowID: admit("ab"))
        var pages: [[String]] = []
        var last: String?
        repeat {
            let page = try store.current(app: "app", after: last, limit: 2).map(\.identifier)
            pages.append(page)
            last = page.last
        } while last != nil
        #expect(pages == [["B", "a"], ["aa", "b"], ["ä"], []])
    }

    @Test func anUncleanStopIsRequeued() throws {
        let rows = try ["a", "b", "c"].map { try admit($0) }
        try store.update(rowID: rows[0], state: .downloading)
        try store.update(rowID: rows[1], state: .paused)
        #expect(try store.requeueInFlight(app: "app") == 1)
        #expect(try store.requeueInFlight(app: "app") == 0)
        #expect(try store.counts(app: "app") == [.waiting: 1, .paused: 1, .created: 1])
    }

    @Test func theListsAreServedByTheirIndexes() throws {
        _ = try admit("a")
        #expect(
            try plan(
                """
                EXPLAIN QUERY PLAN SELECT * FROM downloads
                WHERE app = 'app' AND state IN ('created', 'waiting', 'downloading', 'paused')
                ORDER BY isEssential DESC, priority DESC, sequence LIMIT 5
                """) == ["SEARCH downloads USING INDEX downloadsInOrder (app=?)"])
        #expect(
            try plan(
                """
                EXPLAIN QUERY PLAN SELECT * FROM downloads
                WHERE app = 'app' AND isDelivered = 0 AND state IN ('finished', 'failed')
                ORDER BY sequence LIMIT 5
                """) == ["SEARCH downloads USING INDEX downloadsUndelivered (app=?)"])
    }

    private func plan(_ sql: StaticString) throws -> [String] {
        var steps: [String] = []
        try scratch.withDatabase { database in
            try database.each(sql) { (row) throws(DownloadStoreError) in
                steps.append(row.text(3) ?? "")
            }
        }
        return steps
    }
}
