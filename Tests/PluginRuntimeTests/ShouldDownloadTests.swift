import Foundation
import LinuxSystem
import Testing
import WireProtocol

/// `bahost_should_download` in the real worker.
@Suite struct ShouldDownloadTests {
    private let workshop: PluginWorkshop
    private let plugin: String

    private static let library = Result {
        try PluginWorkshop.build(source, in: PluginWorkshop.buildFolder, name: "packs", [])
    }

    init() throws {
        workshop = try PluginWorkshop()
        plugin = try workshop.copy(of: ShouldDownloadTests.library.get())
    }

    private static let source = #"""
        #include <bahost/bahost.h>
        #include <stdlib.h>
        #include <string.h>
        #include <time.h>
        BAHOST_PLUGIN("packs", "1");
        static volatile int is_warned;

        static int64_t now_ms(void)
        {
            struct timespec time;
            clock_gettime(CLOCK_MONOTONIC, &time);
            return time.tv_sec * 1000 + time.tv_nsec / 1000000;
        }

        #define CHECK(what) do { if (!(what)) return -(100 + __LINE__); } while (0)
        static int32_t full(const bahost_asset_pack *pack)
        {
            CHECK(pack->struct_size == sizeof *pack && pack->flags == BAHOST_PACK_UPDATE);
            CHECK(pack->version == INT64_MAX && pack->local_version == 6);
            CHECK(pack->download_bytes == UINT64_MAX && pack->installed_bytes == 8);
            CHECK(pack->policy == BAHOST_POLICY_PREFETCH);
            CHECK(pack->installation_events == BAHOST_EVENT_SUBSEQUENT_UPDATE);
            CHECK(strcmp(pack->language, "de-AT") == 0);
            CHECK(pack->user_info.length == 7 && memcmp(pack->user_info.data, "{\"a\":1}", 7) == 0);
            return 1;
        }

        static int32_t plain(const bahost_asset_pack *pack)
        {
            CHECK(pack->struct_size == sizeof *pack && pack->flags == 0);
            CHECK(pack->version == 0 && pack->local_version == -1);
            CHECK(pack->policy == BAHOST_POLICY_ON_DEMAND && pack->installation_events == 0);
            CHECK(pack->language == NULL && pack->user_info.data == NULL);
            CHECK(pack->user_info.length == 0);
            return 1;
        }

        int32_t bahost_should_download(const bahost_host *host, const bahost_asset_pack *pack)
        {
            const char *name = pack->identifier;
            if (strcmp(name, "full") == 0) return full(pack);
            if (strcmp(name, "plain") == 0) return plain(pack);
            if (strncmp(name, "slow", 4) == 0) {
                for (int64_t until = now_ms() + 20; now_ms() < until;) { }
                return 1;
            }
            if (strcmp(name, "warned") == 0) {
                host->remaining(host, BAHOST_REMAINING_CALL_MS);
                while (!is_warned) { }
                return 1;
            }
            return atoi(name);
        }

        void bahost_will_terminate(const bahost_host *host, uint32_t reason)
        {
            (void)host, (void)reason;
            is_warned = 1;
        }
        """#

    private func batch(_ identifiers: [String]) throws -> EntryCall {
        let packs = try identifiers.map { try AssetPackDescription(identifier: $0) }
        return .packs(try #require(PackBatch(prefixOf: packs[...])))
    }

    private func pieces(_ outcome: WorkerOutcome) -> [[Int32]] {
        outcome.messages.compactMap { if case .answered(let piece) = $0 { piece } else { nil } }
    }

    @Test func everyPackIsAnsweredInOrder() throws {
        let names = (0..<256).map { "\($0 % 2)/\($0)" }
        let outcome = try workshop.harness(plugin, [batch(names), batch(["0", "1"])]).run()
        #expect(pieces(outcome).flatMap(\.self) == (0..<256).map { $0 % 2 } + [0, 1])
        #expect(outcome.returns.map(\.status) == [0, 0])
        #expect(outcome.returns.map(\.wasCalled) == [true, true])
        #expect(outcome.end?.exitCode == 0)
    }

    @Test func thePluginSeesTheWholePack() throws {
        var full = try AssetPackDescription(
            identifier: "full", language: "de-AT", userInfo: Array(#"{"a":1}"#.utf8))
        full.version = .max
        full.localVersion = 6
        full.isUpdate = true
        full.downloadBytes = .max
        full.installedBytes = 8
        full.policy = .prefetch
        full.appliesToSubsequentUpdate = true
        let plain = try AssetPackDescription(identifier: "plain")
        let both = try #require(PackBatch(prefixOf: [full, plain]))
        let outcome = try workshop.harness(plugin, [.packs(both)]).run()
        #expect(pieces(outcome).flatMap(\.self) == [1, 1])
    }

    @Test func aNegativeReplyStopsNothing() throws {
        let outcome = try workshop.harness(plugin, [batch(["-7", "1", "-2147483648", "0"])]).run()
        #expect(pieces(outcome).flatMap(\.self) == [-7, 1, .min, 0])
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test func aWrongReplyIsTheLast() throws {
        let outcome = try workshop.harness(plugin, [batch(["1", "2", "1"])]).run()
        #expect(pieces(outcome).flatMap(\.self) == [1, 2])
        #expect(outcome.returns.map(\.status) == [2])
    }

    @Test func aSlowPackIsToldBeforeTheNextIsAsked() throws {
        let outcome = try workshop.harness(plugin, [batch(["slow1", "slow2", "1"])]).run()
        #expect(pieces(outcome) == [[1], [1], [1]])
    }

    /// What came before a host call is told before it; what is answered after the host's warning
    /// is not told at all, and nothing more is asked.
    @Test func theWarningEndsTheBatch() throws {
        var harness = workshop.harness(plugin, [try batch(["1", "0", "warned", "1"])])
        harness.controlByte = 1
        harness.answer = { _ in .value(1) }
        let outcome = try harness.run()
        #expect(pieces(outcome) == [[1, 0]])
        let told = outcome.messages.firstIndex(of: .answered([1, 0]))
        let asked = outcome.messages.firstIndex(of: .hostCall(.remaining(what: 3)))
        #expect(try #require(told) < #require(asked))
        #expect(outcome.returns.map(\.status) == [0])
    }

    @Test func withoutTheEntryPointNothingIsCalled() throws {
        let outcome = try workshop.harness(
            try workshop.build(helloSource, name: "hello"), [batch(["1", "0"])]
        ).run()
        #expect(pieces(outcome).isEmpty)
        #expect(outcome.returns.map(\.status) == [1])
        #expect(outcome.returns.map(\.wasCalled) == [false])
    }

    /// Each pack's memory goes before the next one's comes: 100 batches of 64 KiB fit into 6 MiB.
    @Test func theMemoryOfAPackIsGivenBack() throws {
        let big = try AssetPackDescription(
            identifier: "1", userInfo: [UInt8](repeating: 32, count: WireBound.userInfoBytes))
        let batch = try #require(PackBatch(prefixOf: [big]))
        let calls = [EntryCall](repeating: .packs(batch), count: 100)
        let outcome = try workshop.harness(plugin, calls).run()
        #expect(outcome.evidence == [])
        #expect(pieces(outcome) == [[Int32]](repeating: [1], count: 100))
    }
}
