package import CommandLineOptions
package import HostSettings

/// What `bahost settings` is asked to do.
package enum SettingsAction: Hashable, Sendable {
    case list
    case get(SettingKey)
    case set(SettingKey, SettingValue)
    case unset(SettingKey)

    /// The key that is changed.
    package var changed: SettingKey? {
        switch self {
        case .list, .get: nil
        case .set(let key, _), .unset(let key): key
        }
    }
}

/// The command line of `bahost settings`, every value checked.
package struct SettingsOptions: Hashable, Sendable {
    package var action: SettingsAction

    /// Whose file is changed.
    package var level = SettingsLevel.user
    package var isJSON = false

    package init(_ action: SettingsAction) {
        self.action = action
    }
}

/// Turns the words after `bahost settings` into ``SettingsOptions``.
package enum SettingsCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        switch try OptionTable.settings.parse(words) {
        case .text(let text): return .show(text)
        case .options(let parsed): return .settings(try options(parsed))
        }
    }

    private static func options(
        _ parsed: ParsedOptions
    ) throws(CommandLineOptionsError) -> SettingsOptions {
        var options = SettingsOptions(try action(parsed.positionals))
        let names = Set(parsed.occurrences.map(\.name))
        options.isJSON = names.contains("json")
        if names.contains("system") { options.level = .system }
        guard let key = options.action.changed else {
            guard options.level == .user else {
                throw usage(.badValue, "--system is for set and unset only")
            }
            return options
        }
        guard options.level == .system || !key.setting.isSystemOnly else {
            throw usage(.badValue, "\(key.name) is the operator's: add --system")
        }
        return options
    }

    private static func action(
        _ words: [String]
    ) throws(CommandLineOptionsError) -> SettingsAction {
        guard let verb = words.first else {
            throw usage(.missing, "list, get, set or unset is missing")
        }
        let operands = ["list": [], "get": ["KEY"], "set": ["KEY", "VALUE"], "unset": ["KEY"]]
        guard let expected = operands[verb] else {
            throw usage(
                .unknownWord, "\(QuotedWord.quote(verb)) is not list, get, set or unset")
        }
        let rest = Array(words.dropFirst())
        guard rest.count >= expected.count else {
            throw usage(
                .missing,
                "\(expected[rest.count]) is missing: \(verb) \(expected.joined(separator: " "))")
        }
        guard rest.count == expected.count else {
            throw usage(
                .unknownWord, "\(QuotedWord.quote(rest[expected.count])) is one word too many")
        }
        guard let name = rest.first else { return .list }
        let key = try key(name)
        switch verb {
        case "get": return .get(key)
        case "unset": return .unset(key)
        default: return .set(key, try value(rest[1], of: key))
        }
    }

    private static func key(_ word: String) throws(CommandLineOptionsError) -> SettingKey {
        guard let key = SettingKey(untrusted: word) else {
            throw usage(
                .unknownWord,
                "\(QuotedWord.quote(word)) is not a setting (see bahost settings list)")
        }
        return key
    }

    private static func value(
        _ word: String, of key: SettingKey
    ) throws(CommandLineOptionsError) -> SettingValue {
        do throws(SettingFault) {
            return try key.setting.kind.value(untrusted: word)
        } catch {
            // An address may have a password in it.
            let isAddress = if case .url = key.setting.kind { true } else { false }
            let told = isAddress ? "" : "\(QuotedWord.quote(word)) "
            throw usage(.badValue, "\(key.name): \(told)\(error.message)")
        }
    }

    private static func usage(
        _ code: CommandLineOptionsError.Code, _ message: String
    ) -> CommandLineOptionsError {
        CommandLineOptionsError(code, program: OptionTable.settings.program, message: message)
    }
}
