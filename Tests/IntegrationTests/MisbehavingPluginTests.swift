import Foundation
import LinuxSystem
import Testing
import TestSupport

/// Each sin ends as its verdict, in time, and leaves neither process nor file behind.
@Suite struct MisbehavingPluginTests {
    struct Sin: CustomTestStringConvertible {
        let word: String
        let options: [String]
        let result: String
        let status: Int32
        let budget: Duration

        init(
            _ word: String, _ result: String, _ status: Int32, options: [String] = [],
            budget: Duration = .seconds(30)
        ) {
            self.word = word
            self.result = result
            self.status = status
            self.options = options
            self.budget = budget
        }

        var testDescription: String { "\(word) \(options.joined(separator: " "))" }
    }

    static let short = ["--wall-time", "2s", "--cpu-time", "60s"]

    /// One for each exit status; `bahost conformance` has the rest.
    static let sins = [
        Sin("hello", "ok", 0),
        Sin("malloc-forever", "memory_limit", 24),
        Sin("ignore-signals-and-spin", "wall_timeout", 29, options: short, budget: .seconds(2)),
        Sin("spin", "cpu_limit", 28, options: ["--wall-time", "60s", "--cpu-time", "1s"]),
        Sin("fork", "policy_violation", 30),
        Sin("abort", "crash", 31),
        Sin("deep-recursion", "stack_overflow", 25),
        Sin("exit-0", "exited_early", 32),
        Sin("close-all-descriptors", "protocol_error", 33),
        Sin("bad-return", "bad_reply", 21),
        Sin("negative-return", "plugin_error", 20),
        Sin("big-file", "file_limit", 26),
    ]

    @Test(arguments: sins)
    func endsAsItsVerdict(sin: Sin) throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", sin.word + "\n")
        let result = try fixture.run(
            fixture.plugin("hostile"), ["--manifest", manifest, "--json"] + sin.options)
        let record = try Record(of: result)
        #expect(record.result == sin.result, "\(record.detail ?? "") \(result.errors)")
        #expect(result.status == sin.status)
        #expect(record.status == Int(sin.status))
        // The budget, the grace and a second; the rest is room for a busy machine.
        #expect(result.duration < sin.budget + .seconds(11.5))
    }

    @Test func aSinOfAConstructorIsToldToHaveComeWhileLoading() throws {
        let fixture = try RunFixture()
        let result = try fixture.run(fixture.scratch.constructor("abort"), ["--json"])
        let record = try Record(of: result)
        #expect(record.result == "crash", "\(record.detail ?? "")")
        #expect(record.stage == "load")
    }

    @Test func aRequestFloodMeetsTheQuota() throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", "request-flood\n")
        let result = try fixture.run(
            fixture.plugin("hostile"), ["--manifest", manifest, "--json", "--wall-time", "10m"])
        let record = try Record(of: result)
        #expect(record.refused.contains { $0.code == 1001 }, "\(record.result)")
    }

    @Test func missingLayersAreNamed() throws {
        let fixture = try RunFixture()
        let result = try fixture.run(fixture.plugin("template"), ["--json"])
        let record = try Record(of: result)
        let named = record.isolation.layers + record.isolation.missing.map(\.layer)
        #expect(Set(named).count == named.count)
        for layer in ["rlimits", "seccomp", "no-new-privileges", "capabilities"] {
            #expect(record.isolation.layers.contains(layer))
        }
        #expect(record.isolation.missing.allSatisfy { !$0.why.isEmpty })
    }

    /// Also where nothing but the user's id stands between them.
    @Test func thePluginCannotReadItsLauncherOrItsHost() throws {
        let fixture = try RunFixture(as: users.last ?? nil)
        let plugin = try fixture.compile(
            "spy",
            """
            #include <bahost/bahost.h>
            #include <stdio.h>
            #include <unistd.h>
            BAHOST_PLUGIN("spy", "1");
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                char path[64];
                int parent = 0, pid = (int)getppid();
                (void)host, (void)r;
                for (int i = 0; i < 2; i++, pid = parent) {
                    snprintf(path, sizeof path, "/proc/%d/environ", pid);
                    if (fopen(path, "r") != NULL) return -1;
                    snprintf(path, sizeof path, "/proc/%d/mem", pid);
                    if (fopen(path, "r") != NULL) return -2;
                    snprintf(path, sizeof path, "/proc/%d/stat", pid);
                    FILE *file = fopen(path, "r");
                    if (file == NULL || fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1) return -3;
                    fclose(file);
                }
                return 0;
            }
            """)
        let result = try fixture.run(plugin, ["--isolation", "basic", "--json"])
        #expect(try Record(of: result).result == "ok", "\(result.output) \(result.errors)")
    }

    /// What a zombie holds cannot be seen from outside.
    @Test func aFirstThreadThatEndsAloneIsAnExit() throws {
        let fixture = try RunFixture()
        let plugin = try fixture.compile(
            "leave",
            """
            #include <bahost/bahost.h>
            #include <pthread.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            BAHOST_PLUGIN("leave", "1");
            static void *stay(void *unused) { for (;;) pause(); return unused; }
            int32_t bahost_install(const bahost_host *host, const bahost_content_request *r)
            {
                pthread_t thread;
                (void)host, (void)r;
                pthread_create(&thread, NULL, stay, NULL);
                syscall(SYS_exit, 0);
                return 0;
            }
            """)
        let result = try fixture.run(plugin, ["--json"])
        #expect(result.status == 32)
        let detail = try Record(of: result).detail
        #expect(detail == "ended the thread that it was called on in bahost_install")
        fixture.expectNoProcess()
    }
}
