import CommandLineOptions
import Foundation
import HostCommands
import WireProtocol
import HostEngine
import ExtensionHost
import LinuxSystem
import Testing

/// docs/schema/run-record-1.json of this checkout.
let schemaPath = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/schema/run-record-1.json").path

/// Runs python3 with a script; the status of its end, or nil when it could not be started.
func python(_ script: String, _ words: [String], input: String = "") -> Int32? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + words
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try? pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
}

/// Debian's python3-jsonschema; the tests without it check the keys by hand.
let hasValidator = python("import jsonschema", []) == 0

/// How many of the records, one on each line, the schema refuses; 200 when it is no schema.
func countRefused(_ lines: [String]) -> Int32? {
    python(
        """
        import json, sys, jsonschema
        schema = json.load(open(sys.argv[1]))
        try: jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError: sys.exit(200)
        validator = jsonschema.Draft202012Validator(schema)
        sys.exit(sum(not validator.is_valid(json.loads(line)) for line in sys.stdin))
        """, [schemaPath], input: lines.joined())
}

func minimalRecord(_ result: Verdict = .ok) -> RunRecord {
    RunRecord(
        plugin: "p.so", event: "install", result: result, memoryLimitBytes: 6 << 20,
        isolationMode: "auto")
}

private func fullLimits() -> RunRecord.Limits {
    let limit = RunRecord.Limit(asked: 1, inForce: 2, layer: "rlimits")
    var limits = RunRecord.Limits()
    limits.memoryBytes = limit
    limits.stackBytes = limit
    limits.wallTimeMs = limit
    limits.cpuTimeMs = limit
    limits.fileSizeBytes = limit
    limits.writtenBytes = limit
    limits.openFiles = limit
    limits.threads = limit
    return limits
}

func fullRecord() -> RunRecord {
    var record = minimalRecord(.memoryLimit)
    record.detail = "asked for 8 MiB, 2 MiB were left \u{1B}\u{9B}\u{202E}\u{E0001} größe"
    record.stage = .entry
    record.worker = RunRecord.Worker(exitCode: 3, signal: 11)
    record.wallTimeMs = 1_234
    record.cpuTimeMs = 7
    record.memory.baselineBytes = 1
    record.memory.runtimeReserveBytes = 2
    record.memory.peakBytes = .max
    record.memory.peakSource = "sampled"
    record.limits = fullLimits()
    record.isolation.layers = ["rlimits", "seccomp"]
    record.isolation.missing = [RunRecord.MissingLayer(layer: "sealing", why: "Linux 6.1")]
    let failure = RunRecord.Failure(
        domain: .http, code: 404, name: "notFound", message: "the server said 404")
    record.downloads = RunRecord.State.allCases.map { state in
        RunRecord.Download(
            identifier: "a/\(state)", kind: .url, url: "https://example.org/a?b=1", state: state,
            essential: state == .finished, bytes: 5,
            sha256: state == .finished ? String(repeating: "0af9", count: 16) : nil,
            path: state == .finished ? "/out/Downloads/a" : nil,
            error: state == .failed ? failure : nil)
    }
    record.refused = RunRecord.Domain.allCases.map { domain in
        RunRecord.Refusal(
            identifier: "r", domain: domain, code: -1, name: "n", message: "m \"quoted\"\n")
    }
    record.packs = [
        RunRecord.Pack(identifier: "p", shouldDownload: true, code: 1),
        RunRecord.Pack(identifier: "q"),
    ]
    record.log = ["one", "two 文件"]
    record.settleStatus(strict: true, interrupted: false)
    return record
}

