import CommandLineOptions
import Foundation
import HostCommands
import WireProtocol
import HostEngine
import Testing

@Suite struct HostCommandLineTests {
    private func text(_ words: String...) throws -> String {
        guard case .show(let text) = try HostCommandLine.read(words, in: surroundings) else {
            throw CommandLineOptionsError(.missing, program: "test", message: "no text")
        }
        return text
    }

    @Test func showsHelp() throws {
        #expect(try text("--help").hasPrefix("Usage: bahost [OPTION...] COMMAND [OPTION...]\n"))
        #expect(try text("run", "--help").hasPrefix("Usage: bahost run [OPTION...]\n"))
        #expect(try text("explain-exit", "--help").contains("[N]"))
        #expect(try text("--usage").hasPrefix("Usage: bahost "))
    }

    @Test func helpOfRunNamesEveryOptionOnceAndFits() throws {
        let help = try text("run", "--help")
        for row in OptionTable.run.rows {
            #expect(help.contains("--\(row.name)"), "\(row.name)")
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(Set(OptionTable.run.rows.map(\.name)).count == OptionTable.run.rows.count)
    }

    @Test func helpOfRunListsWhatIsNotYetThereApart() {
        let later = OptionTable.run.groups.first { $0.title == "Not yet there:" }?.rows ?? []
        let silent = OptionTable.run.rows.map { row in
            let words = ["run", "--\(row.name)"] + (row.argument == nil ? [] : ["7"])
            return complaint(words)?.code == .notYet ? row.name : nil
        }
        #expect(Set(later.map(\.name)) == Set(silent.compactMap(\.self)))
        #expect(later.count == 1)
    }

    @Test func takesArgumentsByteForByte() throws {
        let words = ["", "run", "größe", "\u{FFFD}", "\u{1B}"]
        #expect(try HostCommandLine.words(words.map { Array($0.utf8) }) == words)
    }

    @Test(
        arguments: [
            ([0xFF], #""\xff""#), (Array("--plugin=\"a\\".utf8) + [0x80], #""--plugin=\"a\\\x80""#),
            ([0x1B, 0xC3], #""\x1b\xc3""#), ([0x0A, 0xED, 0xA0, 0x80], #""\x0a\xed\xa0\x80""#),
            (
                [UInt8](repeating: 0xFE, count: 81),
                "\"" + String(repeating: "\\xfe", count: 80) + "…\""
            ),
        ] as [([UInt8], String)])
    func refusesWordsThatAreNotUTF8(bytes: [UInt8], quoted: String) {
        do throws(CommandLineOptionsError) {
            let words = try HostCommandLine.words([Array("run".utf8), bytes])
            Issue.record("took \(words)")
        } catch {
            #expect(error.description == "bahost: \(quoted) is not UTF-8")
            #expect(error.code == .badValue)
        }
    }

    @Test func showsTheVersion() throws {
        #expect(try text("--version") == "bahost \(HostCommandLine.version)\n")
    }

    @Test(arguments: [
        "status", "app",
    ])
    func saysWhichCommandsAreNotYetThere(word: String) {
        let error = complaint([word, "--json"])
        #expect(error?.code == .notYet)
        #expect(error?.description == "bahost: \(word) is not yet there")
    }

    @Test(arguments: ["nonsense", "Run", "", "run ", "größe"]) func namesUnknownCommands(
        word: String
    ) {
        let error = complaint([word])
        #expect(error?.code == .unknownWord)
        #expect(error?.description == "bahost: \"\(word)\" is not a command (see bahost --help)")
    }

    @Test(arguments: [[], ["--"]]) func asksForACommand(words: [String]) {
        #expect(complaint(words)?.description == "bahost: a command is missing (see bahost --help)")
    }

    @Test func namesUnknownOptionsBeforeACommand() {
        #expect(complaint(["--nonsense", "run"])?.message.hasPrefix("\"--nonsense\"") == true)
    }

    @Test func explainsOneStatus() throws {
        #expect(
            try text("explain-exit", "24")
                == "24 memory_limit: The plugin wanted more memory than --memory allows.\n")
        #expect(try text("explain-exit", "crash").hasPrefix("31 crash: "))
        #expect(try text("explain-exit", "1").hasPrefix("1 failed: "))
    }

    @Test func explainsAllStatuses() throws {
        let lines = try text("explain-exit").split(separator: "\n")
        #expect(lines.count == CommandLineOptions.ExitStatus.allCases.count)
    }

    @Test(arguments: CommandLineOptions.ExitStatus.allCases)
    func explainsByNumberAndByNameAlike(status: CommandLineOptions.ExitStatus) throws {
        let line = try text("explain-exit", "\(status.number)")
        #expect(line == "\(status.number) \(status.name): \(status.sentence)\n")
        #expect(try text("explain-exit", status.name) == line)
        let json = try text("explain-exit", status.name, "--json")
        #expect(try text("explain-exit", "--json", "\(status.number)") == json)
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let list = object?["exitStatus"] as? [[String: Any]]
        #expect(list?.count == 1)
        #expect(list?.first?["status"] as? Int == Int(status.number))
        #expect(list?.first?["name"] as? String == status.name)
        #expect(list?.first?["sentence"] as? String == status.sentence)
    }

    /// The pages name every status that there is, and no other.
    @Test func theOperatorsPageHasEveryStatus() throws {
        let page = try String(
            contentsOfFile: URL(fileURLWithPath: schemaPath).deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("operator.md").path,
            encoding: .utf8)
        let single = CommandLineOptions.ExitStatus.allCases.filter {
            !(20...36).contains($0.number)
        }
        for status in single {
            #expect(page.contains("| \(status.number) | `\(status.name)` |"), "\(status)")
        }
        #expect(page.contains("| 20–36 | `plugin_error` … `internal_error` |"))
    }

    @Test func explainsAsJSON() throws {
        struct List: Decodable {
            struct Entry: Decodable {
                let name: String
                let sentence: String
                let status: Int32
            }
            let exitStatus: [Entry]
            let schema: Int
        }
        let data = Data(try text("explain-exit", "--json").utf8)
        let list = try JSONDecoder().decode(List.self, from: data)
        #expect(
            list.exitStatus.map(\.status) == CommandLineOptions.ExitStatus.allCases.map(\.number))
        #expect(list.exitStatus.map(\.sentence).allSatisfy { !$0.isEmpty })
        #expect(list.schema == 1)
    }

    @Test(arguments: [["2"], ["37"], ["nonsense"], ["-1"], ["24", "25"], ["99999999999999999999"]])
    func refusesOtherStatuses(words: [String]) {
        #expect(complaint(["explain-exit"] + words)?.program == "bahost explain-exit")
    }
}
