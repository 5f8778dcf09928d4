package import CommandLineOptions
package import LinuxSystem

/// The command line of `bahost inspect`, every value checked.
package struct InspectOptions: Hashable, Sendable {
    /// As they were given, at least one.
    package var files: [String] = []
    package var memory = ByteCount.mebibytes(6)
    package var isJSON = false

    package init() {}
}

/// Turns the words after `bahost inspect` into ``InspectOptions``.
package enum InspectCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        let table = OptionTable.inspect
        let parsed: ParsedOptions
        switch try table.parse(words) {
        case .text(let text): return .show(text)
        case .options(let found): parsed = found
        }
        var options = InspectOptions()
        for occurrence in parsed.occurrences {
            let value = OptionValue(occurrence, of: table.program)
            switch value.name {
            case "memory": options.memory = try value.size()
            case "json": options.isJSON = true
            default: throw value.notYet()
            }
        }
        for word in parsed.positionals {
            options.files.append(
                try OptionValue(OptionOccurrence(name: "FILE", value: word), of: table.program)
                    .path())
        }
        guard !options.files.isEmpty else {
            throw CommandLineOptionsError(
                .missing, program: table.program, message: "FILE is missing: inspect FILE...")
        }
        return .inspect(options)
    }
}
