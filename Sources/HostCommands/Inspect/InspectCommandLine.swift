package import CommandLineOptions

/// The command line of `bahost inspect`, every value checked.
package struct InspectOptions: Hashable, Sendable {
}

/// Turns the words after `bahost inspect` into ``InspectOptions``.
package enum InspectCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        throw CommandLineOptionsError(
            .notYet, program: "bahost", message: "inspect is not yet there")
    }
}
