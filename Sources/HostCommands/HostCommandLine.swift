package import CommandLineOptions

/// What `bahost` is asked to do.
package enum HostCommand: Hashable, Sendable {
    /// Print this on stdout and end with status 0.
    case show(String)
    case run(RunOptions)
    case conformance(ConformanceOptions)
    case inspect(InspectOptions)
    case check(CheckOptions)
    case doctor(DoctorOptions)
    case settings(SettingsOptions)
    case downloads(DownloadsOptions)
    case storage(StorageOptions)
}

/// The command line of `bahost` as a whole.
package enum HostCommandLine {
    package static let version = "0.1.0"

    /// Commands that are planned and not built.
    private static let laterCommands = [
        "app", "packs", "status",
    ]

    /// The words that arguments spell; one that is not UTF-8 is refused, not repaired.
    package static func words(
        _ arguments: [[UInt8]]
    ) throws(CommandLineOptionsError) -> [String] {
        var words: [String] = []
        for argument in arguments {
            guard let word = String(validating: argument, as: UTF8.self) else {
                throw usage(.badValue, "\(QuotedWord.quote(argument)) is not UTF-8")
            }
            words.append(word)
        }
        return words
    }

    /// Reads the words after the program's name; prints nothing.
    ///
    /// - Throws: ``CommandLineOptionsError``: print its description on stderr, end with status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        guard let first = words.first else {
            throw usage(.missing, "a command is missing (see bahost --help)")
        }
        let rest = Array(words.dropFirst())
        switch first {
        case "run": return try run(rest, in: surroundings)
        case "conformance": return try ConformanceCommandLine.read(rest, in: surroundings)
        case "inspect": return try InspectCommandLine.read(rest, in: surroundings)
        case "check": return try CheckCommandLine.read(rest, in: surroundings)
        case "doctor": return try DoctorCommandLine.read(rest, in: surroundings)
        case "settings": return try SettingsCommandLine.read(rest, in: surroundings)
        case "downloads": return try DownloadsCommandLine.read(rest, in: surroundings)
        case "storage": return try StorageCommandLine.read(rest, in: surroundings)
        case "explain-exit": return .show(try explainExit(rest))
        case _ where first.hasPrefix("-"): return .show(try about(words))
        case _ where laterCommands.contains(first):
            throw usage(.notYet, "\(first) is not yet there")
        default:
            throw usage(
                .unknownWord, "\(QuotedWord.quote(first)) is not a command (see bahost --help)")
        }
    }

    private static func run(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        switch try OptionTable.run.parse(words) {
        case .text(let text): return .show(text)
        case .options(let parsed): return .run(try RunCommandLine.read(parsed, in: surroundings))
        }
    }

    /// Options before a command: only those that end at once.
    private static func about(_ words: [String]) throws(CommandLineOptionsError) -> String {
        switch try OptionTable.host.parse(words) {
        case .text(let text): return text
        case .options(let parsed):
            guard parsed.occurrences.contains(where: { $0.name == "version" }) else {
                throw usage(.missing, "a command is missing (see bahost --help)")
            }
            return "bahost \(version)\n"
        }
    }

    private static func usage(
        _ code: CommandLineOptionsError.Code, _ message: String
    ) -> CommandLineOptionsError {
        CommandLineOptionsError(code, program: "bahost", message: message)
    }

    private static func explainExit(_ words: [String]) throws(CommandLineOptionsError) -> String {
        let parsed: ParsedOptions
        switch try OptionTable.explainExit.parse(words) {
        case .text(let text): return text
        case .options(let options): parsed = options
        }
        if parsed.positionals.count > 1 {
            throw explainUsage(parsed.positionals[1], "is one word too many")
        }
        guard let word = parsed.positionals.first else {
            return explain(
                CommandLineOptions.ExitStatus.allCases, json: !parsed.occurrences.isEmpty)
        }
        guard let status = ExitStatus(untrusted: word) else {
            throw explainUsage(
                word, "is not an exit status of bahost (without a number, all are listed)")
        }
        return explain([status], json: !parsed.occurrences.isEmpty)
    }

    private static func explainUsage(_ word: String, _ message: String) -> CommandLineOptionsError {
        CommandLineOptionsError(
            .badValue, program: "bahost explain-exit",
            message: "\(QuotedWord.quote(word)) \(message)")
    }

    private static func explain(_ statuses: [ExitStatus], json: Bool) -> String {
        if json {
            let entries = statuses.map { status in
                "{\"name\":\"\(status.name)\",\"sentence\":\"\(status.sentence)\","
                    + "\"status\":\(status.number)}"
            }
            return "{\"exitStatus\":[\(entries.joined(separator: ","))],\"schema\":1}\n"
        }
        return statuses.map { "\($0.number) \($0.name): \($0.sentence)\n" }.joined()
    }
}

extension QuotedWord {
    /// Bytes in double quotes, cut at 80, all but printable ASCII as `\xff`.
    static func quote(_ bytes: [UInt8]) -> String {
        var text = "\""
        for byte in bytes.prefix(80) {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\\(UnicodeScalar(byte))"
            case 0x20..<0x7F: text.unicodeScalars.append(UnicodeScalar(byte))
            default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text + (bytes.count > 80 ? "…\"" : "\"")
    }
}
