package import CommandLineOptions
package import WireProtocol

/// The command line of `bahost doctor`, every value checked.
package struct DoctorOptions: Hashable, Sendable {
    package var isolation = IsolationMode.automatic
    package var isJSON = false

    package init() {}
}

/// Turns the words after `bahost doctor` into ``DoctorOptions``.
package enum DoctorCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        let table = OptionTable.doctor
        let parsed: ParsedOptions
        switch try table.parse(words) {
        case .text(let text): return .show(text)
        case .options(let found): parsed = found
        }
        try parsed.expectNoWords(of: table.program)
        var options = DoctorOptions()
        for occurrence in parsed.occurrences {
            let value = OptionValue(occurrence, of: table.program)
            switch value.name {
            case "isolation": options.isolation = try value.isolation()
            case "json": options.isJSON = true
            default: throw value.notYet()
            }
        }
        return .doctor(options)
    }
}
