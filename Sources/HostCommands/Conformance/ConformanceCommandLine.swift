package import CommandLineOptions
package import LinuxSystem
package import WireProtocol

/// The command line of `bahost conformance`, every value checked.
package struct ConformanceOptions: Hashable, Sendable {
    /// Nil: the default, and for some techniques others too.
    package var memory: ByteCount?
    package var isolation = IsolationMode.automatic

    /// A case is tried when one of them fits; empty: all.
    package var filters: [String] = []
    package var isJSON = false

    /// Absolute.
    package var junitPath: String?

    package init() {}
}

/// Turns the words after `bahost conformance` into ``ConformanceOptions``.
package enum ConformanceCommandLine {
    /// - Throws: ``CommandLineOptionsError``, which names the word; status 64.
    package static func read(
        _ words: [String], in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> HostCommand {
        switch try OptionTable.conformance.parse(words) {
        case .text(let text): return .show(text)
        case .options(let parsed): return .conformance(try read(parsed, in: surroundings))
        }
    }

    private static func read(
        _ parsed: ParsedOptions, in surroundings: Surroundings
    ) throws(CommandLineOptionsError) -> ConformanceOptions {
        try parsed.expectNoWords(of: OptionTable.conformance.program)
        var options = ConformanceOptions()
        for occurrence in parsed.occurrences {
            let value = OptionValue(occurrence, of: OptionTable.conformance.program)
            switch value.name {
            case "memory": options.memory = try value.size()
            case "isolation": options.isolation = try value.isolation()
            case "filter":
                guard !value.text.isEmpty else { throw value.bad("fits everything") }
                options.filters.append(value.text)
            case "json": options.isJSON = true
            case "junit":
                options.junitPath = PathText.absolute(try value.path(), in: surroundings.folder)
            default: throw value.notYet()
            }
        }
        return options
    }
}
