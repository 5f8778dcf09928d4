internal import DownloadScheduler
internal import DownloadStore

/// Downloads as apps would ask for them.
enum QueueFilling {
    /// What one call admits: a plugin's request.
    private static let batch = 5_000

    /// From so many servers, so that caps do not leave the scheduler without work.
    private static let hosts = 10

    static func fill(_ folder: String, count: Int, apps: Int) throws(DownloadStoreError) {
        let store = try DownloadStore(folder: folder)
        var next = 0
        while next < count {
            let end = min(count, next + batch)
            _ = try store.admit((next..<end).map { record($0, app: $0 % apps) })
            next = end
        }
        let keys = Set(try store.windowKeys().map(\.app))
        QueueBench.print("filled \(count) of \(keys.count) apps")
    }

    private static func record(_ number: Int, app: Int) -> DownloadRecord {
        let host = "cdn-\(number % hosts).example.org"
        let digits = String(number, radix: 16)
        let padded = String(repeating: "0", count: 12 - digits.count) + digits
        var record = DownloadRecord(
            app: "org.example.app-\(app)", identifier: "levels/pack-\(number)",
            uniqueIdentifier: "00000000-0000-4000-8000-\(padded)", kind: .url,
            url: "https://\(host)/packs/2026/11/level-\(number).pack",
            group: "group.org.example.app-\(app)")
        record.host = "\(host):443"
        record.sizeBytes = UInt64(number % 4096) << 10 + 1
        record.sha256 = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)
        record.isEssential = number % 50 == 0
        record.priority = Int64(number % 7)
        record.state = .waiting
        return record
    }
}
