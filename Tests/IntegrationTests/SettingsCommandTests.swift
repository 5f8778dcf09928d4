import Foundation
import Glibc
import Testing
import TestSupport

/// `bahost settings` as its users start it.
@Suite struct SettingsCommandTests {
    /// A home, and a place for the machine's settings, of one user.
    private struct Desk {
        private let fixture: RunFixture

        init(as user: UInt32?) throws {
            fixture = try RunFixture(as: user)
        }

        var folder: String { fixture.scratch.path }
        var file: String { "\(folder)/.config/bahost/settings.json" }
        var system: String { "\(folder)/etc/settings.json" }

        func run(_ words: String...) throws -> ProgramResult { try run(words) }

        func run(_ words: [String]) throws -> ProgramResult { try start(words).wait() }

        func start(_ words: [String]) throws -> ProgramRun {
            try fixture.startPlain(
                ["settings"] + words, environment: ["BAHOST_SYSTEM_SETTINGS": system])
        }

        func text(_ path: String) -> String? {
            try? String(contentsOfFile: path, encoding: .utf8)
        }
    }

    @Test(arguments: users) func setGetAndUnset(user: UInt32?) throws {
        let desk = try Desk(as: user)
        #expect(try desk.run("get", "connections.total").output == "16\n")
        let set = try desk.run("set", "connections.total", "8")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output == "connections.total = 8 (user)\n")
        #expect(try desk.run("set", "--system", "quota", "20G").status == 0)
        #expect(try desk.run("get", "connections.total").output == "8\n")
        #expect(try desk.run("get", "quota").output == "21474836480\n")
        #expect(desk.text(desk.file) == "{\n  \"connections.total\": 8\n}\n")
        #expect(desk.text(desk.system) == "{\n  \"quota\": 21474836480\n}\n")
        let unset = try desk.run("unset", "connections.total")
        #expect(unset.output == "connections.total = 16 (built-in)\n")
        #expect(try desk.run("get", "proxy").output == "none\n")
    }

    @Test(arguments: users) func everythingIsJSONToo(user: UInt32?) throws {
        let desk = try Desk(as: user)
        let words = [
            ["set", "background-refresh.org.example.game", "off"], ["get", "proxy"], ["list"],
            ["set", "--system", "tls.trustOverrides", "on"], ["unset", "proxy"],
        ]
        for words in words {
            let result = try desk.run(words + ["--json"])
            #expect(result.status == 0, "\(words) \(result.errors)")
            try SchemaCheck.expectValid(result.output, against: "settings-1.json")
        }
    }

    @Test func listShowsFaultsAndIgnoredKeysAndFails() throws {
        let desk = try Desk(as: nil)
        #expect(try desk.run("set", "connections.total", "8").status == 0)
        try Data(#"{"connections.total":"8","esc\u001b":1,"tls.trustOverrides":true}"#.utf8)
            .write(to: URL(fileURLWithPath: desk.file))
        let list = try desk.run("list")
        #expect(list.status == 66)
        #expect(
            list.output.contains(
                "wrong: \(desk.file): \"connections.total\" must be a number, but is a string\n"))
        #expect(list.output.contains(#""esc\u{1b}" is not a known setting"#))
        #expect(list.output.contains("\"tls.trustOverrides\" counts in the system's file only"))
        let get = try desk.run("get", "connections.total")
        #expect(get.status == 66)
        #expect(
            get.errors
                == "bahost settings: \(desk.file): connections.total: must be a number, but is a "
                + "string\n")
        let json = try desk.run("list", "--json")
        try SchemaCheck.expectValid(json.output, against: "settings-1.json")
        #expect(json.status == 66)
    }

    @Test func aFileThatIsNoJSONIsNamedAndUntouched() throws {
        let desk = try Desk(as: nil)
        #expect(try desk.run("set", "connections.total", "8").status == 0)
        try Data("connections = 8".utf8).write(to: URL(fileURLWithPath: desk.file))
        for words in [["get", "proxy"], ["set", "connections.total", "9"], ["list", "--json"]] {
            let result = try desk.run(words)
            #expect(result.status == 66)
            #expect(
                result.errors == "bahost settings: \(desk.file): is not JSON from byte 0 on\n")
            #expect(result.output.isEmpty)
        }
        #expect(desk.text(desk.file) == "connections = 8")
    }

    /// A status that is not 0 means that nothing was written.
    @Test(arguments: ["quota = 1", #"{"quota":"1"}"#]) func nothingIsWrittenBesideABrokenFile(
        bad: String
    ) throws {
        let desk = try Desk(as: nil)
        #expect(try desk.run("set", "--system", "quota", "20G").status == 0)
        #expect(try desk.run("set", "quota", "7M").status == 0)
        let before = desk.text(desk.file)
        try Data(bad.utf8).write(to: URL(fileURLWithPath: desk.system))
        let unset = try desk.run("unset", "quota")
        #expect(unset.status == 66)
        #expect(unset.errors.hasPrefix("bahost settings: \(desk.system): "))
        #expect(desk.text(desk.file) == before)
        // A value of the user's wins over one that is wrong, but not over a file that is.
        let set = try desk.run("set", "quota", "8M")
        #expect(set.status == (bad.hasPrefix("{") ? 0 : 66))
        #expect((desk.text(desk.file) == before) == (set.status != 0))
    }

    @Test(.enabled(if: users.count > 1)) func anOrdinaryUserCannotSetTheMachines() throws {
        let desk = try Desk(as: 65_534)
        try FileManager.default.createDirectory(
            atPath: "\(desk.folder)/etc", withIntermediateDirectories: false)
        let result = try desk.run("set", "--system", "quota", "20G")
        #expect(result.status == 73)
        #expect(result.errors.contains("Permission denied"))
        #expect(try desk.run("get", "quota").output == "none\n")
    }

    @Test func ofManyProcessesAtOnceNoneIsLost() throws {
        let desk = try Desk(as: nil)
        let runs = try (0..<12).map { number in
            try desk.start(["set", "quota.g\(number)", "1G"])
        }
        for run in runs { #expect(try run.wait().status == 0) }
        let text = desk.text(desk.file) ?? ""
        for number in 0..<12 { #expect(text.contains("\"quota.g\(number)\": 1073741824")) }
    }

    /// The page has the table that the program has.
    @Test func theOperatorsPageHasEveryKey() throws {
        let page = try String(
            contentsOfFile: "\(Products.root)/docs/operator.md", encoding: .utf8)
        let list = try Desk(as: nil).run("list").lines
        let keys = list.filter { $0.contains(" = ") && !$0.hasPrefix(" ") }
        #expect(keys.count >= 12)
        for (line, meaning) in zip(list, list.dropFirst()) where keys.contains(line) {
            let key = line.split(separator: " ")[0]
            let sentence = meaning.trimmingCharacters(in: .whitespaces)
            #expect(page.contains("| `\(key)` |"), "\(key)")
            #expect(page.contains(sentence), "\(sentence)")
        }
    }
}
