package import CommandLineOptions

/// The command line of `bahost settings`, every value checked.
package struct SettingsOptions: Hashable, Sendable {
}

/// Turns the words after `bahost settings` into ``SettingsOptions``.
package enum SettingsCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        throw CommandLineOptionsError(
            .notYet, program: "bahost", message: "settings is not yet there")
    }
}
