import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// Real plugins, a real server, real files.
@Suite struct DownloadTests {
    static let network = ["--allow-loopback", "--allow-domain", "127.0.0.1"]

    @Test(arguments: users)
    func levelPacksFetchesAllLevelsAndDoesSoAgain(user: UInt32?) throws {
        let server = try NginxServer()
        let fixture = try RunFixture(as: user)
        var lines = ""
        var digests: [String: String] = [:]
        for (place, mebibytes) in [1, 2, 1, 3, 1, 2, 1, 52].enumerated() {
            let name = "level-\(place)"
            let data = TestData.bytes(count: mebibytes << 20, seed: UInt64(place))
            try server.serve(name, data)
            digests[name] = try TestData.sha256(data)
            lines += "level \(name) \(data.count) \(digests[name] ?? "") \(server.base)/\(name)\n"
        }
        try server.serve("levels.txt", Data(lines.utf8))
        let options = ["--manifest", "\(server.base)/levels.txt", "--json"] + Self.network
        for _ in 1...2 {
            let result = try fixture.run(fixture.plugin("LevelPacks"), options)
            let record = try Record(of: result)
            #expect(result.status == 0, "\(record.detail ?? "") \(result.errors)")
            #expect(record.result == "ok")
            #expect(record.downloads.count == 8)
            for download in record.downloads {
                #expect(download.state == "finished")
                #expect(download.sha256 == digests[download.identifier])
                let level = "\(fixture.output)/Library/levels/\(download.identifier)"
                let data = try Data(contentsOf: URL(fileURLWithPath: level))
                #expect(try TestData.sha256(data) == digests[download.identifier])
            }
        }
    }

