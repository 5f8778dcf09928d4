import DownloadScheduler
import DownloadStore
import TestSupport
import Testing

struct WindowTests {
    private let scratch: ScratchFolder
    private let store: DownloadStore

    init() throws {
        scratch = try ScratchFolder()
        store = try DownloadStore(folder: scratch.path)
    }

    @Test func pagesOfAWindowJoinInTheOrderOfTheScheduler() throws {
        let seed = UInt64.random(in: 0...(.max))
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let priorities: [Int64] = [.min, -1, 0, 0, 0, 1, .max]
        let records = (0..<100).map { number in
            var record = DownloadRecord.sample("item \(number)", host: "h:1")
            record.priority = priorities.randomElement(using: &generator) ?? 0
            record.isEssential = Bool.random(using: &generator)
            record.isForeground = Int.random(in: 0..<4, using: &generator) == 0
            record.allowsMetered = Bool.random(using: &generator)
            return record
        }
        let all = try store.admit(records).map(\.summary).sorted()
        for downloadClass in DownloadClass.allCases {
            var pages: [DownloadSummary] = []
            while true {
                let page = try store.window(
                    app: "app", downloadClass: downloadClass, after: pages.last?.position, limit: 7)
                pages += page
                guard page.count == 7 else { break }
            }
            #expect(pages == all.filter { $0.downloadClass == downloadClass })
        }
    }

    @Test func onlyWhatMayStartIsInAWindow() throws {
        let rows = try store.admit((0..<5).map { .sample("\($0)", host: "h:1") }).map(\.rowID)
        _ = try store.commit([
            .state(rows[0], .downloading), .state(rows[1], .paused), .cancelled(rows[2]),
            .state(rows[3], .waiting),
        ])
        let window = try store.window(
            app: "app", downloadClass: .background, after: nil, limit: 9)
        #expect(window.map(\.id) == Array(rows[3...4]))
        for (app, limit) in [("x", 9), ("app", 0), ("app", -1)] {
            let empty = try store.window(
                app: app, downloadClass: .background, after: nil, limit: limit)
            #expect(empty == [])
        }
    }

