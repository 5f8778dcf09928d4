import DownloadScheduler
import DownloadStore
import FaultServer
import Foundation
import HTTPClient
import HostEngine
import LinuxSystem
import Testing
import TestSupport
import TransferEngine
import URLPolicy

/// What outlives a host: the folders and the server.
final class QueueGround {
    let scratch: ScratchFolder
    let server: FaultServer

    init(_ routes: [String: FaultRoute] = [:]) throws {
        scratch = try ScratchFolder("queue")
        server = try FaultServer(routes: routes)
        for name in ["state", "files", "partials"] {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(name)", withIntermediateDirectories: false)
        }
    }

    func file(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(scratch.path)/files/\(name)").map { [UInt8]($0) }
    }

    /// Ranges asked for a path, in order; nil for a request without one.
    func ranges(_ path: String) -> [String?] {
        server.requests(for: path).map { $0.header("range") }
    }
}

/// A queue over a real store and real folders, and what it has told.
final class QueueFixture: DownloadQueueOwner {
    let ground: QueueGround
    let folder: ConfinedFolder
    let queue: DownloadQueue
    private(set) var told: [QueueNotice] = []

    /// Identifiers that this host does not let start.
    var heldBack: Set<String> = []

    /// Called with each notice, once it is in ``told``.
    var onNotice: (QueueNotice) -> Void = { _ in }

    init(
        _ ground: QueueGround, caps: TransferCaps = TransferCaps(),
        backgroundRate: ByteCount? = nil, patience: Duration = .seconds(5),
        maximumRetries: Int = 8, wallClock: @escaping () -> Int64 = BootClock.wallSeconds
    ) throws {
        self.ground = ground
        folder = try ConfinedFolder("\(ground.scratch.path)/files")
        var configuration = DownloadQueue.Configuration()
        configuration.caps = caps
        configuration.backgroundRate = backgroundRate
        configuration.retries.maximumRetries = maximumRetries
        configuration.transfers.stallTime = .seconds(20)
        queue = try DownloadQueue(
            store: DownloadStore(folder: "\(ground.scratch.path)/state", patience: patience),
            configuration: configuration, wallClock: wallClock)
        queue.setOwner(self)
        try queue.open(app: "app")
    }

    deinit {
        queue.close()
    }

    func record(
        _ path: String, size: Int? = nil, sha256: [UInt8]? = nil, priority: Int64 = 0,
        isForeground: Bool = false, url: String? = nil
    ) throws -> DownloadRecord {
        let address = try URLParser.parse(url ?? ground.server.url(path))
        var record = DownloadRecord(
            app: "app", identifier: String(path.dropFirst()),
            uniqueIdentifier: UUID().uuidString, kind: .url, url: address.text, group: "group.app")
        record.host = "\(address.host):\(address.port)"
        record.sizeBytes = size.map { UInt64($0) }
        record.sha256 = sha256
        record.priority = priority
        record.isForeground = isForeground
        record.state = .waiting
        return record
    }

    @discardableResult
    func admit(_ records: DownloadRecord...) throws -> [DownloadRecord] {
        try queue.admit(records)
    }

    /// Serves the queue until `isReached`; a minute is the bound for a test that is broken.
    func serve(until isReached: () -> Bool) throws {
        let end = BootClock.now() + .seconds(60)
        while !isReached() {
            let now = BootClock.now()
            try #require(now < end, "not reached; told: \(told.map(\.word).suffix(20))")
            var set = PollSet()
            set.add(queue.descriptor)
            let due = [queue.nextDeadline, end].compactMap { $0 }.min() ?? end
            try set.wait(timeout: max(.zero, due - now))
            queue.service()
        }
    }

    func serveUntilIdle() throws { try serve { queue.isIdle } }

    func state(_ row: Int64) throws -> DownloadState? { try queue.store.record(rowID: row)?.state }

    /// The rows of the files that the host may take back.
    var published: [PublishedFile] {
        get throws { try queue.store.publishedFiles(container: ground.scratch.path) }
    }

    var words: [String] { told.map(\.word) }

    // MARK: - DownloadQueueOwner

    func place(of record: DownloadRecord) -> DownloadPlace? {
        DownloadPlace(
            partialPath: "\(ground.scratch.path)/partials/\(record.uniqueIdentifier)",
            folder: folder, container: ground.scratch.path, name: record.identifier,
            publishedPath: "Downloads/\(record.identifier)",
            rules: URLRules(domains: .any, addresses: AddressPolicy(allowsLoopback: true)))
    }

    func admission(of record: DownloadRecord) -> StartAdmission {
        heldBack.contains(record.identifier) ? .hold("not now") : .start(maximumBytes: .max)
    }

    func queueTells(_ notice: QueueNotice) {
        told.append(notice)
        onNotice(notice)
    }

    func sideOrderTells(_ event: TransferEvent) {}

    static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}

extension QueueNotice {
    /// What happened to which download, in short; progress without its numbers.
    var word: String {
        switch self {
        case .resumed(let record): "resumed \(record.identifier)"
        case .restarted(let record, _): "restarted \(record.identifier)"
        case .progress(let record, _): "progress \(record.identifier)"
        case .finished(let record): "finished \(record.identifier)"
        case .retrying(let record, _, _): "retrying \(record.identifier)"
        case .failed(let record): "failed \(record.identifier)"
        case .cancelled(let record): "cancelled \(record.identifier)"
        case .held(let record, _): "held \(record.identifier)"
        case .paused(let record): "paused \(record.identifier)"
        case .note(let sentence): "note \(sentence)"
        case .broken(let sentence): "broken \(sentence)"
        }
    }
}
