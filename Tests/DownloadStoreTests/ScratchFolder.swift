import DownloadScheduler
import DownloadStore
import Foundation

/// A folder of one test, removed with everything in it when the test lets go of it.
final class ScratchFolder {
    let path: String

    init() throws {
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("bahost store \(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        path = place.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var databasePath: String { file("downloads.sqlite") }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: file(name)))
    }

    func write(_ name: String, _ bytes: Data) throws {
        try bytes.write(to: URL(fileURLWithPath: file(name)))
    }

    /// Opens a store here for the time of `body`.
    func withStore<Result>(_ body: (DownloadStore) throws -> Result) throws -> Result {
        try body(DownloadStore(folder: path))
    }

    /// Opens the database here without the store, for the time of `body`.
    func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try body(Database(path: databasePath, patience: .seconds(5)))
    }
}

extension ScratchFolder {
    /// The steps by which the database here would answer `sql`, an `EXPLAIN QUERY PLAN`.
    func plan(_ sql: StaticString) throws -> [String] {
        var steps: [String] = []
        try withDatabase { database in
            try database.each(sql) { (row) throws(DownloadStoreError) in
                steps.append(row.text(3) ?? "")
            }
        }
        return steps
    }
}

/// The error that `body` throws, or nil.
func storeError(_ body: () throws -> Void) -> DownloadStoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DownloadStoreError
    }
}

/// Sets this process's soft limit on the size of a file it writes.
func limitFileSize(_ bytes: UInt) -> Bool {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
        return false
    }
    limit.rlim_cur = bytes
    return unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
}

extension DownloadRecord {
    /// A plain download of app `app`.
    static func sample(_ identifier: String, app: String = "app") -> DownloadRecord {
        DownloadRecord(
            app: app, identifier: identifier, uniqueIdentifier: UUID().uuidString, kind: .url,
            url: "https://example.org/\(identifier)", group: "group.app")
    }

    /// A plain download of app `app` from `host`.
    static func sample(_ identifier: String, app: String = "app", host: String) -> DownloadRecord {
        var record = sample(identifier, app: app)
        record.host = host
        return record
    }

    /// A download with every field set.
    static func full(_ identifier: String) -> DownloadRecord {
        var record = sample(identifier)
        record.kind = .manifest
        record.mirrors = ["https://one.example/x", "https://two.example/x"]
        record.headers = [
            .init(name: "Accept", value: "text/plain: yes\tno"), .init(name: "X-Empty", value: ""),
        ]
        record.sizeBytes = UInt64(Int64.max)
        record.sha256 = (0..<32).map { UInt8($0) }
        record.isEssential = true
        record.allowsMetered = true
        record.priority = .min
        record.state = .downloading
        record.receivedBytes = 5
        record.totalBytes = 6
        record.validator = TransferValidator(kind: .lastModified, text: "Tue, 1", total: 6)
        record.finishedPath = "Downloads/ä b"
        record.resultSha256 = [UInt8](repeating: 255, count: 32)
        record.error = DownloadFailure(
            domain: .http, code: -404, httpStatus: 404, message: "no'; DROP TABLE downloads; --\n")
        record.isDelivered = true
        record.attempts = 3
        record.host = "example.org:443"
        record.isForeground = true
        record.retries = 2
        return record
    }
}

extension FinishedDownload {
    /// A file published for row `rowID`.
    static func sample(
        _ rowID: Int64, path: String? = nil, receivedBytes: UInt64 = 1,
        sha256: [UInt8] = [UInt8](repeating: 9, count: 32), published: PublishedPlace? = nil
    ) -> FinishedDownload {
        FinishedDownload(
            rowID: rowID, path: path ?? "Downloads/\(rowID)", receivedBytes: receivedBytes,
            sha256: sha256, published: published)
    }
}