    @Test func theRecordIsValidAndTheFilesAreRight() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        let data = TestData.bytes(count: 300_000, seed: 1)
        try server.serve("hello", data)
        let digest = try TestData.sha256(data)
        let line = "hello \(data.count) \(digest) \(server.base)/hello\n"
        try server.serve("hello.txt", Data(line.utf8))
        let manifest = "\(server.base)/hello.txt"
        let result = try fixture.run(
            fixture.plugin("HelloDownload"), ["--manifest", manifest, "--json"] + Self.network)
        let record = try Record(of: result)
        #expect(record.result == "ok")
        #expect(record.downloads.map(\.sha256) == [digest])
        let path = try #require(record.downloads.first?.path)
        #expect(try TestData.sha256(Data(contentsOf: URL(fileURLWithPath: path))) == digest)
        try SchemaCheck.expectValid(result.output, against: "run-record-1.json")
    }

    @Test func aDomainThatIsNotAllowedIsRefusedAndTheLineNamesTheFlag() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        try server.serve("hello.txt", Data("hello 5 - \(server.base)/hello\n".utf8))
        let result = try fixture.run(
            fixture.plugin("HelloDownload"),
            ["--manifest", "\(server.base)/hello.txt", "--allow-loopback"])
        #expect((result.output + result.errors).contains("--allow-domain 127.0.0.1"))
        #expect(!server.requests.contains { $0.contains("/hello ") })
        let strict = try fixture.run(
            fixture.plugin("HelloDownload"),
            ["--manifest", "\(server.base)/hello.txt", "--allow-loopback", "--strict"])
        #expect(strict.status == 11)
    }

    /// Serves one large file; the options that fetch it with HelloDownload, and its digest.
    private func offerBig(
        _ size: Int, seed: UInt64, by server: NginxServer, to fixture: RunFixture
    ) throws -> (options: [String], digest: String) {
        let data = TestData.bytes(count: size, seed: seed)
        try server.serve("big", data)
        let digest = try TestData.sha256(data)
        let manifest = try fixture.scratch.write(
            "manifest", "big \(size) \(digest) \(server.base)/big\n")
        return (["--manifest", manifest, "--json"] + Self.network, digest)
    }

    @Test func anInterruptedRunContinuesWhereItStopped() throws {
        let server = try NginxServer(rate: "12m")
        let fixture = try RunFixture()
        let size = 52 << 20
        let (options, digest) = try offerBig(size, seed: 7, by: server, to: fixture)
        let first = try fixture.start(fixture.plugin("HelloDownload"), options)
        #expect(eventually(within: .seconds(60)) { fixture.partialBytes > 8 << 20 })
        first.signal(SIGINT)
        let stopped = try first.wait()
        #expect(stopped.status == 130, "\(stopped.errors)")
        let record = try Record(of: stopped)
        #expect(record.result == "interrupted")
        let received = fixture.partialBytes
        #expect(record.downloads.map(\.bytes) == [received])
        #expect(received > 8 << 20 && received < size)

        let second = try fixture.run(fixture.plugin("HelloDownload"), options)
        #expect(second.status == 0, "\(second.errors) \(second.output)")
        #expect(try Record(of: second).downloads.map(\.sha256) == [digest])
        #expect(server.requests.contains { $0.hasSuffix("206 bytes=\(received)-") })
    }

    @Test func killingTheHostLosesNothingAndLeavesNoWorker() throws {
        let server = try NginxServer(rate: "12m")
        let fixture = try RunFixture()
        let size = 40 << 20
        let (options, digest) = try offerBig(size, seed: 9, by: server, to: fixture)
        let first = try fixture.start(fixture.plugin("HelloDownload"), options)
        #expect(eventually(within: .seconds(60)) { fixture.partialBytes > 8 << 20 })
        first.signal(SIGKILL)
        #expect(try first.wait().signal == SIGKILL)
        fixture.expectNoProcess()
        let second = try fixture.run(fixture.plugin("HelloDownload"), options)
        #expect(second.status == 0, "\(second.errors) \(second.output)")
        #expect(try Record(of: second).downloads.map(\.sha256) == [digest])
        #expect(server.requests.contains { $0.contains(" 206 bytes=") })
    }

    @Test func killingTheHostEndsASpinningWorker() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "spin\n")
        let run = try fixture.start(fixture.plugin("hostile"), ["--manifest", manifest])
        #expect(eventually { !children(of: run.pid).isEmpty })
        run.signal(SIGKILL)
        _ = try run.wait()
        fixture.expectNoProcess()
    }

    private func children(of pid: Int32) -> [String] {
        let path = "/proc/\(pid)/task/\(pid)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: " ").map(String.init)
    }

    @Test func aWrongDigestFailsAndNothingIsPublished() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        try server.serve("hello", Data("hello".utf8))
        let wrong = String(repeating: "0", count: 64)
        let manifest = try fixture.scratch.write(
            "manifest", "hello 5 \(wrong) \(server.base)/hello\n")
        let result = try fixture.run(
            fixture.plugin("HelloDownload"), ["--manifest", manifest, "--json"] + Self.network)
        #expect(result.status == 10)
        let record = try Record(of: result)
        #expect(record.downloads.map(\.state) == ["failed"])
        #expect(record.downloads.first?.error?.name == "digestMismatch")
        #expect(fixture.scratch.contents(of: "out dir/Downloads").isEmpty)
    }

    @Test func aFailedEssentialIsAskedForAgainAsPlain() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write(
            "manifest", "level gone 5 - \(server.base)/gone\n")
        let result = try fixture.run(
            fixture.plugin("LevelPacks"), ["--manifest", manifest, "--json"] + Self.network)
        let record = try Record(of: result)
        #expect(result.status == 10, "\(record.detail ?? "")")
        let asked = server.requests.filter { $0.hasPrefix("GET /gone 404") }
        #expect(asked.count == 2)
    }
}

/// Bytes that are the same for the same seed, and their digest as `sha256sum(1)` tells it.
enum TestData {
    static func bytes(count: Int, seed: UInt64) -> Data {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var words = [UInt64](repeating: 0, count: count / 8 + 1)
        for place in words.indices {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            words[place] = state
        }
        return unsafe words.withUnsafeBytes { unsafe Data($0) }.prefix(count)
    }

    static func sha256(_ data: Data) throws -> String {
        let folder = try ScratchFolder("digest")
        let file = try folder.write("data", data)
        let result = try runProgram("/usr/bin/sha256sum", [file])
        return String(result.output.prefix(64))
    }
}
