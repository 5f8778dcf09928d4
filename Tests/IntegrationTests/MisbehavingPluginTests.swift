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

    static let sins = [
        Sin("hello", "ok", 0),
        Sin("malloc-forever", "memory_limit", 24),
        Sin("mmap-forever", "memory_limit", 24),
        Sin("malloc-null-write", "memory_limit", 24),
        Sin("spin", "wall_timeout", 29, options: short, budget: .seconds(2)),
        Sin("sleep", "wall_timeout", 29, options: short, budget: .seconds(2)),
        Sin("stop-self", "wall_timeout", 29, options: short, budget: .seconds(2)),
        Sin("ignore-signals-and-spin", "wall_timeout", 29, options: short, budget: .seconds(2)),
        Sin("spin", "cpu_limit", 28, options: ["--wall-time", "60s", "--cpu-time", "1s"]),
        Sin("fork", "policy_violation", 30),
        Sin("vfork", "policy_violation", 30),
        Sin("system", "policy_violation", 30),
        Sin("exec", "policy_violation", 30),
        Sin("socket", "ok", 0),
        Sin("write-outside", "ok", 0),
        Sin("read-outside", "ok", 0),
        Sin("abort", "crash", 31),
        Sin("raise-segv", "crash", 31),
        Sin("null-pointer", "crash", 31),
        Sin("deep-recursion", "stack_overflow", 25),
        Sin("exit-0", "exited_early", 32),
        Sin("exit-137", "exited_early", 32),
        Sin("_exit-0", "exited_early", 32),
        Sin("garbage-on-all-descriptors", "protocol_error", 33),
        Sin("close-all-descriptors", "protocol_error", 33),
        Sin("bad-return", "bad_reply", 21),
        Sin("negative-return", "plugin_error", 20),
        Sin("big-file", "file_limit", 26),
        Sin("many-bytes", "file_limit", 26),
        Sin("many-files", "file_limit", 26),
        Sin("prlimit-raise", "ok", 0),
        Sin("kill-parent", "ok", 0),
        Sin("stdout-noise", "ok", 0),
        Sin("read-stdin", "ok", 0),
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

    @Test(arguments: ["malloc-forever", "mmap-forever", "fork", "spin"])
    func endsAsItsVerdictForAnOrdinaryUser(word: String) throws {
        guard let user = users.last, user != nil else { return try endsForThisUser(word) }
        let fixture = try RunFixture(as: user)
        try expectVerdict(of: word, fixture)
    }

    private func endsForThisUser(_ word: String) throws {
        try expectVerdict(of: word, RunFixture())
    }

    private func expectVerdict(of word: String, _ fixture: RunFixture) throws {
        let manifest = try fixture.scratch.write("manifest", word + "\n")
        let result = try fixture.run(
            fixture.plugin("hostile"), ["--manifest", manifest, "--json"] + Self.short)
        let verdicts = [
            "malloc-forever": "memory_limit", "mmap-forever": "memory_limit",
            "fork": "policy_violation", "spin": "wall_timeout",
        ]
        let record = try Record(of: result)
        #expect(record.result == verdicts[word], "\(record.detail ?? "") \(result.errors)")
    }

    @Test(arguments: [
        ("abort", "crash"), ("malloc-forever", "memory_limit"), ("fork", "policy_violation"),
        ("spin", "wall_timeout"), ("exit-0", "exited_early"), ("stop-self", "wall_timeout"),
    ])
    func sinsOfConstructorsAreTold(word: String, verdict: String) throws {
        let fixture = try RunFixture()
        let result = try fixture.run(
            Products.constructor(word, in: fixture.scratch), ["--json"] + Self.short)
        let record = try Record(of: result)
        #expect(record.result == verdict, "\(record.detail ?? "")")
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

    @Test func theVerdictsOfDegradedMachinesAreTheSame() throws {
        for options in [["--isolation", "basic"], []] {
            let fixture = try RunFixture()
            let manifest = try fixture.scratch.write("manifest", "abort\n")
            // Without a mount namespace of its own a root host's worker needs folders open to all.
            let result = try fixture.run(
                ReachableCopies.plugin("hostile"), ["--manifest", manifest, "--json"] + options)
            let record = try Record(of: result)
            #expect(record.result == "crash", "\(options) \(record.detail ?? "")")
        }
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
