import Foundation
import Testing
import TestSupport

/// What ordinary code does works within the default limits, or is refused in words.
@Suite struct LegitimatePluginTests {
    struct Activity: CustomTestStringConvertible, Sendable {
        let plugin: String
        let word: String
        let result: String
        let says: String
        let options: [String]

        init(
            _ plugin: String, _ word: String, _ result: String = "ok", says: String = "ok: ",
            options: [String] = []
        ) {
            self.plugin = plugin
            self.word = word
            self.result = result
            self.says = says
            self.options = options
        }

        var testDescription: String { "\(plugin) \(word) \(options.joined(separator: " "))" }

        var file: String {
            plugin == "swift"
                ? "\(Products.folder)/libLegitimateSwift.so"
                : Products.plugin("legitimate-\(plugin)")
        }
    }

    /// How often what races is run; `BAHOST_REPEAT` in the environment says otherwise.
    static let repeats = ProcessInfo.processInfo.environment["BAHOST_REPEAT"].flatMap(Int.init) ?? 5
    static let exitStatus: [String: Int32] = [
        "ok": 0, "memory_limit": 24, "policy_violation": 30, "crash": 31,
    ]
    static let torn = "the level list is torn"
    static let processes = "plugins may not start processes"

    static let inC =
        [
            "thread-small-stack", "thread-exit", "timed-waits", "iconv", "locale", "regex",
            "time-zone", "sort", "backtrace", "dlopen", "zlib", "openssl", "sqlite-memory",
            "sqlite-unix-none", "sqlite-dotfile", "files", "sendfile", "mkstemp", "dev-null",
            "random", "event-loop", "signal", "getaddrinfo-numeric",
        ].map { Activity("c", $0) }
        // popen asks for a pipe first, which fails and ends nothing.
        + ["pipe", "timer-create", "getaddrinfo-name", "sqlite-locks", "popen", "large-library"]
        .map { Activity("c", $0, says: "ok: refused") }
        + [
            Activity("curl", "linked"), Activity("c", "printf", says: "printed line 200"),
            Activity("c", "system", "policy_violation", says: "called system: \(processes)"),
            Activity("c", "posix-spawn", "policy_violation", says: "called posix_spawn"),
        ]

    static let inCxx = ["cxx", "cxx-static"].flatMap { plugin in
        ["exceptions", "regex", "files", "locale"].map { Activity(plugin, $0) }
            + [
                Activity(plugin, "streams", says: "told on stdout: ff"),
                Activity(plugin, "streams", says: "told on stderr"),
                Activity(
                    plugin, "bad-alloc", says: "bad_alloc caught",
                    options: ["--on-memory-limit", "fail"]),
                Activity(plugin, "bad-alloc", "memory_limit", says: "asked for 65,536 bytes"),
                Activity(plugin, "uncaught", "crash", says: torn),
            ]
    }

    static let inRust =
        ["map", "catch-unwind", "files", "sleep"].map { Activity("rust", $0) }
        + [
            // Rust's own stacks are 2 MiB each.
            Activity("rust", "four-threads", "memory_limit", says: "asked for 2,097,152 bytes"),
            Activity("rust", "four-threads", options: ["--memory", "10M"]),
            Activity("rust", "command", "policy_violation", says: processes),
            Activity("rust", "panic", "crash", says: torn),
        ]

    static let inSwift =
        ["json", "property-list", "date-formatter", "regex", "files", "atomic-write"].map {
            Activity("swift", $0)
        }
        + [Activity("swift", "trap", "crash", says: torn)]

    /// What depends on how threads meet.
    static let racing =
        ["thread-default", "thread-c11", "thread-cancel", "thread-pool"].map { Activity("c", $0) }
        + [Activity("openmp", "compute")]
        + ["cxx", "cxx-static"].flatMap { plugin in
            ["exceptions-in-threads", "async", "threads"].map { Activity(plugin, $0) }
        }
        + [
            "task", "async-let", "task-group", "actor", "queue-serial", "queue-concurrent",
            "queue-main", "thread",
        ].map { Activity("swift", $0) }

    static let racingInRust = ["threads", "small-threads", "channel"].map { Activity("rust", $0) }

    @Test(arguments: inC + inCxx)
    func worksOrIsRefused(activity: Activity) throws { try expect(activity) }

