import DownloadScheduler
import DownloadStore
import Foundation
import Testing

/// A million rows over 20 apps and 50 hosts, a minute of work: only when `BAHOST_LARGE` is set.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["BAHOST_LARGE"] != nil))
struct LargeStoreTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
    }

    private func fill(_ rows: Int64) throws {
        try scratch.withStore { _ in }
        try scratch.withDatabase { database in
            _ = try database.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO downloads SELECT i, 'app ' || (i % 20), 'item ' || i,
                    '123E4567-E89B-12D3-A456-426614174000', 'url',
                    'https://host' || (i % 50) || '.example.org/content/files/item-' || i,
                    '', '', 1048576, randomblob(32), i % 3 = 0, 0, (i * 7919) % 5, 'group.app',
                    'waiting', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                    i, 0, 0, 'host' || (i % 50) || '.example.org:443', 2 - (i % 3 = 0), 0 FROM n
                """, [.integer(rows)])
        }
    }

    /// The median of 101 runs.
    private func median(_ body: () throws -> Void) throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<101 { try times.append(ContinuousClock().measure(body)) }
        return times.sorted()[50]
    }

    @Test func startAndWindowsCostTheSameWithAMillionRows() throws {
        for rows: Int64 in [10_000, 1_000_000] {
            try fill(rows)
            let start = try ContinuousClock().measure { try scratch.withStore { _ in } }
            try scratch.withStore { (store) throws in
                var last: DownloadPosition?
                let pages = try median {
                    let page = try store.window(
                        app: "app 7", downloadClass: .background, after: last, limit: 64)
                    last = page.last?.position
                }
                let hosts = try median {
                    _ = try store.windowOfOtherHosts(
                        app: "app 7", downloadClass: .background, excluding: [], limit: 64)
                }
                let keys = try median { _ = try store.windowKeys() }
                let requeue = try ContinuousClock().measure { try store.requeueInFlight() }
                print(
                    "\(rows) rows: start \(start), window \(pages), other hosts \(hosts), "
                        + "keys \(keys), requeue \(requeue)")
                #expect(pages < .milliseconds(5))
            }
            #expect(rows < 1_000_000 || start < .seconds(1))
            try FileManager.default.removeItem(atPath: scratch.databasePath)
        }
    }
}
