import Foundation
import LinuxSystem

/// `openssl s_server` with a certificate for `localhost` that it signed itself, serving one file.
final class TLSServer {
    let folder: ScratchFolder
    let port: UInt16
    private var child: ChildProcess

    var certificate: String { folder.path("cert.pem") }

    /// The certificate ends so many days from now; a negative number has ended already.
    init(days: Int = 2) throws {
        folder = try ScratchFolder()
        let listener = try Descriptor.listenOnLoopback()
        port = listener.port
        try Self.closeNow(listener)
        let root = folder.root
        let script = """
            cd \(root) && printf 'HTTP/1.0 200 ok\\r\\nContent-Length: 5\\r\\n\\r\\nhello' > data &&
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
            -keyout key.pem -out request.pem -subj /CN=localhost 2>/dev/null &&
            printf subjectAltName=DNS:localhost > names &&
            openssl x509 -req -in request.pem -signkey key.pem -days \(days) -extfile names \
            -out cert.pem 2>/dev/null &&
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