    @Test(arguments: inSwift)
    func worksOrIsRefusedInSwift(activity: Activity) throws { try expect(activity) }

    @Test(.enabled(if: hasRust, "there is no rustc"), arguments: inRust)
    func worksOrIsRefusedInRust(activity: Activity) throws { try expect(activity) }

    @Test(arguments: racing)
    func worksEachTime(activity: Activity) throws {
        for _ in 1...max(Self.repeats, 1) { try expect(activity) }
    }

    @Test(.enabled(if: hasRust, "there is no rustc"), arguments: racingInRust)
    func worksEachTimeInRust(activity: Activity) throws {
        for _ in 1...max(Self.repeats, 1) { try expect(activity) }
    }

    /// A game's list of 15,000 levels, 2.5 MB of JSON.
    @Test(arguments: [("6M", 6 << 20), ("64M", 64 << 20)])
    func aLargeManifestFitsOrMeetsTheLimit(memory: String, bytes: Int) throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("levels.json", Self.largeManifest)
        let result = try fixture.run(
            Activity("swift", "").file,
            ["--manifest", manifest, "--memory", memory, "--json", "--cpu-time", "60s"])
        let record = try Record(of: result)
        let told = Comment(rawValue: "\(record.result): \(record.detail ?? "") \(result.errors)")
        guard record.result == "memory_limit" else {
            #expect(record.result == "ok", told)
            #expect(try #require(record.memory.peakBytes) <= bytes + bytes / 20 + 256 << 10)
            return
        }
        #expect(memory == "6M", told)
        let sentence = try #require(record.detail)
        #expect(sentence.contains("of 6,291,456 left") || sentence.contains("more than 6,291,456"))
    }

    @Test func aCallThatWasRefusedAndEndedNothingIsInTheRecord() throws {
        let record = try record(of: Activity("c", "popen"))
        #expect(record.result == "ok")
        #expect(record.log.contains("refused: called popen: \(Self.processes)"), "\(record.log)")
    }

    /// `/tmp` is not theirs, and `/bin/true` not to be seen.
    @Test func whatDependsOnTheConfinementOfFiles() throws {
        let temporary = try record(of: Activity("c", "tmpfile"))
        #expect(temporary.result == "ok")
        #expect(
            temporary.log.contains { $0.contains("ok: refused") } == temporary.confinesFiles,
            "\(temporary.log)")
        let process = try record(of: Activity("swift", "process"))
        #expect(process.result == (process.confinesFiles ? "ok" : "policy_violation"))
        #expect(process.confinesFiles || process.detail?.contains(Self.processes) == true)
    }

    private static let hasRust = FileManager.default.fileExists(
        atPath: Activity("rust", "").file)

    private static var largeManifest: Data {
        let digest = String(repeating: "0123456789abcdef", count: 4)
        let levels = (1...15_000).map { number in
            #"{"id":"level-\#(number)","url":"https://cdn.example.com/levels/pack/\#(number).bin","#
                + #""bytes":\#(number * 100),"sha256":"\#(digest)"}"#
        }
        return Data("{\"levels\":[\(levels.joined(separator: ","))]}".utf8)
    }

    private func record(of activity: Activity) throws -> Record {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", activity.word + "\n")
        return try Record(
            of: fixture.run(activity.file, ["--manifest", manifest, "--json"] + activity.options))
    }

    /// Runs the word, and looks at the verdict, the exit status and what was said.
    private func expect(_ activity: Activity) throws {
        let fixture = try RunFixture()
        let manifest = try fixture.scratch.write("manifest", activity.word + "\n")
        let result = try fixture.run(
            activity.file, ["--manifest", manifest] + activity.options)
        let said = result.output + result.errors
        #expect(result.status == Self.exitStatus[activity.result], "\(said)")
        #expect(result.output.contains("result: \(activity.result)"), "\(said)")
        // The sentence of a verdict must say it itself.
        let place = activity.result == "ok" ? said : result.output
        #expect(place.contains(activity.says), "\(said)")
        #expect(!said.contains("failed: "), "\(said)")
    }
}

extension Record {
    fileprivate var confinesFiles: Bool { isolation.layers.contains("landlock") }
}
