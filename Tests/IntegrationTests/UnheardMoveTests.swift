import Foundation
import Glibc
import Testing
import TestSupport

/// A host that ends before it has heard that its extension has moved a finished file.
@Suite struct UnheardMoveTests {
    private static let mover = """
        #include <bahost/bahost.h>
        #include <stdlib.h>
        #include <unistd.h>
        BAHOST_PLUGIN("Mover", "1.0");
        int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
        {
            FILE *manifest = fopen(request->manifest_path, "re");
            char name[256], url[1024];
            unsigned long long size;
            bahost_download_request wish;
            if (fscanf(manifest, "%255s %llu %1023s", name, &size, url) != 3)
                return -1;
            bahost_request_init(&wish, name, url, size);
            fclose(manifest);
            return host->schedule(host, &wish);
        }
        int32_t bahost_download_finished(const bahost_host *host, const bahost_download *download,
                                         const char *path)
        {
            char target[4096];
            (void)host, (void)download;
            snprintf(target, sizeof target, "%s/" FOLDER "/moved", getenv("HOME"));
            if (rename(path, target) != 0)
                return -2;
            for (int i = 0; i < 20; i++)
                sleep(1);
            return BAHOST_FINISHED_KEEP;
        }
        """

    @Test(arguments: [SIGKILL, SIGINT], ["Library", "tmp"])
    func theFileStaysTheSystemsToTakeBack(signal: Int32, folder: String) throws {
        let server = try NginxServer()
        let fixture = try RunFixture()
        try server.serve("big", TestData.bytes(count: 300_000, seed: 1))
        let plugin = try fixture.compile(
            "mover", "#define FOLDER \"\(folder)\"\n" + Self.mover,
            ["-fvisibility=hidden", "-Wl,-z,now", "-Wl,-z,noexecstack"])
        let manifest = try fixture.scratch.write("manifest", "big 300000 \(server.base)/big\n")
        let run = try fixture.start(plugin, ["--manifest", manifest] + DownloadTests.network)
        let moved = "\(fixture.output)/\(folder)/moved"
        #expect(eventually { FileManager.default.fileExists(atPath: moved) })
        run.signal(signal)
        _ = try run.wait()
        fixture.expectNoProcess()

        let idle = try fixture.scratch.write("idle", "# nothing\n")
        let next = try fixture.run(
            fixture.plugin("HelloDownload"),
            ["--manifest", idle, "--json"] + DownloadTests.network)
        let record = try Record(of: next)
        #expect(server.requests.count == 1)
        #expect(record.downloads.map(\.state) == ["finished"], "\(record.downloads)")
        #expect(next.status == 0)
        let purge = try fixture.runPlain(
            ["storage", "purge", "--dry-run", "--json", "--state", fixture.state, "--output"]
                + [fixture.output])
        // It is where it was told to be, and the extension would have moved it again.
        #expect(purge.output.contains("\"files\":[\"Downloads/big\"]"), "\(purge.output)")
    }
}
