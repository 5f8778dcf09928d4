import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// A plugin that asks for one file and logs one line.
let helloSource = """
    #include <bahost/bahost.h>
    #include <stdio.h>
    BAHOST_PLUGIN("Hello", "1.0");
    int32_t bahost_install(const bahost_host *host, const bahost_content_request *request)
    {
        bahost_download_request wish;
        bahost_request_init(&wish, "hello", "https://example.com/hello.bin", 12);
        printf("hello to stdout\\n");
        bahost_log_format(host, BAHOST_LOG_INFO, "app %s", request->app->app_identifier);
        return host->schedule(host, &wish);
    }
    """

@Suite struct HelloPluginTests {
    @Test func installsAndReturnsZero() throws {
        let workshop = try PluginWorkshop()
        let plugin = try workshop.build(helloSource)
        let outcome = try workshop.harness(plugin, [install()]).run()
        print(outcome)
        #expect(outcome.setupFailure == nil)
        #expect(outcome.loadFailure == nil)
        #expect(outcome.returns.map(\.status) == [0])
        #expect(outcome.wishes.map(\.identifier) == ["hello"])
        #expect(outcome.wishes.first?.sizeBytes == 12)
        #expect(outcome.hostCalls.first == .log(level: 1, text: "app org.example.app"))
        #expect(outcome.output == "hello to stdout\n")
        #expect(outcome.evidence == [])
        #expect(outcome.end?.exitCode == 0)
    }
}
