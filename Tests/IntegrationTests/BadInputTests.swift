import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// Every bad input ends with one line that names the fault, the right status, and nothing left.
@Suite struct BadInputTests {
    private func expectLoadFault(
        _ plugin: String, _ words: String, result expected: String = "load_error",
        _ fixture: RunFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try fixture.run(plugin, ["--json"])
        let record = try Record(of: result)
        #expect(record.result == expected, sourceLocation: sourceLocation)
        let detail = record.detail ?? ""
        #expect(
            detail.contains(words), "\(detail)", sourceLocation: sourceLocation)
        #expect(!detail.contains("\n"), sourceLocation: sourceLocation)
        #expect(
            !FileManager.default.fileExists(atPath: fixture.output), "the container is left",
            sourceLocation: sourceLocation)
        #expect(
            !FileManager.default.fileExists(atPath: fixture.state), "the state is left",
            sourceLocation: sourceLocation)
    }

    @Test func aFileThatIsNoPluginIsALoadError() throws {
        let fixture = try RunFixture()
        let path = fixture.scratch.path
        try expectLoadFault("\(path)/absent.so", "No such file", fixture)
        try expectLoadFault(path, "is a directory", fixture)
        try expectLoadFault(try fixture.scratch.write("text.so", "hello"), "ELF", fixture)
        try expectLoadFault(try fixture.scratch.write("empty.so", ""), "empty", fixture)
        #expect(unsafe mkfifo("\(path)/fifo.so", 0o600) == 0)
        try expectLoadFault("\(path)/fifo.so", "FIFO", fixture)
        try expectLoadFault("/dev/null", "device", fixture)
    }

    @Test func aForgedPluginIsALoadError() throws {
        let fixture = try RunFixture()
        let good = try Data(
            contentsOf: URL(fileURLWithPath: fixture.plugin("HelloDownload")))
        let truncated = try fixture.scratch.write("truncated.so", good.prefix(good.count / 3))
        try expectLoadFault(truncated, "truncated", fixture)
        var narrow = good
        narrow[4] = 1
        try expectLoadFault(try fixture.scratch.write("32.so", narrow), "32", fixture)
        var foreign = good
        foreign[18] = 0x28
        foreign[19] = 0
        try expectLoadFault(try fixture.scratch.write("arm.so", foreign), "machine", fixture)
    }

    @Test(arguments: [
        ("load-no-tag", "load_error", "no tag"),
        ("load-other-major", "abi_mismatch", "another major version"),
        ("load-no-entry-point", "load_error", "none of the entry points"),
        ("load-missing-symbol", "load_error", "undefined symbol"),
        ("load-unknown-feature", "abi_mismatch", "feature bit 40"),
        ("load-executable-stack", "load_error", "executable stack"),
        ("load-runpath-relative", "load_error", "relative"),
        ("load-missing-library", "load_error", "libbahost-absent.so"),
    ])
    func aPluginWithALoadSinIsTold(name: String, verdict: String, words: String) throws {
        let fixture = try RunFixture()
        try #require(FileManager.default.fileExists(atPath: fixture.plugin(name)))
        try expectLoadFault(fixture.plugin(name), words, result: verdict, fixture)
    }

    @Test func aManifestThatCannotBeHadIsStatus66() throws {
        let fixture = try RunFixture()
        let plugin = fixture.plugin("HelloDownload")
        let large = "\(fixture.scratch.path)/large"
        let file = try Descriptor.open(large, flags: O_WRONLY | O_CREAT)
        #expect(ftruncate(file.raw, 16 << 20 + 1) == 0)
        let cases = [
            ["--manifest", "\(fixture.scratch.path)/absent"],
            ["--manifest", fixture.scratch.path], ["--manifest", large],
            ["--manifest", "http://127.0.0.1:1/x", "--allow-loopback"],
            ["--manifest", "http://127.0.0.1:1/x"], ["--manifest", "https://user@host/x"],
            ["--info", "\(fixture.scratch.path)/absent"],
        ]
        for options in cases {
            let result = try fixture.run(plugin, options)
            #expect(result.status == 66, "\(options) \(result.errors)")
            let lines = result.errors.split(separator: "\n").filter { $0.hasPrefix("bahost run:") }
            #expect(lines.count == 1, "\(options) \(result.errors)")
            #expect(!FileManager.default.fileExists(atPath: fixture.output), "\(options)")
        }
    }

    @Test func anOutputThatCannotBeWrittenIsStatus73() throws {
        let fixture = try RunFixture()
        let file = try fixture.scratch.write("file", "")
        for (output, named) in [("\(file)/out", file), (file, file), ("/proc/out", "/proc/out")] {
            let result = try fixture.runPlain([
                "run", "--plugin", fixture.plugin("HelloDownload"), "--output", output, "--state",
                fixture.state,
            ])
            #expect(result.status == 73, "\(output) \(result.errors)")
            #expect(result.errors.contains(named))
            #expect(result.errors.split(separator: "\n").count == 1)
        }
        let inside = try fixture.run(
            fixture.plugin("HelloDownload"), ["--state", "\(fixture.output)/state"])
        #expect(inside.status == 64)
    }

    @Test(arguments: [
        ["--memory", "12Q"], ["--memory", "0"], ["--wall-time", "0s"], ["--wall-time", "-1s"],
        ["--cpu-time", "forever"], ["--file-size", ""], ["--open-files", "x"],
        ["--threads", "99999999999999999999"], ["--allow-domain", "a b"],
        ["--allow-domain", "*"], ["--event", "never"], ["--isolation", "none"],
        ["--on-memory-limit", "cry"], ["--download-allowance", "-5"], ["--nonsense"], ["word"],
        ["--packs", "x"], ["--event", "should-download"], ["--memory", "1"],
    ])
    func nonsenseIsStatus64AndNamed(words: [String]) throws {
        let fixture = try RunFixture()
        let result = try fixture.run(fixture.plugin("HelloDownload"), words)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains(words[0]), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: fixture.output))
    }

    @Test func closedStreamsAndShortReadersAreNoTrap() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "stdout-noise\n")
        let bahost = Products.program("bahost")
        let words =
            "'\(bahost)' run --plugin '\(fixture.plugin("hostile"))' --manifest '\(manifest)'"
            + " --output '\(fixture.output)' --state '\(fixture.state)'"
        for script in [
            "\(words) <&- >/dev/null 2>&1", "\(words) 2>&1 | head -n 1 >/dev/null",
            "\(words) >&- 2>&-", "\(words) --json | head -c 1 >/dev/null",
        ] {
            let result = try runProgram(
                "/bin/bash", ["-c", "set -o pipefail; \(script)"],
                environment: ["HOME": fixture.scratch.path])
            let status = try #require(result.status, "\(script)")
            #expect(status < 126, "\(script) ended with \(status)")
            fixture.audit()
        }
    }

    @Test func pathsWithSpacesAndOtherScriptsWork() throws {
        let fixture = try RunFixture()
        let folder = "\(fixture.scratch.path)/mit Leerzeichen und 日本語"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let plugin = "\(folder)/häuschen.so"
        try FileManager.default.copyItem(atPath: fixture.plugin("hostile"), toPath: plugin)
        let manifest = try fixture.scratch.write("Männer", "hello\n")
        let result = try fixture.run(plugin, ["--manifest", manifest, "--json"])
        #expect(try Record(of: result).result == "ok", "\(result.output)")
    }

    @Test func aStateInUseIsStatus73NamingItsHolder() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "sleep\n")
        let first = try fixture.start(
            fixture.plugin("hostile"), ["--manifest", manifest, "--wall-time", "20s"])
        let lock = "\(fixture.state)/host.lock"
        #expect(
            eventually { (try? String(contentsOfFile: lock, encoding: .utf8))?.isEmpty == false })
        let second = try fixture.runPlain([
            "run", "--plugin", fixture.plugin("hostile"), "--output", fixture.output, "--state",
            fixture.state,
        ])
        #expect(second.status == 73)
        #expect(second.errors.contains("\(first.pid)"))
        first.signal(SIGINT)
        #expect(try first.wait().status == 130)
        fixture.audit()
    }

    /// A limit on the size of files stands in for the disk: the lock fits, the database does not.
    @Test func aStateThatCannotTakeTheFirstDownloadIsStatus73() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "a 0 - http://127.0.0.1:9/a\n")
        let words =
            "'\(Products.program("bahost"))' run --plugin '\(fixture.plugin("HelloDownload"))'"
            + " --manifest '\(manifest)' --allow-loopback --allow-domain 127.0.0.1"
            + " --output '\(fixture.output)' --state '\(fixture.state)'"
        let result = try runProgram(
            "/bin/bash", ["-c", "trap '' XFSZ; ulimit -f 4; exec \(words)"],
            environment: ["HOME": fixture.scratch.path])
        #expect(result.status == 73, "\(result.errors)")
        #expect(result.errors.contains("no space left for the database"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: fixture.state))
        #expect(!FileManager.default.fileExists(atPath: fixture.output))
        fixture.audit()
    }
}
