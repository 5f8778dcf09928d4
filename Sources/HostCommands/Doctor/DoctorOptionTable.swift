package import CommandLineOptions

extension OptionTable {
    /// `bahost doctor`.
    package static let doctor = OptionTable(
        program: "bahost doctor",
        summary: "Says what this machine enforces, what it lacks, and what to do about it.",
        groups: [
            OptionGroup(
                "What is looked for:",
                [
                    OptionRow(
                        "isolation", argument: "WORD",
                        help: "auto, full or basic: as a run would be started with it (auto)")
                ]),
            OptionGroup("Output:", [OptionRow("json", help: "Print JSON and nothing else")]),
        ],
        footer: """
            A worker is really started, and says which layers it has. The status is 1 when
            bahost run could not run here, or could not keep what it promises; with
            --isolation full, when a layer is missing.
            """)
}
