import Digests
import Foundation
import HTTPClient
import LinuxSystem
import TestSupport
import Testing
import TransferEngine
import URLPolicy

/// HTTP/2, which nginx offers over TLS.
@Suite(
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: NginxServer.program)
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
struct TransferHTTP2Tests {
    /// An nginx, an engine that trusts it, and a folder.
    private final class Origin {
        let server: NginxServer
        let fixture: TransferFixture

        init(rate: String = "0") throws {
            let server = try NginxServer(rate: rate, isTLS: true)
            self.server = server
            fixture = try TransferFixture([:], change: { $0.authorityFile = server.certificate })
        }

        func order(
            _ name: String, id: Int64 = 1, _ change: (inout TransferOrder) -> Void = { _ in }
        ) throws -> TransferOrder {
            let url = try URLParser.parse("\(server.base)/\(name)")
            return try fixture.order("/", id: id) { order in
                order.url = url
                change(&order)
            }
        }

        /// The protocols and the connections of all requests.
        var log: (protocols: Set<String>, connections: Set<String>) {
            let words = server.requests.map { $0.split(separator: " ").map(String.init) }
            return (Set(words.compactMap { $0.dropLast().last }), Set(words.compactMap(\.last)))
        }
    }

    @Test func manySmallFilesShareOneConnection() throws {
        let origin = try Origin()
        for id in 1...60 {
            try origin.server.serve("f\(id)", Data(TransferFixture.noise(2_000, seed: UInt64(id))))
        }
        for id in 1...60 {
            origin.fixture.engine.start(try origin.order("f\(id)", id: Int64(id)))
        }
        for id in 1...60 {
            let last = try origin.fixture.events.wait { $0.first { $0.ends(Int64(id)) } }
            #expect(TransferRun(id: Int64(id), last: last, all: []).isFinished)
            #expect(
                origin.fixture.bytes(of: "file-\(id)")
                    == Blob(TransferFixture.noise(2_000, seed: UInt64(id))))
        }
        #expect(origin.log.protocols == ["HTTP/2.0"])
        #expect(origin.log.connections.count == 1)
    }

    @Test func resumesOverHTTP2() throws {
        let origin = try Origin()
        let bytes = TransferFixture.noise(300_000)
        try origin.server.serve("big", Data(bytes))
        origin.fixture.put(Array(bytes[..<100_000]), as: "partial-1")
        let digest = try SHA256Digest.digest(of: bytes)
        let run = try origin.fixture.run(
            try origin.order("big") { order in
                order.expectedBytes = 300_000
                order.sha256 = digest
                order.resume = ResumeState(receivedBytes: 100_000)
            })
        #expect(run.isFinished)
        #expect(run.resumedFrom == 100_000)
        #expect(origin.fixture.bytes(of: "file-1") == Blob(bytes))
        #expect(origin.log.protocols == ["HTTP/2.0"])
    }

    /// nginx ends the connection, with a GOAWAY or without, in the middle of a stream.
    @Test func anEndedConnectionIsRetryableAndGoesOn() throws {
        let bytes = TransferFixture.noise(400_000)
        let origin = try Origin(rate: "100k")
        try origin.server.serve("big", Data(bytes))
        let fixture = origin.fixture
        fixture.engine.start(try origin.order("big"))
        _ = try fixture.events.wait { events in
            events.first { if case .progress = $0 { true } else { false } }
        }
        try origin.server.stop()
        let last = try fixture.events.wait { $0.first { $0.ends(1) } }
        let run = TransferRun(last: last, all: fixture.events.all)
        #expect(run.failure?.domain == .transport)
        #expect(run.failure?.isRetryable == true)
        #expect((run.lastCheckpoint?.receivedBytes ?? 0) > 0)
        #expect(run.lastCheckpoint?.validator != nil)
    }
}
