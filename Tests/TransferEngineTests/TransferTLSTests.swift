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
        if isTrusted { configuration.authorityFile = server.folder.path("cert.pem") }
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

/// `openssl s_server` with a certificate for `localhost`, serving one file.
private final class TLSServer {
    let folder: ScratchFolder
    let port: UInt16
    private var child: ChildProcess

    init() throws {
        folder = try ScratchFolder()
        let listener = try Descriptor.listenOnLoopback()
        port = listener.port
        try Self.closeNow(listener)
        let root = folder.root
        let script = """
            cd \(root) && printf 'HTTP/1.0 200 ok\\r\\nContent-Length: 5\\r\\n\\r\\nhello' > data &&
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
            -keyout key.pem -out cert.pem -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost 2>/dev/null &&
            exec openssl s_server -HTTP -accept 127.0.0.1:\(port) -cert cert.pem -key key.pem
            """
        let pipe = try Descriptor.pipe()
        let ends = pipe.take { reader, writer in (reader.release(), writer.release()) }
        let reader = OwnedDescriptor(adopting: ends.0)
        let writer = OwnedDescriptor(adopting: ends.1)
        child = try ChildProcess(
            path: "/bin/sh", arguments: ["-c", script], environment: ["PATH=/usr/bin:/bin"],
            descriptors: [nil, writer.raw, nil])
        try writer.close()
        try Self.waitForAccept(reader.raw)
    }

    private static func closeNow(_ listener: consuming LoopbackListener) throws {}

    /// The word that s_server prints when it listens.
    private static func waitForAccept(_ raw: Int32) throws {
        var text = ""
        var room = [UInt8](repeating: 0, count: 1024)
        while !text.contains("ACCEPT") {
            var polled = PollSet()
            polled.add(raw)
            try polled.wait(timeout: .seconds(20))
            guard polled.isReadable(0), case .moved(let count) = DescriptorIO.read(raw, into: &room)
            else { throw EventLog.TimedOut() }
            text += String(decoding: room[..<count], as: UTF8.self)
        }
    }
}
