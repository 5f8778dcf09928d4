import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// Host calls with good and bad arguments; the plugin checks the answers itself.
private let source = """
    #define _GNU_SOURCE
    #include <bahost/bahost.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdlib.h>
    #include <unistd.h>
    BAHOST_PLUGIN("Calls", "1.0");
    #define CHECK(claim) do { if (!(claim)) return -__LINE__; } while (0)
    static const bahost_host *table;
    static int terminate_reason;

    static bahost_download_request wish(void)
    {
        bahost_download_request wish;
        bahost_request_init(&wish, "one", "https://example.com/1", 0);
        return wish;
    }
    static char *letters(size_t count)
    {
        char *text = malloc(count + 1);
        memset(text, 'a', count);
        text[count] = 0;
        return text;
    }
    static int tables(const bahost_host *host)
    {
        bahost_host copy = *host;
        bahost_download_request one = wish();
        uint32_t count = 0;
        bahost_download out[1] = { { .struct_size = sizeof out[0] } };
        CHECK(host->struct_size == 88 && host->abi_major == 0 && host->abi_minor == 1);
        CHECK(host->schedule(NULL, &one) == 1000 && host->schedule(&copy, &one) == 1000);
        CHECK(host->cancel(NULL, "one") == 1000);
        CHECK(host->current_downloads(NULL, NULL, out, 1, &count) == 1000);
        CHECK(host->acquire_exclusive(NULL, 0) == 1000 && host->release_exclusive(NULL) == 1000);
        CHECK(host->remaining(NULL, 1) == 0 && host->query(host, "bahost.x/1") == NULL);
        host->log(NULL, 0, "x", 1);
        return 0;
    }
    static int forms(const bahost_host *host)
    {
        bahost_download_request w = wish();
        CHECK(host->schedule(host, NULL) == 1000);
        w.struct_size = 79; CHECK(host->schedule(host, &w) == 1000);
        w = wish(); w.flags = 4; CHECK(host->schedule(host, &w) == 1000);
        w = wish(); w.identifier = NULL; CHECK(host->schedule(host, &w) == 1000);
        w = wish(); w.url = NULL; CHECK(host->schedule(host, &w) == 1000);
        w = wish(); w.identifier = ""; CHECK(host->schedule(host, &w) == 1002);
        w = wish(); w.identifier = letters(256); CHECK(host->schedule(host, &w) == 1002);
        w = wish(); w.url = letters(8193); CHECK(host->schedule(host, &w) == 1002);
        w = wish(); w.identifier = "\\xff"; CHECK(host->schedule(host, &w) == 1002);
        w = wish(); w.group = letters(256); CHECK(host->schedule(host, &w) == 1002);
        w = wish(); w.header_count = 1; CHECK(host->schedule(host, &w) == 1000);
        w = wish(); w.mirror_count = 1; CHECK(host->schedule(host, &w) == 1000);
        bahost_header headers[65];
        for (int i = 0; i < 65; i++) headers[i] = (bahost_header){ "X-Test", "1" };
        w = wish(); w.headers = headers; w.header_count = 65;
        CHECK(host->schedule(host, &w) == 1000);
        const char *forbidden[] = { "Host", "RANGE", "If-Range", "accept-encoding", "Connection",
                                    "Host:x", "a b", "a\\nb" };
        for (int i = 0; i < 8; i++) {
            headers[0].name = forbidden[i]; w.header_count = 1;
            CHECK(host->schedule(host, &w) == 1000);
        }
        headers[0] = (bahost_header){ "X", "a\\r\\nHost: b" };
        CHECK(host->schedule(host, &w) == 1000);
        headers[0] = (bahost_header){ "X", NULL };
        CHECK(host->schedule(host, &w) == 1000);
        headers[0] = (bahost_header){ "X", letters(16384) };
        CHECK(host->schedule(host, &w) == 1002);
        const char *mirrors[17] = { 0 };
        w = wish(); w.mirrors = mirrors; w.mirror_count = 17;
        CHECK(host->schedule(host, &w) == 1000);
        w.mirror_count = 1; CHECK(host->schedule(host, &w) == 1000);
        CHECK(host->cancel(host, NULL) == 1000 && host->cancel(host, "") == 1002);
        CHECK(host->acquire_exclusive(host, -2) == 1000);
        return 0;
    }
    static int largest(const bahost_host *host)
    {
        bahost_download_request w = wish();
        struct { bahost_download_request known; char later[40]; } longer;
        bahost_header headers[64];
        uint8_t digest[32] = { 1, 2, 3 };
        for (int i = 0; i < 64; i++) headers[i] = (bahost_header){ "X-Test", "" };
        headers[0].value = letters(16384 - 64 * 6);
        w.identifier = letters(255); w.url = letters(8192); w.group = letters(255);
        w.headers = headers; w.header_count = 64; w.flags = 3; w.priority = -5;
        w.sha256 = digest; w.size_bytes = 9;
        memset(&longer, 0xff, sizeof longer);
        longer.known = w; longer.known.struct_size = sizeof longer;
        return host->schedule(host, &longer.known);
    }
    static int pages(const bahost_host *host)
    {
        struct { bahost_download known; char later[24]; } out[300];
        uint32_t count = 99;
        memset(out, 0x5a, sizeof out);
        CHECK(host->current_downloads(host, NULL, NULL, 1, &count) == 1000);
        CHECK(host->current_downloads(host, NULL, &out[0].known, 1, NULL) == 1000);
        out[0].known.struct_size = 71;
        CHECK(host->current_downloads(host, NULL, &out[0].known, 1, &count) == 1000);
        out[0].known.struct_size = sizeof out[0];
        CHECK(host->current_downloads(host, NULL, &out[0].known, 0, &count) == 1000);
        CHECK(host->current_downloads(host, "", &out[0].known, 1, &count) == 1002);
        CHECK(host->current_downloads(host, "after", &out[0].known, 300, &count) == 0);
        CHECK(count == 2 && out[0].known.struct_size == 72 && out[0].later[0] == 0x5a);
        CHECK(strcmp(out[0].known.identifier, "first") == 0 && out[0].known.state == 2);
        CHECK(strcmp(out[1].known.identifier, "second") == 0 && out[1].known.size_bytes == 8);
        CHECK(out[1].known.flags == 1 && out[2].known.struct_size == 0x5a5a5a5a);
        return 0;
    }
    static int unlisted(const bahost_host *host)
    {
        bahost_download out = { .struct_size = sizeof out };
        uint32_t count = 99;
        return host->current_downloads(host, NULL, &out, 1, &count) == 1006 && count == 99 ? 0 : -1;
    }
    static void *for_ever(void *unused)
    {
        for (;;) pause();
        return unused;
    }
    static int leave(void)
    {
        pthread_t thread;
        CHECK(open("/dev/null", O_RDONLY) >= 0);
        return pthread_create(&thread, NULL, for_ever, NULL);
    }
    static void *from_thread(void *unused)
    {
        bahost_download_request one = wish();
        for (int i = 0; i < 50; i++)
            if (table->schedule(table, &one) != 100) return (void *)1;
        return NULL;
    }
    static int threads(const bahost_host *host)
    {
        pthread_t thread[4];
        void *result;
        table = host;
        for (int i = 0; i < 4; i++) pthread_create(&thread[i], NULL, from_thread, NULL);
        for (int i = 0; i < 4; i++) { pthread_join(thread[i], &result); CHECK(result == NULL); }
        return 0;
    }
    static int logs(const bahost_host *host)
    {
        char *text = letters(4095);
        strcpy(text + 4093, "\\xc3\\xa4");
        host->log(host, 1, text, 4095);
        memset(text, 'a', 4095);
        char longer[4098];
        memset(longer, 'b', sizeof longer);
        memcpy(longer + 4095, "\\xc3\\xa4", 2);
        host->log(host, 9, longer, 4098);
        host->log(host, -1, "a\\0b\\xff\\x1b", 5);
        host->log(host, 1, NULL, 0);
        host->log(host, 1, NULL, 5);
        return 0;
    }
    static void *late(void *unused)
    {
        bahost_download_request one = wish();
        while (table->schedule(table, &one) != 1006) usleep(100);
        _exit(table->remaining(table, 1) == 0 && table->query(table, "x") == NULL ? 42 : 43);
    }
    #define CASE(text) if (strcmp(request->app->app_identifier, text) == 0)
    int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
    {
        CASE("tables") return tables(host);
        CASE("forms") return forms(host);
        CASE("largest") return largest(host);
        CASE("pages") return pages(host);
        CASE("unlisted") return unlisted(host);
        CASE("leave") return leave();
        CASE("threads") return threads(host);
        CASE("logs") return logs(host);
        CASE("values") return host->remaining(host, 5) == 1234 && host->remaining(host, 6) == 0
                              && host->acquire_exclusive(host, -1) == 0 ? 0 : -1;
        CASE("terminate") {
            bahost_log_text(host, 1, "go");
            while (__atomic_load_n(&terminate_reason, __ATOMIC_SEQ_CST) == 0) usleep(1000);
            return terminate_reason;
        }
        CASE("late") {
            pthread_t thread;
            table = host;
            return pthread_create(&thread, NULL, late, NULL);
        }
        CASE("app") {
            const bahost_app_info *app = request->app;
            CHECK(app->struct_size == 80 && request->struct_size == 32 && request->kind == 1);
            CHECK(app->flags == 1 && app->app_version == NULL && app->previous_version == NULL);
            CHECK(strcmp(app->group, "group.example") == 0 && strcmp(app->language, "en") == 0);
            CHECK(request->manifest_size == 0 && request->manifest_path == NULL);
            CHECK(app->restricted_bytes_remaining == -1 && access(app->cache_path, W_OK) == 0);
            return 0;
        }
        return 77;
    }
    int32_t bahost_download_finished(
        const bahost_host *host, const bahost_download *download, const char *path)
    {
        return strcmp(download->identifier, "first") == 0 && access(path, R_OK) == 0 ? 1 : -1;
    }
    int32_t bahost_download_failed(
        const bahost_host *host, const bahost_download *download, const bahost_error *error)
    {
        return error->domain == 3 && error->code == 404 && error->http_status == 404
                   && strcmp(error->message, "not found") == 0 ? 0 : -1;
    }
    void bahost_will_terminate(const bahost_host *host, uint32_t reason)
    {
        __atomic_store_n(&terminate_reason, (int)reason, __ATOMIC_SEQ_CST);
    }
    """

