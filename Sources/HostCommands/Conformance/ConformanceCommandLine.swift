package import CommandLineOptions

/// The command line of `bahost conformance`, every value checked.
package struct ConformanceOptions: Hashable, Sendable {
}

/// Turns the words after `bahost conformance` into ``ConformanceOptions``.
package enum ConformanceCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        throw CommandLineOptionsError(
            .notYet, program: "bahost", message: "conformance is not yet there")
    }
}
