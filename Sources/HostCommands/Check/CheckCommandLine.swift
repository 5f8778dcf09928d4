package import CommandLineOptions

/// The command line of `bahost check`, every value checked.
package struct CheckOptions: Hashable, Sendable {
}

/// Turns the words after `bahost check` into ``CheckOptions``.
package enum CheckCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        throw CommandLineOptionsError(.notYet, program: "bahost", message: "check is not yet there")
    }
}
