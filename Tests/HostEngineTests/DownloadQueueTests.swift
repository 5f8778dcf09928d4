import DownloadScheduler
import DownloadStore
import FaultServer
import Foundation
import Glibc
import HostEngine
import LinuxSystem
import Testing
import TestSupport

/// The queue: durable, in order, and nothing lost or twice.
@Suite struct DownloadQueueTests {
    @Test func everythingIsStoredBeforeItIsTold() throws {
        let content = (0..<20).map { QueueFixture.noise(1000 + $0, seed: UInt64($0)) }
        let routes = content.indices.map { place in
            ("/f\(place)", FaultRoute.honest(FaultContent(content[place])))
        }
        let ground = try QueueGround(Dictionary(uniqueKeysWithValues: routes))
        let host = try QueueFixture(ground)
        var states: [DownloadState?] = []
        host.onNotice = { [unowned host] notice in
            guard case .finished(let record) = notice else { return }
            states.append(try? host.state(record.rowID))
        }
        for place in content.indices { try host.admit(try host.record("/f\(place)")) }
        try host.serveUntilIdle()
        #expect(states == Array(repeating: .finished, count: 20))
        for place in content.indices { #expect(ground.file("f\(place)") == content[place]) }
        #expect(ground.scratch.contents(of: "partials") == [])
        #expect(ground.server.requests().count == 20)
    }

    @Test func thePublishedFileIsStoredAsItLiesThere() throws {
        let content = QueueFixture.noise(70_000)
        let ground = try QueueGround(["/f": .honest(FaultContent(content))])
        let host = try QueueFixture(ground, wallClock: { 1_234 })
        var records = try host.admit(try host.record("/f"))
        try host.serveUntilIdle()
        let first = try #require(try host.published.first)
        #expect(first.uniqueIdentifier == records[0].uniqueIdentifier)
        #expect(first.identifier == "f" && first.app == "app")
        #expect(first.path == "Downloads/f")
        #expect(first.publishedAt == 1_234 && first.lastUsed == 1_234)
        #expect(try host.folder.status("f")?.stamp == first.stamp)
        #expect(first.stamp.sizeBytes == 70_000)
        // Another file of that name: the row of the one before goes with it.
        records = try host.admit(try host.record("/f"))
        try host.serveUntilIdle()
        let second = try host.published
        #expect(second.map(\.uniqueIdentifier) == [records[0].uniqueIdentifier])
        #expect(try host.folder.status("f")?.stamp == second.first?.stamp)
    }

    @Test func aFileMovedAwayBeforeItsNameIsUsedAgainKeepsItsRow() throws {
        let ground = try QueueGround(["/f": .honest(FaultContent([1, 2, 3]))])
        let host = try QueueFixture(ground)
        try host.admit(try host.record("/f"))
        try host.serveUntilIdle()
        let files = "\(ground.scratch.path)/files"
        #expect(unsafe rename("\(files)/f", "\(files)/moved") == 0)
        try host.admit(try host.record("/f"))
        try host.serveUntilIdle()
        let stamps = try host.published.map(\.stamp)
        #expect(try stamps == ["moved", "f"].map { try host.folder.status($0)?.stamp })
    }

    @Test func startsInOrderThroughManyWindows() throws {
        let ground = try QueueGround()
        let host = try QueueFixture(ground, caps: TransferCaps(perHost: 1, total: 1))
        var records: [DownloadRecord] = []
        for number in 0..<300 {
            ground.server.setRoute("/f\(number)", .honest(FaultContent([1])))
            records.append(try host.record("/f\(number)", priority: Int64(number % 7)))
        }
        host.queue.hold(app: "app")
        let admitted = try host.queue.admit(records)
        host.queue.release(app: "app")
        try host.serveUntilIdle()
        let expected = admitted.sorted { $0.summary < $1.summary }.map { "/\($0.identifier)" }
        #expect(ground.server.requests().map(\.path) == expected)
        #expect(host.words.count { $0.hasPrefix("finished") } == 300)
    }

    /// Many that cannot start are told of one by one, and the owner's loop goes round meanwhile.
    @Test func whatCannotStartDoesNotHoldUpTheLoop() throws {
        let ground = try QueueGround()
        let host = try QueueFixture(ground)
        let records = try (0..<2000).map { try host.record("/f\($0)") }
        host.heldBack = Set(records.map(\.identifier))
        var most = 0
        var before = 0
        host.queue.hold(app: "app")
        _ = try host.queue.admit(records)
        host.queue.release(app: "app")
        try host.serve {
            most = max(most, host.told.count - before)
            before = host.told.count
            return before == records.count
        }
        #expect(most <= 512)
        #expect(host.words.allSatisfy { $0.hasPrefix("held ") })
        #expect(host.queue.isQuiet)
    }

    @Test func goesOnFromWhatIsThereAfterARestart() throws {
        let bytes = QueueFixture.noise(200_000)
        let ground = try QueueGround(["/f": .stall(FaultContent(bytes), after: 50_000)])
        do {
            let host = try QueueFixture(ground)
            try host.admit(try host.record("/f"))
            try host.serve { host.words.contains("progress f") }
            host.queue.stop()
            try host.serve { host.queue.isQuiet }
            #expect(host.words.last == "paused f")
        }
        ground.server.setRoute("/f", .honest(FaultContent(bytes)))
        let host = try QueueFixture(ground)
        try host.serveUntilIdle()
        #expect(ground.ranges("/f") == [nil, "bytes=50000-"])
        #expect(host.words.first == "resumed f")
        #expect(host.words.last == "finished f")
        #expect(ground.file("f") == bytes)
    }

    // MARK: - Promotion

    /// Half-way through, capped to a crawl: the promoted download keeps its connection and its bytes.
    @Test func promotionKeepsTheBytesOfARunningTransfer() throws {
        let bytes = QueueFixture.noise(4 << 20)
        let ground = try QueueGround(["/f": .honest(FaultContent(bytes))])
        let host = try QueueFixture(ground, backgroundRate: .kibibytes(256))
        let row = try #require(try host.admit(try host.record("/f", size: bytes.count)).first).rowID
        try host.serve { host.words.contains("progress f") }
        #expect(try host.queue.promote(row))
        #expect(try host.queue.store.record(rowID: row)?.isForeground == true)
        try host.serveUntilIdle()
        #expect(ground.ranges("/f") == [nil])
        #expect(ground.file("f") == bytes)
        #expect(!host.words.contains("restarted f"))
    }

    @Test func aPromotedDownloadStartsPastTheCaps() throws {
        let bytes = QueueFixture.noise(5000)
        let ground = try QueueGround([
            "/slow": .stall(FaultContent(bytes), after: 1000), "/f": .honest(FaultContent(bytes)),
        ])
        let host = try QueueFixture(ground, caps: TransferCaps(perHost: 1, total: 1))
        let rows = try host.admit(try host.record("/slow"), try host.record("/f")).map(\.rowID)
        try host.serve { host.words.contains("progress slow") }
        #expect(try host.queue.promote(rows[1]))
        try host.serve { host.words.contains("finished f") }
        #expect(try host.state(rows[0]) == .downloading)
    }

    @Test func aForegroundDownloadFailsAtOnceAndABackgroundOneIsTriedAgain() throws {
        let ground = try QueueGround()
        let host = try QueueFixture(ground)
        let port = try Descriptor.listenOnLoopback().port
        let url = "http://127.0.0.1:\(port)/x"
        try host.admit(
            try host.record("/now", isForeground: true, url: url),
            try host.record("/later", url: url))
        try host.serve {
            host.words.contains("failed now") && host.words.contains("retrying later")
        }
        #expect(!host.words.contains("retrying now"))
        #expect(!host.words.contains("failed later"))
    }

    /// Its own address is dead; somebody waits, so the mirror is asked at once and once.
    @Test func aForegroundDownloadHasOneAttemptAtEachAddress() throws {
        let ground = try QueueGround(["/f": .honest(FaultContent([7]))])
        let host = try QueueFixture(ground)
        let dead = "http://127.0.0.1:\(try Descriptor.listenOnLoopback().port)/x"
        var record = try host.record("/f", isForeground: true, url: dead)
        record.mirrors = [dead, ground.server.url("/f")]
        try host.admit(record)
        try host.serveUntilIdle()
        #expect(host.words == ["retrying f", "retrying f", "finished f"])
        #expect(ground.server.requests().count == 1)
    }

    // MARK: - Cancelling, pausing, replacing

    @Test func aCancelledDownloadLeavesNothing() throws {
        let bytes = QueueFixture.noise(200_000)
        let ground = try QueueGround([
            "/f": .stall(FaultContent(bytes), after: 50_000), "/g": .honest(FaultContent(bytes)),
        ])
        let host = try QueueFixture(ground, caps: TransferCaps(perHost: 1, total: 1))
        let rows = try host.admit(try host.record("/f"), try host.record("/g")).map(\.rowID)
        try host.serve { host.words.contains("progress f") }
        #expect(try host.queue.cancel(rows[0]))
        #expect(try !host.queue.cancel(rows[0]))
        try host.serveUntilIdle()
        #expect(try host.state(rows[0]) == .cancelled)
        #expect(host.words.filter { $0.hasSuffix(" f") }.last == "cancelled f")
        #expect(try host.state(rows[1]) == .finished)
        #expect(ground.scratch.contents(of: "partials") == [])
        #expect(ground.scratch.contents(of: "files") == ["g"])
    }

    /// A queue whose one download `f` has 50,000 of 200,000 bytes and gets the rest when it asks again.
    private func stalled() throws -> (QueueGround, QueueFixture, row: Int64, bytes: [UInt8]) {
        let bytes = QueueFixture.noise(200_000)
        let ground = try QueueGround([
            "/f": .sequence([
                .stall(FaultContent(bytes), after: 50_000), .honest(FaultContent(bytes)),
            ])
        ])
        let host = try QueueFixture(ground)
        let row = try #require(try host.admit(try host.record("/f")).first).rowID
        try host.serve { host.words.contains("progress f") }
        return (ground, host, row, bytes)
    }

    @Test func aPausedDownloadGoesOnWhereItWas() throws {
        let (ground, host, row, bytes) = try stalled()
        #expect(try host.queue.pause(row))
        try host.serveUntilIdle()
        #expect(try host.state(row) == .paused)
        #expect(try host.queue.resume(row))
        try host.serveUntilIdle()
        #expect(ground.ranges("/f") == [nil, "bytes=50000-"])
        #expect(ground.file("f") == bytes)
    }

    @Test func aDownloadResumedBeforeItHasStoppedIsNotLost() throws {
        let (ground, host, row, bytes) = try stalled()
        #expect(try host.queue.pause(row))
        #expect(try host.queue.resume(row))
        try host.serveUntilIdle()
        #expect(try host.state(row) == .finished)
        #expect(ground.ranges("/f") == [nil, "bytes=50000-"])
        #expect(ground.file("f") == bytes)
    }

    @Test func aDownloadPausedWhileItIsBlockedStaysPaused() throws {
        let bytes = QueueFixture.noise(200_000)
        let ground = try QueueGround([
            "/old": .stall(FaultContent(bytes), after: 50_000), "/new": .honest(FaultContent([1])),
        ])
        let host = try QueueFixture(ground)
        var old = try host.record("/old")
        old.identifier = "f"
        old = try #require(try host.admit(old).first)
        try host.serve { host.words.contains("progress f") }
        var new = try host.record("/new")
        new.identifier = "f"
        let row = try #require(try host.queue.admit([new], replacing: [old]).first).rowID
        #expect(try host.queue.pause(row))
        try host.serveUntilIdle()
        #expect(try host.state(row) == .paused)
        #expect(ground.server.requests(for: "/new").isEmpty)
    }

    /// The server cuts every answer; each attempt brings something new.
    @Test func progressForgivesFailures() throws {
        let bytes = QueueFixture.noise(120_000)
        let cuts = (0..<6).map { _ in FaultRoute.short(FaultContent(bytes), after: 20_000) }
        let ground = try QueueGround(["/f": .sequence(cuts)])
        let host = try QueueFixture(ground, maximumRetries: 1)
        try host.admit(try host.record("/f", size: bytes.count))
        try host.serveUntilIdle()
        #expect(ground.file("f") == bytes)
        #expect(ground.server.requests().count == 6)
    }

    @Test func aReplacedDownloadEndsBeforeItsSuccessorBegins() throws {
        let old = QueueFixture.noise(200_000, seed: 1)
        let new = QueueFixture.noise(100_000, seed: 2)
        let ground = try QueueGround([
            "/old": .stall(FaultContent(old), after: 50_000), "/new": .honest(FaultContent(new)),
        ])
        let host = try QueueFixture(ground)
        var record = try host.record("/old")
        record.identifier = "f"
        record = try #require(try host.admit(record).first)
        try host.serve { host.words.contains("progress f") }
        var successor = try host.record("/new")
        successor.identifier = "f"
        _ = try host.queue.admit([successor], replacing: [record])
        try host.serveUntilIdle()
        #expect(ground.file("f") == new)
        #expect(ground.scratch.contents(of: "partials") == [])
        #expect(host.words.filter { $0 == "finished f" }.count == 1)
    }

    // MARK: - Space, rules and conditions

    @Test func tooLittleSpaceIsOneRefusalBeforeAnythingIsAsked() throws {
        let ground = try QueueGround(["/f": .honest(FaultContent([1]))])
        let host = try QueueFixture(ground)
        let row = try #require(try host.admit(try host.record("/f", size: 1 << 60)).first).rowID
        try host.serveUntilIdle()
        #expect(ground.server.requests().isEmpty)
        #expect(try host.state(row) == .waiting)
        #expect(host.words == ["held f"])
        guard case .held(_, let reason) = host.told.first else { return }
        #expect(reason.hasPrefix("the download needs 1048576.0 TiB, "), "\(reason)")
        #expect(reason.contains(" are free on \(ground.scratch.path)/files"), "\(reason)")
    }

    /// The size is known only when the server has named it.
    @Test func tooLittleSpaceForAnOpenSizeIsSeenWhenItIsKnown() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(UInt64(1) << 60)\r\n\r\nx"
        let ground = try QueueGround(["/f": .raw(Array(head.utf8))])
        let host = try QueueFixture(ground)
        let row = try #require(try host.admit(try host.record("/f")).first).rowID
        try host.serveUntilIdle()
        #expect(try host.state(row) == .waiting)
        #expect(host.words.last == "held f")
        #expect(ground.server.requests().count == 1)
    }

