import FaultServer
import Foundation
import Glibc
import LinuxSystem
import Testing
import TestSupport

/// Plugins, earlier runs and other runs that get in the way of transfers.
@Suite struct RunRaceTests {
    /// Builds a plugin; `BASE` in its text is the server's address.
    private func build(
        _ text: String, base: String, in fixture: RunFixture, name: String = "plugin"
    ) throws -> String {
        let whole = """
            #include <bahost/bahost.h>
            #include <stdio.h>
            #include <unistd.h>
            BAHOST_PLUGIN("race", "1");
            static int32_t want(const bahost_host *host, const char *identifier,
                const char *url, uint64_t size)
            {
                bahost_download_request request;
                bahost_request_init(&request, identifier, url, size);
                return host->schedule(host, &request);
            }

            """ + text.replacingOccurrences(of: "BASE", with: base)
        return try fixture.compile(name, whole)
    }

    @Test func cancelledDownloadsCanBeAskedForAgainAtOnce() throws {
        let server = try NginxServer(rate: "400k")
        let fixture = try RunFixture()
        try server.serve("small", Data(repeating: 1, count: 100))
        try server.serve("big", Data(repeating: 2, count: 8 << 20))
        let plugin = try build(
            """
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                (void)r;
                want(host, "a", "BASE/small", 100);
                for (int i = 0; i < 3; i++) {
                    char name[8];
                    snprintf(name, sizeof name, "z%d", i);
                    want(host, name, "BASE/big", 8388608);
                }
                return 0;
            }
            int32_t bahost_download_finished(
                const bahost_host *host, const bahost_download *download, const char *path)
            {
                (void)path;
                for (int i = 0; download->identifier[0] == 'a' && i < 3; i++) {
                    char name[8];
                    snprintf(name, sizeof name, "z%d", i);
                    host->cancel(host, name);
                    want(host, name, "BASE/small", 100);
                }
                return 1;
            }
            """, base: server.base, in: fixture)
        let result = try fixture.run(plugin, ["--json"] + DownloadTests.network)
        let record = try Record(of: result)
        #expect(result.status == 0, "\(result.errors)")
        #expect(record.downloads.filter { $0.state == "finished" }.count == 4)
        #expect(record.downloads.allSatisfy { $0.bytes == 100 })
    }

