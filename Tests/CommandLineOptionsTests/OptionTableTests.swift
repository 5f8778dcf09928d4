import CommandLineOptions
import Testing

@Suite struct OptionTableTests {
    private let table = OptionTable(
        program: "tool run", summary: "Runs things.", positionals: "FILE...",
        groups: [
            OptionGroup(
                "Things:",
                [
                    OptionRow("memory", key: "m", argument: "SIZE", help: "Memory it may use"),
                    OptionRow("memory-rule", argument: "RULE", help: "How memory is counted"),
                    OptionRow("allow-loopback", help: "Allow this machine"),
                    OptionRow("allow-private", help: "Allow private addresses"),
                ]),
            OptionGroup("Output:", [OptionRow("quiet", key: "q", help: "Say less")]),
        ],
        footer: "The end.")

    private func parse(_ words: String...) throws -> ParsedOptions {
        guard case .options(let found) = try table.parse(words) else {
            throw CommandLineOptionsError(.missing, program: "test", message: "not options")
        }
        return found
    }

    private func complaint(_ words: String...) -> CommandLineOptionsError? {
        do throws(CommandLineOptionsError) {
            _ = try table.parse(words)
            return nil
        } catch {
            return error
        }
    }

    @Test func givesOptionsInTheirOrderAndTheOtherWords() throws {
        let found = try parse("a", "--memory", "6M", "-q", "b", "--memory=7M")
        #expect(
            found.occurrences == [
                OptionOccurrence(name: "memory", value: "6M"),
                OptionOccurrence(name: "quiet", value: nil),
                OptionOccurrence(name: "memory", value: "7M"),
            ])
        #expect(found.positionals == ["a", "b"])
    }

    @Test func parsesNoWordsToNothing() throws {
        #expect(try parse() == ParsedOptions(occurrences: [], positionals: []))
    }

    @Test func acceptsShortFormsTogetherAndAttachedValues() throws {
        let found = try parse("-qm6M", "-m", "-5")
        #expect(found.occurrences.map(\.name) == ["quiet", "memory", "memory"])
        #expect(found.occurrences.map(\.value) == [nil, "6M", "-5"])
    }

    @Test func expandsAUniqueAbbreviationToTheFullName() throws {
        #expect(try parse("--allow-l").occurrences.map(\.name) == ["allow-loopback"])
    }

    @Test func prefersAnExactNameToALongerOne() throws {
        #expect(try parse("--memory", "1").occurrences.map(\.name) == ["memory"])
    }

    @Test func takesEverythingAfterTwoDashesAsWords() throws {
        let found = try parse("-q", "--", "--memory", "-x")
        #expect(found.occurrences.map(\.name) == ["quiet"])
        #expect(found.positionals == ["--memory", "-x"])
    }

    @Test func keepsAnEmptyValueAndNonASCII() throws {
        let found = try parse("--memory=", "--memory", "", "größe/文件")
        #expect(found.occurrences.map(\.value) == ["", ""])
        #expect(found.positionals == ["größe/文件"])
    }

    @Test(arguments: ["--nonsense", "--nonsense=5", "---memory", "--Memory", "--quiet2"])
    func namesAnUnknownOption(word: String) {
        let error = complaint("--memory", "6M", word, "file")
        #expect(error?.code == .unknownWord)
        #expect(
            error?.description == "tool run: \"\(word)\" is not an option (see tool run --help)")
    }

    @Test(arguments: [["-x"], ["-qx"], ["file", "-x", "more"], ["-xq", "file"]])
    func namesAnUnknownLetter(words: [String]) {
        let word = words.first { $0.contains("x") } ?? ""
        #expect(
            throws: CommandLineOptionsError(
                .unknownWord, program: "tool run",
                message: "\"\(word)\" is not an option (see tool run --help)")
        ) { try table.parse(words) }
    }

    @Test func listsWhatAnAmbiguousWordMayMean() {
        #expect(
            complaint("--allow")?.message
                == "\"--allow\" may mean --allow-loopback, --allow-private: write more of it")
    }

    @Test func saysThatAValueIsMissing() {
        #expect(complaint("--memory")?.message == "--memory needs a value: --memory SIZE")
        #expect(
            complaint("--memory-r")?.message == "--memory-rule needs a value: --memory-rule RULE")
        #expect(complaint("-m")?.message == "-m needs a value: -m SIZE")
        #expect(complaint("-qm")?.message == "-m needs a value: -m SIZE")
        #expect(complaint("-m")?.code == .valueMismatch)
    }

    @Test func saysThatAnOptionTakesNoValue() {
        let error = complaint("--quiet=yes")
        #expect(error?.code == .valueMismatch)
        #expect(error?.message == "--quiet takes no value, but \"--quiet=yes\" gives one")
    }

    @Test func keepsAHostileWordOutOfTheTerminal() {
        let error = complaint("--\u{1B}[31m\u{202E}\n" + String(repeating: "x", count: 500))
        let message = error?.description ?? ""
        #expect(message.hasPrefix("tool run: \"--\\u{1b}[31m\\u{202e}\\u{a}xxx"))
        #expect(message.unicodeScalars.count < 200)
        #expect(!message.unicodeScalars.contains { $0.value < 32 })
    }

    @Test(arguments: ["--help", "-?", "--hel"]) func answersHelpWithText(word: String) throws {
        guard case .text(let text) = try table.parse(["--quiet", word]) else {
            Issue.record("no text")
            return
        }
        #expect(text.hasPrefix("Usage: tool run [OPTION...] FILE...\nRuns things.\n"))
        #expect(text.contains("-m, --memory=SIZE"))
        #expect(text.contains("Memory it may use"))
        #expect(text.contains("\n Things:\n"))
        #expect(text.contains("\n About:\n  -?, --help "))
        #expect(text.hasSuffix("The end.\n"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func answersUsageWithAShortText() throws {
        guard case .text(let text) = try table.parse(["--usage"]) else {
            Issue.record("no text")
            return
        }
        #expect(text.hasPrefix("Usage: tool run "))
        #expect(text.contains("[--memory-rule=RULE]"))
        #expect(!text.contains("Memory it may use"))
    }

    @Test func refusesABadWordBeforeItShowsHelp() {
        #expect(complaint("--nonsense", "--help")?.code == .unknownWord)
    }

    @Test func everyRowIsInTheHelp() throws {
        let text = try table.helpText()
        #expect(table.rows.count == 7)
        #expect(table.rows.allSatisfy { text.contains("--\($0.name)") })
    }

    @Test func parsesManyWords() throws {
        let words = Array(repeating: "--memory=1", count: 5_000)
        guard case .options(let found) = try table.parse(words) else {
            Issue.record("no options")
            return
        }
        #expect(found.occurrences.count == 5_000)
    }
}
