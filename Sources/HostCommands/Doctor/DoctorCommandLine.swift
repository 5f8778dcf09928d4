package import CommandLineOptions

/// The command line of `bahost doctor`, every value checked.
package struct DoctorOptions: Hashable, Sendable {
}

/// Turns the words after `bahost doctor` into ``DoctorOptions``.
package enum DoctorCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        throw CommandLineOptionsError(
            .notYet, program: "bahost", message: "doctor is not yet there")
    }
}
