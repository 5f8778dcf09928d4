import Foundation
import Testing
import TestSupport

/// Nothing holds more than 1.05 × limit + 256 KiB and the printed reserve, whatever it tries.
///
/// Each technique is measured three times over: by what it believes to hold, by the host's samples,
/// and by a meter that reads the worker, and with `BAHOST_MEMORY_TABLE` the whole kernel, from
/// outside. The largest counts.
@Suite(.serialized) struct MemoryPromiseTests {
    /// What one run showed, in bytes.
    struct Outcome {
        let record: Record
        let reading: MeterReading
        let testCase: MemoryCase

        /// Other processes of the machine.
        private static let noise = 1 << 20

        var promise: Int {
            let limit = testCase.mebibytes << 20
            return limit / 100 * 105 + 256 << 10 + (record.memory.runtimeReserveBytes ?? 0)
        }

        var believed: Int { testCase.matter == .memory ? reading.believed ?? 0 : 0 }
        var sampled: Int { record.memory.peakBytes ?? 0 }
        var outside: Int {
            guard reading.wasSeen, let baseline = record.memory.baselineBytes else { return 0 }
            return reading.held - baseline + reading.tables
        }

        /// Kernel memory that is not the worker's page tables, beyond noise.
        var kernel: Int {
            guard MemoryCase.table != nil, testCase.matter == .memory else { return 0 }
            return max(0, reading.kernel - reading.tables - Outcome.noise)
        }

        var held: Int { max(believed, sampled, outside + kernel) }
        var isKept: Bool { held <= promise }

        /// Only what others can disturb broke it.
        var mayBeNoise: Bool { max(believed, sampled, outside) <= promise }
    }

    @Test(arguments: MemoryCase.all)
    func holdsNoMoreThanPromised(testCase: MemoryCase) throws {
        try expectKept(testCase)
    }

    /// Some limits count otherwise for an ordinary user, or by user.
    @Test(arguments: [
        "a0-map", "a2-munmap-flip", "a4-flip", "a7-proc-self-mem", "b1-exact-threads",
        "b2-page-tables", "b6-queued-signals", "b8-reserve",
    ])
    func holdsNoMoreForAnOrdinaryUser(word: String) throws {
        try expectKept(
            MemoryCase(word: word, place: .entry, kind: .bare, mebibytes: 6), as: users.last ?? nil)
    }

