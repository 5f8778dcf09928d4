package import CommandLineOptions

extension OptionTable {
    /// `bahost inspect`.
    package static let inspect = OptionTable(
        program: "bahost inspect",
        summary: "Says what a plugin's file is and whether it would be loaded, without running it.",
        positionals: "FILE...",
        groups: [
            OptionGroup(
                "What it is held against:",
                [OptionRow("memory", argument: "SIZE", help: "The memory limit of a run (6M)")]),
            OptionGroup(
                "Output:",
                [OptionRow("json", help: "Print one JSON record for each file and nothing else")]),
        ],
        footer: """
            SIZE is a number of bytes or ends with K, M or G (binary). The status is 0 when every \
            file would be loaded, 1 when one would be refused, 66 when one is not there.
            """)
}