    /// The row can be put in line, and not be read.
    @Test func aRowThatCannotBeReadIsLeftOut() throws {
        let ground = try QueueGround(["/g": .honest(FaultContent([1]))])
        let host = try QueueFixture(ground)
        host.queue.hold(app: "app")
        let rows = try host.admit(try host.record("/f"), try host.record("/g"))
        let database = try Database(
            path: "\(ground.scratch.path)/state/downloads.sqlite", patience: .seconds(1))
        try database.run(
            "UPDATE downloads SET headers = 'no colon' WHERE rowID = ?1", [.integer(rows[0].rowID)])
        host.queue.release(app: "app")
        try host.serveUntilIdle()
        #expect(host.words.contains { $0.hasPrefix("note ") && $0.contains("headers") })
        #expect(host.words.last == "finished g")
    }

    @Test func whatItsOwnerHoldsBackWaitsForAnotherHost() throws {
        let ground = try QueueGround(["/f": .honest(FaultContent([1]))])
        do {
            let host = try QueueFixture(ground)
            host.heldBack = ["f"]
            try host.admit(try host.record("/f"))
            try host.serveUntilIdle()
            #expect(host.words == ["held f"])
        }
        let host = try QueueFixture(ground)
        try host.serveUntilIdle()
        #expect(host.words == ["finished f"])
    }