@Suite struct RunRecordTests {
    private func decoded(_ record: RunRecord) throws -> [String: Any] {
        let line = try #require(record.line)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func hasEveryKeyEvenWhenNothingIsKnown() throws {
        let object = try decoded(minimalRecord())
        #expect(
            object.keys.sorted() == [
                "cpuTimeMs", "detail", "downloads", "event", "isolation", "limits", "log", "memory",
                "packs", "plugin", "refused", "result", "schema", "stage", "status", "wallTimeMs",
                "worker",
            ])
        #expect(object["detail"] is NSNull && object["stage"] is NSNull)
        #expect(object["wallTimeMs"] is NSNull && object["cpuTimeMs"] is NSNull)
        let worker = try #require(object["worker"] as? [String: Any])
        #expect(worker.keys.sorted() == ["exitCode", "signal"])
        let memory = try #require(object["memory"] as? [String: Any])
        #expect(
            memory.keys.sorted() == [
                "baselineBytes", "limitBytes", "peakBytes", "peakSource", "runtimeReserveBytes",
            ])
        let limits = try #require(object["limits"] as? [String: [String: Any]])
        #expect(
            limits.keys.sorted() == [
                "cpuTimeMs", "fileSizeBytes", "memoryBytes", "openFiles", "stackBytes", "threads",
                "wallTimeMs", "writtenBytes",
            ])
        #expect(limits.values.allSatisfy { $0.keys.sorted() == ["asked", "inForce", "layer"] })
    }

    @Test func isOneLineWithSortedKeys() throws {
        let line = try #require(minimalRecord().line)
        #expect(line.hasSuffix("}\n"))
        #expect(line.split(separator: "\n").count == 1)
        #expect(line.hasPrefix("{\"cpuTimeMs\":null,\"detail\":null,\"downloads\":[],"))
        #expect(line.contains("\"schema\":1,\"stage\":null,\"status\":0,"))
    }

    @Test func escapesWhatATerminalWouldObey() throws {
        let line = try #require(fullRecord().line)
        #expect(line.unicodeScalars.dropLast().allSatisfy { !TerminalText.isUnsafe($0) })
        #expect(line.contains("\\u009b\\u202e\\udb40\\udc01 größe"))
        #expect(line.contains("two 文件"))
        #expect(line.contains("https://example.org/a?b=1"))
        #expect(try decoded(fullRecord())["detail"] as? String == fullRecord().detail)
    }

    @Test(.enabled(if: hasValidator)) func theSchemaAdmitsRecords() throws {
        var records = [minimalRecord(), fullRecord()]
        for result in Verdict.allCases {
            var record = minimalRecord(result)
            record.settleStatus(strict: false, interrupted: result == .ok)
            records.append(record)
        }
        for stage in RunStage.allCases {
            var record = minimalRecord()
            record.stage = stage
            records.append(record)
        }
        let lines = records.compactMap(\.line)
        #expect(lines.count == records.count)
        #expect(countRefused(lines) == 0)
    }

    @Test(.enabled(if: hasValidator)) func theSchemaRefusesOtherThings() throws {
        let line = try #require(fullRecord().line)
        let changes = [
            ("\"schema\":1", "\"schema\":2"), ("\"result\":\"memory_limit\"", "\"result\":\"bad\""),
            ("\"stage\":\"entry\"", "\"stage\":\"later\""), ("\"log\":", "\"logs\":"),
            ("\"wallTimeMs\":1234", "\"wallTimeMs\":1234.5"), ("\"status\":24", "\"status\":9"),
            ("\"domain\":\"http\"", "\"domain\":\"smtp\""), ("\"signal\":11", "\"signal\":\"11\""),
            ("\"state\":\"paused\"", "\"state\":\"stopped\""), ("\"bytes\":5", "\"bytes\":-5"),
            ("\"sha256\":\"0af9", "\"sha256\":\"0AF9"), ("\"why\":", "\"reason\":"),
            ("\"essential\":true", "\"essential\":1"), ("{\"cpu", "{\"more\":1,\"cpu"),
        ]
        let lines = changes.map { line.replacingOccurrences(of: $0.0, with: $0.1) }
        #expect(lines.allSatisfy { $0 != line })
        #expect(countRefused(lines) == Int32(changes.count))
    }

    /// What can be said without python3-jsonschema: at every level the schema demands exactly the
    /// keys that a record has, and allows no others.
    @Test func theSchemaListsEveryKey() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: schemaPath))
        let object = try JSONSerialization.jsonObject(with: data)
        let schema = try #require(object as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: Any])
        let compared = try SchemaWalk(definitions).compare(decoded(fullRecord()), schema)
        // 14 around the lists, 8 downloads and errors, 5 refusals, 2 packs.
        #expect(compared == 29)
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        let results = properties["result"]?["enum"] as? [String]
        #expect(results == Verdict.allCases.map(\.rawValue))
        let statuses = properties["status"]?["enum"] as? [Int32]
        // A run never ends with `failed`.
        let ofRuns = CommandLineOptions.ExitStatus.allCases.filter { $0 != .failed }
        #expect(statuses == ofRuns.map(\.number))
    }

    @Test func clampsCountsOfBytes() {
        #expect(RunRecord.integer(ByteCount(bytes: 7)) == 7)
        #expect(RunRecord.integer(ByteCount(bytes: .max)) == .max)
    }

    @Test func encodesManyDownloads() throws {
        var record = minimalRecord()
        let download = fullRecord().downloads[0]
        record.downloads = Array(repeating: download, count: 1_000)
        let downloads = try decoded(record)["downloads"] as? [Any]
        #expect(downloads?.count == 1_000)
    }
}
