import CommandLineOptions
import ExtensionHost
import Foundation
import HostCommands
import LinuxSystem
import Testing
import WireProtocol

struct InspectCommandLineTests {
    private let surroundings = Surroundings(environment: [:], folder: "/home/me")

    private func read(_ words: String...) throws -> HostCommand {
        try HostCommandLine.read(["inspect"] + words, in: surroundings)
    }

    @Test func filesAndOptionsMayBeMixed() throws {
        guard case .inspect(let options) = try read("a.so", "--json", "b.so", "--memory", "1M")
        else {
            Issue.record("not an inspection")
            return
        }
        #expect(options.files == ["a.so", "b.so"])
        #expect(options.isJSON)
        #expect(options.memory == .mebibytes(1))
    }

    @Test func withoutOptionsItIsTextAndSixMebibytes() throws {
        guard case .inspect(let options) = try read("a.so") else {
            Issue.record("not an inspection")
            return
        }
        #expect(!options.isJSON)
        #expect(options.memory == .mebibytes(6))
    }

    @Test(
        arguments: [
            ([], "FILE is missing"), (["--memory", "0", "a"], "--memory: \"0\""),
            ([""], "is not a path"), (["--colour", "a"], "colour"),
            ([String(repeating: "x", count: 4_096)], "longer than a path"),
        ] as [([String], String)])
    func aWrongWordIsNamed(words: [String], part: String) {
        #expect {
            try HostCommandLine.read(["inspect"] + words, in: surroundings)
        } throws: { error in
            let message = (error as? CommandLineOptionsError)?.description ?? ""
            return message.hasPrefix("bahost inspect: ") && message.contains(part)
        }
    }

    @Test func helpNamesTheStatuses() throws {
        guard case .show(let text) = try read("--help") else {
            Issue.record("no help")
            return
        }
        #expect(text.contains("FILE..."))
        #expect(text.contains("66"))
    }
}

struct InspectRecordTests {
    /// Facts with everything there is.
    private var facts: PluginFacts {
        var image = ImageFacts()
        image.machine = "x86-64"
        image.soname = "libx.so"
        image.needs = NeedOrigin.allCases.map { NeedFacts(name: "lib\($0).so", origin: $0) }
        image.filters = ["libf.so"]
        image.runPaths = ["$ORIGIN"]
        image.versions = [
            VersionFacts(
                library: "libc.so.6",
                versions: [
                    .init(name: "GLIBC_2.2", isWeak: false), .init(name: "V", isWeak: true),
                ])
        ]
        var segment = SegmentFacts()
        segment.address = 4_096
        segment.memoryBytes = .max
        segment.isReadable = true
        segment.isWritable = true
        image.segments = [segment]
        image.readOnlyBytes = 12_288
        image.writableBytes = 8_192
        image.alignmentBytes = 65_536
        image.stack = .notExecutable
        image.relocationCount = 1_234
        image.compactRelocationWords = 2
        var tag = TagFacts()
        tag.name = "Levels"
        tag.version = "1.2"
        tag.abiMinor = 1
        tag.flags = 3
        tag.usesSwift = true
        tag.toolchain = "swift-6.3"
        var facts = PluginFacts()
        facts.kind = "ELF shared object"
        facts.byteCount = 25_656
        facts.image = image
        facts.tag = tag
        facts.entryPoints = ["bahost_install"]
        facts.exports = [
            ExportFacts(name: "bahost_install", kind: .function),
            ExportFacts(name: "bahost_plugin", kind: .object),
            ExportFacts(name: "VERS_1", kind: .absolute),
            ExportFacts(name: "help", kind: .function),
        ]
        facts.exportCount = 4
        facts.oddities = ["the file is odd"]
        return facts
    }

    private func record(_ change: (inout PluginFacts) -> Void = { _ in }) -> InspectRecord {
        var facts = facts
        change(&facts)
        var record = InspectRecord(file: "a.so", result: .unread, memoryLimitBytes: 6 << 20)
        record.take(facts)
        return record
    }