    @Test func backgroundWorkWaitsForTheNetwork() throws {
        let ground = try QueueGround(["/f": .honest(FaultContent([1]))])
        let host = try QueueFixture(ground)
        var conditions = SchedulingConditions()
        conditions.isOnline = false
        host.queue.setConditions(conditions)
        try host.admit(try host.record("/f"))
        host.queue.service()
        #expect(ground.server.requests().isEmpty)
        #expect(!host.queue.isIdle)
        host.queue.setConditions(SchedulingConditions())
        try host.serveUntilIdle()
        #expect(host.words.last == "finished f")
    }

    @Test func aStoreThatFailsStopsTheQueue() throws {
        let ground = try QueueGround(["/f": .honest(FaultContent([1]))])
        let host = try QueueFixture(ground, patience: .milliseconds(20))
        try host.admit(try host.record("/f"))
        let path = "\(ground.scratch.path)/state/downloads.sqlite"
        let other = try Database(path: path, patience: .zero)
        try other.run("BEGIN IMMEDIATE")
        try host.serve { host.queue.isQuiet && !host.told.isEmpty }
        #expect(host.words.contains { $0.hasPrefix("broken ") && $0.contains("locked") })
        #expect(!host.words.contains("finished f"))
        try other.run("ROLLBACK")
        #expect(host.queue.store.needsLook)
    }
}
