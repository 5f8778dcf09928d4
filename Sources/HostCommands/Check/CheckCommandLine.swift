package import CommandLineOptions
package import LinuxSystem
package import WireProtocol

/// The command line of `bahost check`, every value checked.
package struct CheckOptions: Hashable, Sendable {
    /// Files and folders, at least one.
    package var paths: [String] = []
    package var manifestPath: String?
    package var memory = ByteCount.mebibytes(6)
    package var wallTime = Duration.seconds(10)

    /// For all that is tried of one file.
    package var fileTime = Duration.seconds(300)
    package var isolation = IsolationMode.automatic

    /// True when the quarantine is not to keep anything away.
    package var isRetry = false
    package var isJSON = false

    package init() {}
}

/// Turns the words after `bahost check` into ``CheckOptions``.
package enum CheckCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        switch try OptionTable.check.parse(words) {
        case .text(let text): return .show(text)
        case .options(let parsed): return .check(try options(parsed))
        }
    }

    private static func options(
        _ parsed: ParsedOptions
    ) throws(CommandLineOptionsError) -> CheckOptions {
        var options = CheckOptions()
        for occurrence in parsed.occurrences {
            let value = OptionValue(occurrence, of: OptionTable.check.program)
            switch value.name {
            case "manifest": options.manifestPath = try value.path()
            case "memory": options.memory = try value.size()
            case "wall-time": options.wallTime = try value.duration()
            case "file-time": options.fileTime = try value.duration()
            case "isolation": options.isolation = try value.isolation()
            case "retry": options.isRetry = true
            case "json": options.isJSON = true
            default: throw value.notYet()
            }
        }
        guard !parsed.positionals.isEmpty else {
            throw usage(.missing, "a FILE or DIR is missing")
        }
        for word in parsed.positionals where !(1...4_095).contains(word.utf8.count) {
            throw usage(.badValue, "\(QuotedWord.quote(word)) is not a path")
        }
        options.paths = parsed.positionals
        return options
    }

    private static func usage(
        _ code: CommandLineOptionsError.Code, _ message: String
    ) -> CommandLineOptionsError {
        CommandLineOptionsError(code, program: OptionTable.check.program, message: message)
    }
}
