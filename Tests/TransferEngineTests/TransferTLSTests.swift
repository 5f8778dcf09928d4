import Foundation
import HTTPClient
import LinuxSystem
import Testing
import TransferEngine
import URLPolicy

/// Certificates are checked, against the system's store or the one file a test names.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
struct TransferTLSTests {
    private func run(host: String, isTrusted: Bool) throws -> TransferRun {
        let server = try TLSServer()
        let log = try EventLog()
        var configuration = HTTPConfiguration()
        if isTrusted { configuration.authorityFile = server.certificate }
        let engine = try TransferEngine(configuration: configuration) { log.add($0) }
        defer { engine.stop() }
        let url = try URLParser.parse("https://\(host):\(server.port)/data")
        engine.start(
            TransferOrder(
                id: 1, url: url, maximumBytes: 100, partialPath: server.folder.path("partial"),
                rules: TransferFixture.loopbackRules))
        let last = try log.wait { $0.first { $0.ends(1) } }
        return TransferRun(last: last, all: log.all)
    }

    @Test func trustedCertificatePasses() throws {
        #expect(try run(host: "localhost", isTrusted: true).isFinished)
    }

    @Test func unknownAuthorityIsFinal() throws {
        let failure = try run(host: "localhost", isTrusted: false).failure
        #expect(failure?.domain == .transport)
        #expect(failure?.code == 60)
        #expect(failure?.isRetryable == false)
    }

    @Test func certificateOfAnotherHostIsFinal() throws {
        let failure = try run(host: "127.0.0.1", isTrusted: true).failure
        #expect(failure?.code == 60)
        #expect(failure?.isRetryable == false)
    }
}