    @Test func cancellingMuchWhileItRunsEnds() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        try server.serve("small", Data(repeating: 1, count: 1000))
        let plugin = try build(
            """
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                (void)r;
                for (int i = 0; i < 150; i++) {
                    char name[8];
                    snprintf(name, sizeof name, "z%03d", i);
                    want(host, name, "BASE/small", 1000);
                }
                return 0;
            }
            int32_t bahost_download_finished(
                const bahost_host *host, const bahost_download *download, const char *path)
            {
                (void)download, (void)path;
                for (int i = 0; i < 150; i++) {
                    char name[8];
                    snprintf(name, sizeof name, "z%03d", i);
                    host->cancel(host, name);
                }
                return 1;
            }
            """, base: server.base, in: fixture)
        // A debug build spends seconds on so many calls.
        let result = try fixture.run(
            plugin, ["--json", "--cpu-time", "60s"] + DownloadTests.network)
        let record = try Record(of: result)
        #expect(record.result == "ok", "\(record.detail ?? "")")
        let states = Set(record.downloads.map(\.state))
        #expect(states.isSubset(of: ["finished", "cancelled"]), "\(states)")
        let finished = record.downloads.filter { $0.state == "finished" }.map(\.identifier)
        #expect(fixture.scratch.contents(of: "out dir/Downloads") == finished.sorted())
    }

    /// A run that stops in the middle of `big`, and the same or another one after it.
    private func interrupted(
        _ fixture: RunFixture, _ plugin: String, _ options: [String]
    ) throws -> Int {
        let first = try fixture.start(plugin, options + DownloadTests.network)
        #expect(eventually { fixture.partialBytes > 1 << 20 })
        first.signal(SIGINT)
        #expect(try first.wait().status == 130)
        return fixture.partialBytes
    }

    @Test func anEarlierDownloadIsReplacedWhileItTransfers() throws {
        let server = try NginxServer(rate: "2m")
        let fixture = try RunFixture()
        try server.serve("small", Data(repeating: 1, count: 100))
        try server.serve("big", Data(repeating: 2, count: 24 << 20))
        let plugin = try build(
            """
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                (void)r;
                return want(host, "b", "BASE/big", 25165824);
            }
            int32_t bahost_update(const bahost_host *host, const bahost_content_request *r)
            {
                (void)r;
                return want(host, "a", "BASE/small", 100);
            }
            int32_t bahost_download_finished(
                const bahost_host *host, const bahost_download *download, const char *path)
            {
                (void)path;
                if (download->identifier[0] == 'a') {
                    want(host, "b", "BASE/small", 100);
                }
                return 1;
            }
            """, base: server.base, in: fixture)
        _ = try interrupted(fixture, plugin, [])
        let result = try fixture.run(
            plugin, ["--event", "update", "--json"] + DownloadTests.network)
        #expect(result.status == 0, "\(result.errors) \(result.output)")
        #expect(try Record(of: result).downloads.map(\.bytes) == [100, 100])
    }

    @Test func anEarlierDownloadThatIsNotAllowedNowKeepsWhatItHas() throws {
        let server = try NginxServer(rate: "2m")
        let fixture = try RunFixture()
        try server.serve("big", Data(repeating: 2, count: 24 << 20))
        let plugin = fixture.plugin("HelloDownload")
        let manifest = try fixture.scratch.write(
            "manifest", "big 25165824 - \(server.base)/big\n")
        let received = try interrupted(fixture, plugin, ["--manifest", manifest])
        let options = ["--event", "periodic", "--allow-loopback", "--json"]
        let result = try fixture.start(plugin, options).wait()
        #expect(result.status == 10, "\(result.errors)")
        #expect(try Record(of: result).downloads.map(\.state) == ["waiting"])
        #expect(fixture.partialBytes == received)
    }

    @Test func anInterruptedCompletionIsDeliveredInTheNextRun() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        try server.serve("small", Data(repeating: 1, count: 100))
        let text = """
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                (void)r;
                return want(host, "a", "BASE/small", 100);
            }
            int32_t bahost_download_finished(
                const bahost_host *host, const bahost_download *download, const char *path)
            {
                (void)path;
                bahost_log_format(host, BAHOST_LOG_INFO, "told of %s", download->identifier);
                sleep(SECONDS);
                return 1;
            }
            """
        let slow = try build(
            text.replacingOccurrences(of: "SECONDS", with: "60"), base: server.base, in: fixture)
        let first = try fixture.start(slow, DownloadTests.network)
        #expect(eventually { first.errorsSoFar.contains("told of a") })
        first.signal(SIGINT)
        #expect(try first.wait().status == 130)
        let quick = try build(
            text.replacingOccurrences(of: "SECONDS", with: "0"), base: server.base, in: fixture,
            name: "quick")
        let result = try fixture.run(
            quick, ["--event", "update", "--json"] + DownloadTests.network)
        #expect(try Record(of: result).log == ["info: told of a"], "\(result.errors)")
    }

    @Test func filesOfUnknownSizeShareOneAllowance() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        var manifest = ""
        for number in 1...6 {
            try server.serve("f\(number)", Data(repeating: 3, count: 900_000))
            manifest += "f\(number) 0 - \(server.base)/f\(number)\n"
        }
        let path = try fixture.scratch.write("manifest", manifest)
        let result = try fixture.run(
            fixture.plugin("HelloDownload"),
            ["--manifest", path, "--download-allowance", "1M", "--json"] + DownloadTests.network)
        let record = try Record(of: result)
        let finished = record.downloads.filter { $0.state == "finished" }
        #expect(finished.count == 1)
        #expect(record.downloads.filter { $0.state == "failed" }.count == 5)
        #expect(result.status == 10)
    }

    @Test func aFolderWithOtherThingsInItIsLeftAlone() throws {
        let fixture = try RunFixture()
        let folder = "\(fixture.scratch.path)/project"
        try FileManager.default.createDirectory(
            atPath: "\(folder)/tmp", withIntermediateDirectories: true)
        try Data("years".utf8).write(to: URL(fileURLWithPath: "\(folder)/tmp/thesis"))
        let result = try fixture.runPlain([
            "run", "--plugin", fixture.plugin("HelloDownload"), "--output", folder, "--state",
            fixture.state,
        ])
        #expect(result.status == 73)
        #expect(result.errors.contains(folder))
        #expect(fixture.scratch.contents(of: "project") == ["tmp", "tmp/thesis"])
        #expect(!FileManager.default.fileExists(atPath: fixture.state))
    }

    @Test func twoRunsDoNotShareAContainer() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "sleep\n")
        let first = try fixture.start(
            fixture.plugin("hostile"), ["--manifest", manifest, "--wall-time", "20s"])
        #expect(eventually { FileManager.default.fileExists(atPath: "\(fixture.output)/tmp") })
        let second = try fixture.runPlain([
            "run", "--plugin", fixture.plugin("hostile"), "--output", fixture.output, "--state",
            "\(fixture.scratch.path)/other",
        ])
        #expect(second.status == 73)
        #expect(second.errors.contains("another run"))
        first.signal(SIGINT)
        #expect(try first.wait().status == 130)
        fixture.audit()
    }

    @Test func aDeepAndOddTemporaryFolderIsEmptied() throws {
        let fixture = try RunFixture()
        let plugin = try build(
            """
            #include <sys/stat.h>
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                (void)host, (void)r;
                FILE *odd = fopen("\\xff\\xfe odd", "w");
                if (odd != NULL) {
                    fclose(odd);
                }
                for (int i = 0; i < 200; i++) {
                    if (mkdir("deep", 0700) != 0 || chdir("deep") != 0) {
                        return -2;
                    }
                }
                return mkdir("closed", 0) == 0 ? 0 : -3;
            }
            """, base: "", in: fixture)
        let result = try fixture.run(plugin, ["--json"])
        #expect(try Record(of: result).result == "ok", "\(result.output)")
    }

    /// Each download that fails at once frees the slot of the next.
    @Test func manyDownloadsThatFailAtOnceDoNotPileUp() throws {
        let fixture = try RunFixture()
        let lines = (0..<1500).map { "f\($0) 0 - http://127.0.0.1:1/x\n" }.joined()
        let manifest = try fixture.scratch.write("manifest", lines)
        let words =
            [
                Products.program("bahost"), "run", "--plugin", fixture.plugin("HelloDownload"),
                "--manifest", manifest, "--output", fixture.output, "--state", fixture.state,
                "--download-allowance", "\(lines.utf8.count)", "--quiet",
            ] + DownloadTests.network
        let result = try runProgram(
            "/bin/bash", ["-c", "ulimit -s 1024; exec \"$0\" \"$@\""] + words,
            environment: ["HOME": fixture.scratch.path])
        #expect(result.status == 10, "signal \(result.signal ?? 0)")
    }

    /// Rows of two databases have the same numbers.
    @Test func twoStatesOfOneContainerDoNotMixTheirFiles() throws {
        let server = try NginxServer(rate: "2m")
        let fixture = try RunFixture()
        for (name, byte) in [("x", UInt8(1)), ("y", 2)] {
            try server.serve(name, Data(repeating: byte, count: 6 << 20))
            try fixture.scratch.write(name, "\(name) 6291456 - \(server.base)/\(name)\n")
        }
        let plugin = fixture.plugin("HelloDownload")
        let other = ["--state", "\(fixture.scratch.path)/other"]
        let first = ["--manifest", "\(fixture.scratch.path)/x"]
        _ = try interrupted(fixture, plugin, first)
        let second = try fixture.start(
            plugin, ["--manifest", "\(fixture.scratch.path)/y"] + other + DownloadTests.network)
        #expect(eventually { server.requests.count + fixture.partialCount >= 3 })
        second.signal(SIGINT)
        #expect(try second.wait().status == 130)
        let third = try fixture.start(plugin, first + DownloadTests.network).wait()
        #expect(third.status == 0, "\(third.errors)")
        let file = URL(fileURLWithPath: "\(fixture.output)/Downloads/x")
        #expect(try Data(contentsOf: file) == Data(repeating: 1, count: 6 << 20))
    }

    /// A folder that its plugin has closed to readers is looked through and emptied all the same.
    @Test(arguments: users)
    func closedFoldersHideNothing(user: UInt32?) throws {
        let fixture = try RunFixture(as: user)
        let plugin = try build(
            """
            #include <fcntl.h>
            #include <sys/stat.h>
            #include <time.h>
            #include <string.h>
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                static char block[1 << 20];
                (void)host, (void)r;
                memset(block, 1, sizeof block);
                int folder = open(".", O_RDONLY | O_DIRECTORY);
                fchmod(folder, 0300);
                for (int i = 0; i < 100; i++) {
                    char name[16];
                    snprintf(name, sizeof name, "f%d", i);
                    int file = open(name, O_WRONLY | O_CREAT, 0600);
                    for (int k = 0; k < 4; k++) {
                        if (write(file, block, sizeof block) < 0) {
                            return -3;
                        }
                    }
                    close(file);
                    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
                }
                return 0;
            }
            """, base: "", in: fixture)
        let result = try fixture.run(plugin, ["--json"])
        #expect(try Record(of: result).result == "file_limit", "\(result.output)")
    }

    @Test func anImpossibleSizeIsRefusedAndTheRestGoesOn() throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        try server.serve("small", Data(repeating: 1, count: 100))
        let plugin = try build(
            """
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                (void)r;
                want(host, "huge", "BASE/small", UINT64_MAX);
                want(host, "tab\\there", "BASE/small", 100);
                return want(host, "a", "BASE/small", 100);
            }
            """, base: server.base, in: fixture)
        let result = try fixture.run(plugin, ["--json"] + DownloadTests.network)
        let record = try Record(of: result)
        #expect(result.status == 0, "\(result.output)")
        #expect(record.refused.map(\.code).sorted() == [1000, 1002])
        #expect(record.downloads.map(\.identifier) == ["a"])
    }
}