    private func expectKept(_ testCase: MemoryCase, as user: UInt32? = nil) throws {
        var outcome = try measure(testCase, as: user)
        for _ in 0..<2 where !outcome.isKept && outcome.mayBeNoise {
            outcome = try measure(testCase, as: user)
        }
        MemoryTable.add(outcome, as: user)
        let record = outcome.record
        let expected = testCase.expected
        #expect(
            expected.results.contains(record.result), "\(record.result): \(record.detail ?? "")")
        if let word = expected.word, !word.isEmpty {
            #expect(record.detail?.contains(word) == true, "\(record.detail ?? "")")
        }
        #expect(
            outcome.isKept,
            """
            held \(outcome.held) of \(outcome.promise): believed \(outcome.believed), sampled \
            \(outcome.sampled), outside \(outcome.outside), kernel \(outcome.kernel)
            """)
    }

    private func measure(_ testCase: MemoryCase, as user: UInt32? = nil) throws -> Outcome {
        let fixture = try RunFixture(as: user)
        let plugin =
            testCase.place == .entry
            ? fixture.plugin(testCase.plugin)
            : try Products.constructor(testCase.word, of: testCase.plugin, in: fixture.scratch)
        try #require(FileManager.default.fileExists(atPath: plugin))
        var options = ["--json", "--memory", "\(testCase.mebibytes)M"]
        if testCase.place == .entry {
            let line = "\(testCase.word) 60\n"
            options += ["--manifest", try fixture.scratch.write("manifest", line)]
        }
        let run = try fixture.start(plugin, options)
        let reading = MemoryMeter.read(run)
        let result = try run.wait()
        fixture.audit()
        #expect(try SystemV.marked() == 0, "System V objects are left")
        return Outcome(record: try Record(of: result), reading: reading, testCase: testCase)
    }

    @Test func everyKnownTechniqueIsThere() {
        let groups = Set(MemoryCase.words.map { String($0.prefix { $0 != "-" }) })
        // A6, A9 and A11 are shapes of files; A13 is below.
        let numbered =
            (0...14).filter { ![6, 9, 11, 13].contains($0) }.map { "a\($0)" }
            + (0...11).map { "b\($0)" } + (1...12).map { "c\($0)" }
        #expect(groups == Set(numbered))
    }

    /// A13.
    @Test func segmentsOutOfOrderAreNotLoaded() throws {
        let fixture = try RunFixture()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.plugin("HelloDownload")))
        let table = 64
        let size = 56
        let loads = (0..<Int(bytes[56])).map { table + $0 * size }.filter { bytes[$0] == 1 }
        let first = bytes[loads[0]..<loads[0] + size]
        bytes[loads[0]..<loads[0] + size] = bytes[loads[1]..<loads[1] + size]
        bytes[loads[1]..<loads[1] + size] = first
        let plugin = try fixture.scratch.write("unordered.so", bytes)
        let record = try Record(of: try fixture.run(plugin, ["--json"]))
        #expect(record.result == "load_error")
        #expect(record.detail?.contains("ascending order") == true, "\(record.detail ?? "")")
    }

    /// The meter sees memory: without it every case above would pass.
    @Test func theMeterSeesWhatIsHeld() throws {
        for place in MemoryCase.Place.allCases {
            let nothing = try measure(
                MemoryCase(word: "a0-nothing", place: place, kind: .bare, mebibytes: 6))
            let full = try measure(
                MemoryCase(word: "a0-map", place: place, kind: .bare, mebibytes: 6))
            #expect(nothing.reading.believed == 0)
            #expect(nothing.outside < 1 << 20)
            #expect(full.outside > nothing.outside + 4 << 20)
            #expect(full.believed > 4 << 20)
        }
    }
}

/// System V objects of `memory-b-calls.c`, which would outlive the worker: `proc_sysvipc(5)`.
enum SystemV {
    static func marked() throws -> Int {
        try ["sem", "msg", "shm"].map { kind in
            try String(contentsOfFile: "/proc/sysvipc/\(kind)", encoding: .utf8)
                .split(separator: "\n").dropFirst()
                .compactMap { $0.split(separator: " ").first.flatMap { Int32($0) } }
                .filter { $0 >> 16 == 0x0ba4 }.count
        }.reduce(0, +)
    }
}

/// The file of `BAHOST_MEMORY_TABLE`, a Markdown table; one row for each case.
enum MemoryTable {
    private static let head = """
        | technique | where | launcher | limit MiB | believed kB | sampled kB | outside kB \
        | kernel kB | reclaimable kB | used kB | promise kB | kept | verdict |
        |---|---|---|---|---|---|---|---|---|---|---|---|---|

        """

    static func add(_ outcome: MemoryPromiseTests.Outcome, as user: UInt32?) {
        guard let path = MemoryCase.table else { return }
        let row = row(outcome, user.map { ", user \($0)" } ?? "")
        if let file = FileHandle(forWritingAtPath: path) {
            file.seekToEndOfFile()
            file.write(Data(row.utf8))
        } else {
            try? Data((head + row).utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    private static func row(_ outcome: MemoryPromiseTests.Outcome, _ user: String) -> String {
        let testCase = outcome.testCase
        let reading = outcome.reading
        let kilobytes = [
            reading.believed ?? -1024, outcome.sampled, outcome.outside, reading.kernel,
            reading.reclaimable, reading.used, outcome.promise,
        ].map { $0 == -1024 ? "–" : "\($0 / 1024)" }
        let cells =
            ["\(testCase.shape.map { "\($0): " } ?? "")\(testCase.word)\(user)"]
            + ["\(testCase.place)", "\(testCase.kind)", "\(testCase.mebibytes)"] + kilobytes
            + [outcome.isKept ? "yes" : "**no**", outcome.record.result]
        return "| \(cells.joined(separator: " | ")) |\n"
    }
}