@Suite struct HostCallTests {
    private let workshop: PluginWorkshop
    private let plugin: String

    private static let library = Result {
        try PluginWorkshop.build(
            source, in: PluginWorkshop.buildFolder, name: "calls", ["-pthread"])
    }

    init() throws {
        workshop = try PluginWorkshop()
        plugin = try workshop.copy(of: HostCallTests.library.get())
    }

    private func run(
        _ what: String, _ answer: @escaping (HostCall) -> HostReply = { _ in .status(0) }
    ) throws -> WorkerOutcome {
        var harness = workshop.harness(plugin, [install(what)])
        harness.answer = answer
        return try harness.run()
    }

    private func download(_ identifier: String) -> DownloadDescription {
        var download = DownloadDescription()
        download.identifier = identifier
        download.state = 2
        return download
    }

    @Test func aTableThatIsNotOursIsRefusedAndSaid() throws {
        let outcome = try run("tables")
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.refusals.count == 8)
        #expect(outcome.wishes == [])
    }

    @Test func wishesOfBadFormAreRefusedAndSaid() throws {
        let outcome = try run("forms")
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.wishes == [])
        #expect(outcome.refusals.count == outcome.hostCalls.count)
        let refused = HostCall.refused(
            identifier: "one", code: 1000,
            sentence: "schedule: request->headers[0].name is Host, which is the host's own")
        #expect(outcome.refusals.contains(refused))
    }

    @Test func theLargestWishPassesWhole() throws {
        let outcome = try run("largest") { _ in .status(112) }
        #expect(outcome.returns.map(\.status) == [112])
        let wish = try #require(outcome.wishes.first)
        #expect(wish.identifier.utf8.count == 255)
        #expect(wish.url.utf8.count == 8192)
        #expect(wish.headers.count == 64)
        #expect(wish.isEssential && wish.allowsMetered)
        #expect(wish.sha256?.prefix(4) == [1, 2, 3, 0])
        #expect(wish.priority == -5)
    }

    @Test func listsDownloadsWithThePluginsOwnStride() throws {
        let downloads = [download("first"), download("second")]
        let outcome = try run("pages") { _ in
            var downloads = downloads
            downloads[1].isEssential = true
            downloads[1].sizeBytes = 8
            return .downloads(downloads)
        }
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.hostCalls.contains(.currentDownloads(after: "after", capacity: 256)))
    }

    @Test func aListThatTheHostRefusesIsAStatus() throws {
        let outcome = try run("unlisted") { _ in .status(1006) }
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test func whatIsLeftOpenIsCounted() throws {
        var harness = workshop.harness(plugin, [install("leave"), install("leave")])
        harness.setup.countsHoldings = true
        let returns = try harness.run().returns
        #expect(returns.map(\.status) == [0, 0])
        let holdings = returns.map(\.holdings)
        #expect(holdings.map(\.threads) == [3, 4])
        let files = try #require(holdings.first).openFiles
        #expect(files > 4 && holdings.last?.openFiles == files + 1)
    }

    @Test func callsOfSeveralThreadsTakeTurns() throws {
        let outcome = try run("threads") { _ in .status(100) }
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.wishes.count == 200)
    }

    @Test func logLinesAreCutAndEscaped() throws {
        let outcome = try run("logs")
        let lines = outcome.hostCalls.compactMap { call -> (Int32, String)? in
            if case .log(let level, let text) = call { (level, text) } else { nil }
        }
        #expect(lines.count == 4)
        #expect(lines[0].1.utf8.count == 4095)
        #expect(lines[0].1.hasSuffix("ä"))
        #expect(lines[1].1 == String(repeating: "b", count: 4095))
        #expect(lines.map(\.0) == [1, 4, 0, 1])
        #expect(lines[2].1 == "a\\x00b\\xff\u{1b}")
        #expect(outcome.refusals.count == 1)
    }

    @Test func valuesAndLeasesAreAsked() throws {
        let outcome = try run("values") {
            if case .remaining = $0 { .value(1234) } else { .status(0) }
        }
        #expect(outcome.returns.map(\.status) == [0])
        #expect(
            outcome.hostCalls == [
                .remaining(what: 5), .acquireExclusive(timeoutMilliseconds: -1),
            ])
    }

    @Test func willTerminateRunsBesideTheEntryPoint() throws {
        var harness = workshop.harness(plugin, [install("terminate")])
        harness.controlByte = 3
        #expect(try harness.run().returns.map(\.status) == [3])
    }

    @Test func callsAfterTheReturnAreRefused() throws {
        var harness = workshop.harness(plugin, [install("late")])
        harness.isSilentAfterReturn = true
        #expect(try harness.run().end?.exitCode == 42)
    }

    @Test func theAppIsDescribed() throws {
        #expect(try run("app").returns.map(\.status) == [0])
    }

    @Test func completionsAreDelivered() throws {
        let place = workshop.container.appendingPathComponent("Downloads/first")
        try Data("x".utf8).write(to: place)
        let error = ErrorDescription(domain: 3, code: 404, httpStatus: 404, message: "not found")
        let calls: [EntryCall] = [
            .finished(download("first"), path: "Downloads/first"),
            .failed(download("second"), error),
        ]
        let outcome = try workshop.harness(plugin, calls).run()
        #expect(outcome.returns.map(\.status) == [1, 0])
    }

    @Test func anAbsentEntryPointHasItsDefault() throws {
        var app = AppDescription()
        app.identifier = "x"
        let calls = [EntryCall.content(.update, app, manifestBytes: 0)]
        let outcome = try workshop.harness(plugin, calls).run()
        #expect(outcome.returns.map(\.wasCalled) == [false])
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test func aReplyOfTheWrongKindEndsTheWorker() throws {
        #expect(try run("largest") { _ in .value(0) }.end?.exitCode == 71)
    }
}
