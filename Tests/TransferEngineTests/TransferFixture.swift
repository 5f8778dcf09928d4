import Digests
import FaultServer
import Foundation
import HTTPClient
import LinuxSystem
import Synchronization
import Testing
import TransferEngine
import URLPolicy

/// A server, a scratch folder and an engine whose events can be waited for.
final class TransferFixture {
    let server: FaultServer
    let folder: ScratchFolder
    let events: EventLog
    let engine: TransferEngine
    let confined: ConfinedFolder

    init(
        _ routes: [String: FaultRoute], stallTime: Duration = .seconds(1),
        backgroundRate: ByteCount? = nil, clock: @escaping @Sendable () -> Instant = BootClock.now,
        change: (inout HTTPConfiguration) -> Void = { _ in }
    ) throws {
        let log = try EventLog()
        events = log
        folder = try ScratchFolder()
        confined = try ConfinedFolder(folder.root)
        server = try FaultServer(routes: routes)
        var configuration = HTTPConfiguration()
        configuration.stallTime = stallTime
        configuration.connectTimeout = .seconds(5)
        change(&configuration)
        engine = try TransferEngine(
            configuration: configuration, backgroundRate: backgroundRate, clock: clock
        ) { log.add($0) }
    }

    deinit {
        engine.stop()
    }

    /// An order for a path of the server, loopback allowed.
    func order(
        _ path: String, id: Int64 = 1, _ change: (inout TransferOrder) -> Void = { _ in }
    ) throws -> TransferOrder {
        var order = TransferOrder(
            id: id, url: try URLParser.parse(server.url(path)), maximumBytes: 64 << 20,
            partialPath: folder.path("partial-\(id)"), rules: Self.loopbackRules)
        order.destination = TransferDestination(folder: confined, name: "file-\(id)")
        change(&order)
        return order
    }

    static let loopbackRules = URLRules(
        domains: .any, addresses: AddressPolicy(allowsLoopback: true))

    /// Runs an order to its last event.
    func run(_ order: TransferOrder) throws -> TransferRun {
        let start = events.count
        engine.start(order)
        let last = try events.wait { $0.dropFirst(start).first { $0.ends(order.id) } }
        return TransferRun(
            id: order.id, last: last,
            all: Array(events.all.dropFirst(start)).filter { $0.ids.contains(order.id) })
    }

    /// The bytes of a file in the scratch folder; nil when there is none.
    func bytes(of name: String) -> Blob? {
        FileManager.default.contents(atPath: folder.path(name)).map { Blob([UInt8]($0)) }
    }

    func stamp(of name: String) -> FileStamp? {
        (try? confined.status(name))?.stamp
    }

    func put(_ bytes: [UInt8], as name: String) {
        _ = FileManager.default.createFile(atPath: folder.path(name), contents: Data(bytes))
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.root)) ?? []).sorted()
    }

    /// Bytes that differ everywhere, the same for the same seed.
    static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }
}

/// Bytes that print as their count, so that a failed expectation stays readable.
struct Blob: Equatable, CustomTestStringConvertible, ExpressibleByArrayLiteral {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(arrayLiteral elements: UInt8...) {
        bytes = elements
    }

    var testDescription: String { "\(bytes.count) bytes \(bytes.prefix(8))…" }
}

/// What one order came to.
struct TransferRun {
    var id: Int64 = 1
    let last: TransferEvent
    let all: [TransferEvent]

    var failure: TransferFailure? {
        if case .failed(_, let failure) = last { return failure }
        return nil
    }

    var isFinished: Bool {
        if case .finished = last { return true }
        return false
    }

    var sha256: [UInt8]? {
        if case .finished(let group) = last { return group.first { $0.id == id }?.sha256 }
        return nil
    }

    var resumedFrom: UInt64? {
        for case .resumed(_, let bytes) in all { return bytes }
        return nil
    }

    var lastCheckpoint: ResumeState? {
        for case .checkpoint(_, let state) in all.reversed() { return state }
        return nil
    }
}

extension TransferEvent {
    var ids: [Int64] {
        switch self {
        case .began(let id, _), .resumed(let id, _), .restarted(let id, _), .progress(let id, _),
            .checkpoint(let id, _), .verified(let id), .failed(let id, _), .stopped(let id):
            [id]
        case .finished(let group): group.map(\.id)
        }
    }

    func ends(_ wanted: Int64) -> Bool {
        switch self {
        case .finished(let group): group.contains { $0.id == wanted }
        case .failed(wanted, _), .stopped(wanted): true
        default: false
        }
    }
}

/// Events in the order they came, and waiting for one without sleeping.
final class EventLog: Sendable {
    struct TimedOut: Error {}

    private let events = Mutex<[TransferEvent]>([])
    private let flag: EventFlag

    init() throws {
        flag = try EventFlag()
    }

    func add(_ event: TransferEvent) {
        events.withLock { $0.append(event) }
        flag.raise()
    }

    var all: [TransferEvent] { events.withLock { $0 } }
    var count: Int { all.count }

    /// Waits until `find` finds something; fails after `deadline`.
    func wait<Found>(
        deadline: Duration = .seconds(30), _ find: ([TransferEvent]) -> Found?
    ) throws -> Found {
        let end = BootClock.now() + deadline
        while true {
            if let found = find(all) { return found }
            let left = end - BootClock.now()
            guard left > .zero else { throw TimedOut() }
            var polled = PollSet()
            polled.add(flag.descriptor)
            try polled.wait(timeout: left)
            flag.clear()
        }
    }
}

/// A folder that goes away with its owner.
final class ScratchFolder: Sendable {
    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.path + "/bahost-transfer-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }
}
