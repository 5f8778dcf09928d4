package import Foundation
import Glibc
internal import LinuxSystem

/// A real nginx on a loopback port of its own, serving one folder.
package final class NginxServer {
    package let port: UInt16
    package let folder: ScratchFolder
    private var child: ChildProcess

    package static let program = "/usr/sbin/nginx"

    private let isTLS: Bool

    /// The certificate of a server with TLS, made for `localhost`.
    package var certificate: String { "\(folder.path)/cert.pem" }

    /// - Parameters:
    ///   - rate: Bytes a second and connection, in nginx's words; `0` is no limit.
    ///   - isTLS: True for https with a certificate of its own, and HTTP/2.
    /// - Throws: ``NginxMissing`` with the log when it does not start.
    package init(rate: String = "0", isTLS: Bool = false) throws {
        self.isTLS = isTLS
        folder = try ScratchFolder("nginx")
        port = try NginxServer.freePort()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/www", withIntermediateDirectories: false)
        let listen = isTLS ? try NginxServer.makeCertificate(in: folder.path) : ""
        try folder.write("nginx.conf", NginxServer.configuration(folder.path, port, rate, listen))
        child = try ChildProcess(
            path: NginxServer.program,
            arguments: [
                "-p", folder.path, "-e", "\(folder.path)/error.log", "-c",
                "\(folder.path)/nginx.conf",
            ],
            environment: ["PATH=/usr/bin:/bin"], descriptors: [nil, nil, nil])
        let pidFile = "\(folder.path)/nginx.pid"
        guard eventually({ FileManager.default.fileExists(atPath: pidFile) && isListening }) else {
            throw NginxMissing(log: log("error.log"))
        }
    }

    deinit {
        try? stop()
        _ = try? child.reap()
    }

    /// Ends it now, with every connection.
    package func stop() throws {
        // SIGTERM ends master and workers together; SIGKILL would orphan the workers.
        child.signal(SIGTERM)
        var set = PollSet()
        set.add(child.descriptor)
        try set.wait(timeout: .seconds(10))
    }

    package var base: String { isTLS ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

    /// Puts a file under the root.
    package func serve(_ name: String, _ data: Data) throws {
        try data.write(to: URL(fileURLWithPath: "\(folder.path)/www/\(name)"))
    }

    /// One line a request: method, path, status, the Range header or `-`, and with TLS the protocol and
    /// the number of its connection.
    package var requests: [String] {
        log("access.log").split(separator: "\n").map(String.init)
    }

    /// A port that was free a moment ago; its listener is closed when this returns.
    private static func freePort() throws -> UInt16 {
        try Descriptor.listenOnLoopback().port
    }

    private func log(_ name: String) -> String {
        (try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)) ?? ""
    }

    private var isListening: Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Makes a key and a certificate; what then follows the port in the configuration.
    private static func makeCertificate(in path: String) throws -> String {
        var child = try ChildProcess(
            path: "/usr/bin/openssl",
            arguments: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-keyout", "\(path)/key.pem", "-out",
                "\(path)/cert.pem", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost",
            ],
            environment: ["PATH=/usr/bin:/bin"], descriptors: [nil, nil, nil])
        var set = PollSet()
        set.add(child.descriptor)
        try set.wait(timeout: .seconds(20))
        _ = try child.reap()
        return """
             ssl http2;
            ssl_certificate \(path)/cert.pem;
            ssl_certificate_key \(path)/key.pem;
            http2_max_concurrent_streams 64
            """
    }

    private static func configuration(
        _ path: String, _ port: UInt16, _ rate: String, _ tls: String
    ) -> String {
        """
        daemon off;
        worker_processes 1;
        pid \(path)/nginx.pid;
        error_log \(path)/error.log;
        events {}
        http {
            log_format plain '$request_method $uri $status $http_range\(
                tls.isEmpty ? "" : " $server_protocol $connection")';
            access_log \(path)/access.log plain;
            client_body_temp_path \(path)/tmp1;
            proxy_temp_path \(path)/tmp2;
            fastcgi_temp_path \(path)/tmp3;
            uwsgi_temp_path \(path)/tmp4;
            scgi_temp_path \(path)/tmp5;
            server {
                listen 127.0.0.1:\(port)\(tls);
                root \(path)/www;
                limit_rate \(rate);
            }
        }

        """
    }
}

/// nginx did not start.
package struct NginxMissing: Error {
    package let log: String
}
