package import CommandLineOptions
package import LinuxSystem

/// What `bahost storage` is asked to do.
package enum StorageAction: Hashable, Sendable {
    case show

    /// `until` is what is to be free afterwards; nil for all that can be, or for what is damaged alone.
    case purge(until: ByteCount?, isDryRun: Bool, isDamagedOnly: Bool)
}

/// The command line of `bahost storage`, every value checked.
package struct StorageOptions: Hashable, Sendable {
    package var action: StorageAction

    /// Absolute.
    package var containerPath: String

    /// Absolute.
    package var statePath: String
    package var isJSON = false

    package init(_ action: StorageAction, containerPath: String, statePath: String) {
        self.action = action
        self.containerPath = containerPath
        self.statePath = statePath
    }
}

/// Turns the words after `bahost storage` into ``StorageOptions``.
package enum StorageCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        switch try OptionTable.storage.parse(words) {
        case .text(let text): return .show(text)
        case .options(let parsed): return .storage(try options(parsed, surroundings))
        }
    }

    private static func options(
        _ parsed: ParsedOptions, _ surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> StorageOptions {
        var (state, output): (String?, String?)
        var until: ByteCount?
        var (isDryRun, isDamagedOnly, isJSON) = (false, false, false)
        for occurrence in parsed.occurrences {
            let value = OptionValue(occurrence, of: OptionTable.storage.program)
            switch value.name {
            case "state": state = try value.path()
            case "output": output = try value.path()
            case "until": until = try value.size()
            case "dry-run": isDryRun = true
            case "damaged": isDamagedOnly = true
            default: isJSON = true
            }
        }
        var action = try action(parsed.positionals)
        switch action {
        case .show:
            if until != nil { throw usage(.badValue, "--until is for purge") }
            if isDryRun { throw usage(.badValue, "--dry-run is for purge") }
            if isDamagedOnly { throw usage(.badValue, "--damaged is for purge") }
        case .purge:
            if isDamagedOnly, until != nil {
                throw usage(.badValue, "--damaged and --until do not go together")
            }
            action = .purge(until: until, isDryRun: isDryRun, isDamagedOnly: isDamagedOnly)
        }
        let container = RunStateFolder.container(named: output, in: surroundings)
        var options = StorageOptions(
            action, containerPath: container,
            statePath: try RunStateFolder.path(
                named: state, output: container, of: OptionTable.storage.program,
                in: surroundings))
        options.isJSON = isJSON
        return options
    }

    private static func action(
        _ words: [String]
    ) throws(CommandLineOptionsError) -> StorageAction {
        guard let verb = words.first else {
            throw usage(.missing, "show or purge is missing")
        }
        guard words.count == 1 else {
            throw usage(.unknownWord, "\(QuotedWord.quote(words[1])) is one word too many")
        }
        switch verb {
        case "show": return .show
        case "purge": return .purge(until: nil, isDryRun: false, isDamagedOnly: false)
        default:
            throw usage(.unknownWord, "\(QuotedWord.quote(verb)) is not show or purge")
        }
    }

    private static func usage(
        _ code: CommandLineOptionsError.Code, _ message: String
    ) -> CommandLineOptionsError {
        CommandLineOptionsError(code, program: OptionTable.storage.program, message: message)
    }
}
