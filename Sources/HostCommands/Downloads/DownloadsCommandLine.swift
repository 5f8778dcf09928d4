package import CommandLineOptions
package import DownloadScheduler

/// What `bahost downloads` is asked to do.
package enum DownloadsAction: Hashable, Sendable {
    case list
    case watch
    case cancel([String])
    case promote([String])
}

/// The command line of `bahost downloads`, every value checked.
package struct DownloadsOptions: Hashable, Sendable {
    package var action: DownloadsAction

    /// Absolute.
    package var statePath: String

    /// Absolute; nil when the command line names state only.
    package var containerPath: String?
    package var app: String?

    /// Empty: all.
    package var states: Set<DownloadState> = []
    package var isJSON = false

    package init(_ action: DownloadsAction, statePath: String) {
        self.action = action
        self.statePath = statePath
    }
}

/// Turns the words after `bahost downloads` into ``DownloadsOptions``.
package enum DownloadsCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        switch try OptionTable.downloads.parse(words) {
        case .text(let text): return .show(text)
        case .options(let parsed): return .downloads(try options(parsed, surroundings))
        }
    }

    private static func options(
        _ parsed: ParsedOptions, _ surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> DownloadsOptions {
        var options = DownloadsOptions(try action(parsed.positionals), statePath: "")
        var (state, output): (String?, String?)
        for occurrence in parsed.occurrences {
            let value = OptionValue(occurrence, of: OptionTable.downloads.program)
            switch value.name {
            case "state": state = try value.path()
            case "output": output = try value.path()
            case "app": options.app = try value.name(of: "an app's identifier")
            case "only": options.states.insert(try value.downloadState())
            default: options.isJSON = true
            }
        }
        guard options.states.isEmpty || options.action == .list else {
            throw usage(.badValue, "--only is for list")
        }
        let container = RunStateFolder.container(named: output, in: surroundings)
        options.statePath = try RunStateFolder.path(
            named: state, output: container, of: OptionTable.downloads.program, in: surroundings)
        options.containerPath = state != nil && output == nil ? nil : container
        return options
    }

    private static func action(
        _ words: [String]
    ) throws(CommandLineOptionsError) -> DownloadsAction {
        guard let verb = words.first else {
            throw usage(.missing, "list, watch, cancel or promote is missing")
        }
        let rest = Array(words.dropFirst())
        switch verb {
        case "list", "watch":
            guard rest.isEmpty else {
                throw usage(.unknownWord, "\(QuotedWord.quote(rest[0])) is one word too many")
            }
            return verb == "list" ? .list : .watch
        case "cancel", "promote":
            guard !rest.isEmpty else { throw usage(.missing, "ID is missing: \(verb) ID...") }
            return verb == "cancel" ? .cancel(rest) : .promote(rest)
        default:
            throw usage(
                .unknownWord, "\(QuotedWord.quote(verb)) is not list, watch, cancel or promote")
        }
    }

    private static func usage(
        _ code: CommandLineOptionsError.Code, _ message: String
    ) -> CommandLineOptionsError {
        CommandLineOptionsError(code, program: OptionTable.downloads.program, message: message)
    }
}

extension OptionValue {
    fileprivate func name(of what: String) throws(CommandLineOptionsError) -> String {
        guard (1...255).contains(text.utf8.count) else {
            throw bad("is not \(what), which has 1 to 255 bytes")
        }
        return text
    }

    fileprivate func downloadState() throws(CommandLineOptionsError) -> DownloadState {
        guard let state = DownloadState(rawValue: text) else {
            throw bad(
                "is not one of \(DownloadState.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return state
    }
}