    @Test func otherHostsAreFoundBehindALongQueueOfOne() throws {
        let busy = (0..<500).map { DownloadRecord.sample("busy \($0)", host: "busy:443") }
        let others = (0..<10).map { DownloadRecord.sample("o \($0)", host: "o\($0 % 2):443") }
        let admitted = try store.admit(busy + others)
        let found = try store.windowOfOtherHosts(
            app: "app", downloadClass: .background, excluding: ["busy:443", "gone:1"], limit: 99)
        // Four of each of two hosts, in the order they start.
        #expect(found == admitted[500..<508].map(\.summary))
        let fewer = try store.windowOfOtherHosts(
            app: "app", downloadClass: .background, excluding: ["busy:443", "o0:443"], limit: 3)
        #expect(fewer == [501, 503, 505].map { admitted[$0].summary })
        #expect(
            try store.windowOfOtherHosts(
                app: "app", downloadClass: .background,
                excluding: ["busy:443", "o0:443", "o1:443"], limit: 3) == [])
        #expect(
            try store.windowOfOtherHosts(
                app: "app", downloadClass: .essential, excluding: [], limit: 3) == [])
    }

    @Test(arguments: [(64, 64), (65, 64)])
    func noMoreHostsAreLookedIntoThanTheLimit(hosts: Int, found: Int) throws {
        _ = try store.admit((0..<hosts).map { .sample("\($0)", host: "\(1000 + $0):1") })
        let window = try store.windowOfOtherHosts(
            app: "app", downloadClass: .background, excluding: ["1"], limit: 1000)
        #expect(window.count == found)
    }

    @Test func aHostThatIsNotKnownIsAHostToo() throws {
        _ = try store.admit([.sample("a"), .sample("b", host: "b:1")])
        let found = try store.windowOfOtherHosts(
            app: "app", downloadClass: .background, excluding: ["b:1"], limit: 9)
        #expect(found.map(\.host) == [""])
    }

    @Test func keysNameEveryAppAndClassWithWorkOnce() throws {
        #expect(try store.windowKeys().isEmpty)
        var essential = DownloadRecord.sample("e", app: "b")
        essential.isEssential = true
        let plain = ["a", "b", "ä", "c"].flatMap { app in
            (0..<20).map { DownloadRecord.sample("item \($0)", app: app) }
        }
        let admitted = try store.admit([essential] + plain)
        let gone = admitted.filter { $0.app == "c" }.map { StoreChange.cancelled($0.rowID) }
        #expect(try store.commit(gone) == [])
        let keys = try store.windowKeys()
        #expect(keys.map(\.app) == ["a", "b", "b", "ä"])
        #expect(
            keys.map(\.downloadClass) == [.background, .essential, .background, .background])
    }

    @Test func aSummaryThatCannotBeReadIsNotedAndLeftOut() throws {
        _ = try store.admit((0..<5).map { .sample("\($0)", host: "h:1") })
        try scratch.withDatabase { database in
            try database.run("UPDATE downloads SET host = char(7) WHERE rowID = 1")
            try database.run("UPDATE downloads SET allowsMetered = 2 WHERE rowID = 2")
            try database.run("UPDATE downloads SET downloadClass = 9 WHERE rowID = 3")
        }
        let window = try store.window(
            app: "app", downloadClass: .background, after: nil, limit: 2)
        #expect(window.map(\.id) == [4, 5])
        #expect(store.notes.contains { $0.hasSuffix("row 1, column host") })
        #expect(store.notes.contains { $0.hasSuffix("row 2, column allowsMetered") })
        #expect(try store.windowKeys().count == 1)
    }

    // MARK: - Cost

    private static let waiting = "SEARCH downloads USING COVERING INDEX downloadsWaiting "
    private static let byHost = "SEARCH downloads USING COVERING INDEX downloadsWaitingByHost "

    /// Each query of a window, and what SQLite is to make of it.
    private static let plans: [(StaticString, String)] = [
        (
            """
            EXPLAIN QUERY PLAN
            SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
            FROM downloads WHERE app = ?1 AND downloadClass = ?2
                AND state IN ('created', 'waiting') ORDER BY priority DESC, sequence
            """, waiting + "(app=? AND downloadClass=?)"
        ),
        (
            """
            EXPLAIN QUERY PLAN
            SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
            FROM downloads WHERE app = ?1 AND downloadClass = ?2
                AND priority = ?3 AND sequence > ?4
                AND state IN ('created', 'waiting') ORDER BY sequence
            """, waiting + "(app=? AND downloadClass=? AND priority=? AND sequence>?)"
        ),
        (
            """
            EXPLAIN QUERY PLAN
            SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
            FROM downloads WHERE app = ?1 AND downloadClass = ?2 AND priority < ?3
                AND state IN ('created', 'waiting') ORDER BY priority DESC, sequence
            """, waiting + "(app=? AND downloadClass=? AND priority<?)"
        ),
        (
            """
            EXPLAIN QUERY PLAN
            SELECT host FROM downloads WHERE app = ?1 AND downloadClass = ?2
                AND state IN ('created', 'waiting') ORDER BY host
            """, byHost + "(app=? AND downloadClass=?)"
        ),
        (
            """
            EXPLAIN QUERY PLAN
            SELECT host FROM downloads WHERE app = ?1 AND downloadClass = ?2 AND host > ?3
                AND state IN ('created', 'waiting') ORDER BY host
            """, byHost + "(app=? AND downloadClass=? AND host>?)"
        ),
        (
            """
            EXPLAIN QUERY PLAN
            SELECT rowID, app, host, downloadClass, priority, sequence, allowsMetered
            FROM downloads WHERE app = ?1 AND downloadClass = ?2 AND host = ?3
                AND state IN ('created', 'waiting') ORDER BY priority DESC, sequence
            """, byHost + "(app=? AND downloadClass=? AND host=?)"
        ),
        (
            """
            EXPLAIN QUERY PLAN
            SELECT app, downloadClass FROM downloads WHERE app = ?1 AND downloadClass > ?2
                AND state IN ('created', 'waiting') ORDER BY downloadClass
            """, byHost + "(app=? AND downloadClass>?)"
        ),
        (
            """
            EXPLAIN QUERY PLAN
            SELECT app, downloadClass FROM downloads WHERE app > ?1
                AND state IN ('created', 'waiting') ORDER BY app, downloadClass
            """, byHost + "(app>?)"
        ),
    ]

    @Test func everyWindowIsASearchInACoveringIndex() throws {
        for (sql, plan) in Self.plans { #expect(try scratch.plan(sql) == [plan]) }
    }

    @Test func requeueingLooksAtWhatIsInFlightOnly() throws {
        #expect(
            try scratch.plan(
                """
                EXPLAIN QUERY PLAN UPDATE downloads SET state = 'waiting'
                WHERE state = 'downloading' AND state IN ('downloading', 'paused')
                """) == ["SEARCH downloads USING INDEX downloadsActive (state=?)"])
        #expect(
            try scratch.plan(
                """
                EXPLAIN QUERY PLAN
                UPDATE downloads SET downloadClass = 2 - isEssential WHERE downloadClass = 0
                    AND state IN ('created', 'waiting', 'downloading', 'paused')
                """) == ["SCAN downloads USING INDEX downloadsForeground"])
    }
}