    private func object(_ record: InspectRecord) throws -> [String: Any] {
        let line = try #require(record.line)
        #expect(line.hasSuffix("\n") && line.dropLast().allSatisfy { $0 != "\n" })
        return try #require(
            JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func theSchemaNamesExactlyTheKeys() throws {
        let path = URL(fileURLWithPath: schemaPath).deletingLastPathComponent()
            .appendingPathComponent("inspect-1.json")
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: Any])
        let full = record { $0.refusals = [RefusalFacts(code: "noTag", sentence: "s")] }
        // Itself, memory, image, tag, 5 needs, 2 versions, a segment, 4 exports, a refusal.
        #expect(try SchemaWalk(definitions).compare(object(full), schema) == 17)
        #expect(
            try SchemaWalk(definitions).compare(
                object(InspectRecord(file: "a", result: .unread, memoryLimitBytes: 1)), schema)
                == 2)
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(
            properties["result"]?["enum"] as? [String]
                == InspectRecord.Result.allCases.map(\.rawValue))
    }

    @Test func numbersAndWordsAreThoseOfTheFile() throws {
        let image = try #require(try object(record())["image"] as? [String: Any])
        let segments = try #require(image["segments"] as? [[String: Any]])
        #expect(segments.first?["access"] as? String == "rw-")
        #expect(segments.first?["memoryBytes"] as? Int64 == .max)
        let needs = try #require(image["needs"] as? [[String: Any]])
        #expect(
            needs.map { $0["origin"] as? String } == [
                "unknown", "system", "plugin", "swiftRuntime", "missing",
            ])
        let tag = try #require(try object(record())["tag"] as? [String: Any])
        #expect(tag["flags"] as? String == "0x3")
    }

    @Test func aPluginThatLoadsIsShownInSections() {
        let lines = InspectText.of(record()).split(separator: "\n").map(String.init)
        #expect(lines.first == "a.so: a plugin that would be loaded")
        for line in [
            "  file          ELF shared object; 25,656 bytes",
            "  plugin        Levels 1.2; ABI 0.1; in Swift; toolchain swift-6.3; tag of 0 bytes;"
                + " flags 0x3, required features 0x0",
            "  also exports  help", "                VERS_1 (absolute)",
            "                libsystem.so, of the system",
            "                libmissing.so, NOT THERE",
            "  versions      libc.so.6: GLIBC_2.2, V (weak)",
            "  memory        8,192 bytes of 6,291,456, writable",
            "  odd           the file is odd",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test(arguments: [1, 2])
    func reasonsAreCountedAndListed(count: Int) {
        let refusal = RefusalFacts(code: "executableStack", sentence: "the file asks")
        let text = InspectText.of(
            record { $0.refusals = Array(repeating: refusal, count: count) })
        let words = count == 1 ? "1 reason" : "2 reasons"
        #expect(text.hasPrefix("a.so: a plugin that would be refused, for \(words)\n"))
        #expect(text.contains("  refused       the file asks\n"))
    }

    @Test func whatIsNoPluginSaysWhy() {
        let text = InspectText.of(
            record {
                $0.tag = nil
                $0.refusals = [
                    RefusalFacts(code: "executableStack", sentence: "the file asks"),
                    RefusalFacts(code: "noTag", sentence: "the file has no tag"),
                ]
            })
        #expect(text.hasPrefix("a.so: not a plugin: the file has no tag\n"))
        #expect(text.contains("  exports       "))
    }

    @Test func aDeadWorkerIsNotTheFilesFault() throws {
        var outcome = WorkerOutcome(
            Judgement(.crash, "crashed with SIGBUS", at: .inspect))
        outcome.facts = facts
        let record = InspectRecord("a.so", InspectionResult(outcome: outcome), InspectOptions())
        #expect(!record.isLoadable)
        #expect(
            InspectText.of(record)
                == "a.so: the file could not be read safely: crash: crashed with SIGBUS\n")
        #expect(try object(record)["detail"] as? String == "crash: crashed with SIGBUS")
    }

    @Test func longListsAreCutForPeople() {
        let text = InspectText.of(
            record {
                $0.exports = (0..<1_000).map { ExportFacts(name: "f\($0)", kind: .function) }
                $0.exportCount = 5_000
            })
        #expect(text.contains("\n                f11\n                and 4,988 more\n"))
    }

    /// Names come from a hostile file.
    @Test func nothingSteersATerminal() {
        let text = InspectText.of(
            record {
                $0.image?.soname = "\u{1b}[2Jx"
                $0.exports = [ExportFacts(name: "a\nb\u{202e}", kind: .function)]
            })
        #expect(!text.unicodeScalars.contains { $0 != "\n" && TerminalText.isUnsafe($0) })
        #expect(text.contains("\\u{1b}[2Jx"))
    }
}
