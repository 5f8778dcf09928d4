import Digests
import FaultServer
import Foundation
import HTTPClient
import TestSupport
import Testing
import TransferEngine

/// Every misbehaviour of a server, from nothing and when going on, against the real engine.
///
/// What comes of each is also a page for publishers: `BAHOST_WRITE_PAGES=1` writes it.
struct FaultMatrixTests {
    static let page = "\(Products.root)/docs/server-faults.md"
    private static let writesPages =
        ProcessInfo.processInfo.environment["BAHOST_WRITE_PAGES"] != nil

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func everyFaultEndsAsTheTableSays() throws {
        var found: [FaultRow.ID: [FaultMode: FaultOutcome]] = [:]
        for batch in FaultMatrixTests.batches() {
            // All of a batch at once: the slow ones wait together.
            let trials = try batch.map { try FaultTrial($0.row, $0.mode) }
            for trial in trials { trial.start() }
            for trial in trials {
                let outcome = try trial.finish()
                let cell: Comment = "\(trial.row.id), \(trial.mode.rawValue)"
                #expect(outcome == trial.row.outcome(trial.mode), cell)
                #expect(try trial.brokenPromises(after: outcome) == [], cell)
                found[trial.row.id, default: [:]][trial.mode] = outcome
            }
        }
        let text = FaultPage.text(of: found)
        if Self.writesPages {
            try text.write(toFile: Self.page, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOfFile: Self.page, encoding: .utf8)
        #expect(text == committed, "write docs/server-faults.md anew with BAHOST_WRITE_PAGES=1")
    }

    @Test func rowsHaveNamesOfTheirOwn() {
        let rows = FaultTable.parts.flatMap(\.rows)
        #expect(Set(rows.map(\.id)).count == rows.count)
    }

    /// The slow cells first, at most 48 together, which is 48 servers and engines.
    private static func batches() -> [[(row: FaultRow, mode: FaultMode)]] {
        let rows = FaultTable.parts.flatMap(\.rows)
        let cells = (rows.filter(\.isSlow) + rows.filter { !$0.isSlow }).flatMap { row in
            FaultMode.allCases.map { (row: row, mode: $0) }
        }
        return stride(from: 0, to: cells.count, by: 48).map {
            Array(cells[$0..<min($0 + 48, cells.count)])
        }
    }
}

/// One cell of the table: a server, an engine, and one order.
final class FaultTrial {
    let row: FaultRow
    let mode: FaultMode
    private let fixture: TransferFixture
    private let tls: TLSServer?
    private let order: TransferOrder

    init(_ row: FaultRow, _ mode: FaultMode) throws {
        self.row = row
        self.mode = mode
        var server: TLSServer?
        var isTrusted = false
        if case .tls(_, let days, let trusted) = row.door {
            server = try TLSServer(days: days)
            isTrusted = trusted
        }
        tls = server
        fixture = try TransferFixture(
            row.others.merging(["/x": row.route]) { $1 },
            authorityFile: isTrusted ? server?.certificate : nil)
        order = try FaultTrial.order(row, mode, fixture, tlsPort: server?.port)
    }

    private static func order(
        _ row: FaultRow, _ mode: FaultMode, _ fixture: TransferFixture, tlsPort: UInt16?
    ) throws -> TransferOrder {
        let content = FaultTable.content
        var order = try fixture.order("/x")
        order.maximumBytes = 1 << 20
        switch row.door {
        case .http: break
        case .tls(let host, _, _):
            order.url = try URLParser.parse("https://\(host):\(tlsPort ?? 0)/data")
        case .tlsToPlain:
            order.url = try URLParser.parse("https://127.0.0.1:\(fixture.server.port)/x")
        }
        guard mode != .fresh else { return order }
        fixture.put(Array(content.bytes[..<row.had]), as: "partial-1")
        order.resume = ResumeState(
            receivedBytes: UInt64(row.had),
            validator: mode == .tagged ? content.entityTag.flatMap(Validator.init) : nil,
            totalBytes: UInt64(content.bytes.count))
        guard mode == .hashed else { return order }
        order.expectedBytes = UInt64(content.bytes.count)
        order.sha256 = try SHA256Digest.digest(of: content.bytes)
        return order
    }

    func start() {
        fixture.engine.start(order)
    }

    /// Waits for the last event.
    func finish() throws -> FaultOutcome {
        let last = try fixture.events.wait { $0.first { $0.ends(1) } }
        let run = TransferRun(last: last, all: fixture.events.all)
        fixture.engine.stop()
        var outcome = FaultOutcome(
            ending: isRight(fixture.bytes(of: "file-1")) ? .whole : .unnoticed,
            joinedAt: run.resumedFrom, kept: 0, requests: fixture.server.requests().count)
        guard let failure = run.failure else { return outcome }
        outcome.joinedAt = nil
        outcome.ending = .failed(
            failure.domain, failure.code, isRetryable: failure.isRetryable)
        outcome.kept = row.keepsWhatCame ? nil : run.lastCheckpoint?.receivedBytes ?? 0
        outcome.retryAfter = failure.retryAfter?.components.seconds
        return outcome
    }

    private func isRight(_ bytes: Blob?) -> Bool {
        bytes == Blob(FaultTable.content.bytes) || bytes == Blob(FaultTable.newer.bytes)
    }

    /// What must hold whatever the server does.
    func brokenPromises(after outcome: FaultOutcome) throws -> [String] {
        var broken: [String] = []
        func promise(_ isKept: Bool, _ sentence: String) {
            if !isKept { broken.append(sentence) }
        }
        let partial = fixture.bytes(of: "partial-1")?.bytes
        let published = fixture.bytes(of: "file-1")
        if case .failed = outcome.ending {
            promise(published == nil, "a failed order publishes")
            promise(
                UInt64(partial?.count ?? 0) >= outcome.kept ?? 0,
                "the checkpoint has more than is there")
        } else {
            promise(partial == nil, "a partial stays behind")
            promise(
                mode != .hashed || isRight(published), "a hash is agreed, and the file is wrong")
        }
        if let partial {
            let agreed = mode == .hashed ? 60_000 : 1 << 20
            promise(partial.count <= agreed, "the partial has \(partial.count) bytes")
            promise(
                [FaultTable.content, FaultTable.newer].contains { $0.bytes.starts(with: partial) },
                "the partial is no beginning of any version")
        }
        promise(outcome.requests <= 15, "\(outcome.requests) requests")
        promise(
            fixture.names.allSatisfy { ["file-1", "partial-1"].contains($0) }, "\(fixture.names)")
        return broken
    }
}
