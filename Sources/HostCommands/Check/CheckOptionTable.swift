internal import CommandLineOptions

extension OptionTable {
    /// `bahost check`.
    static let check = OptionTable(
        program: "bahost check",
        summary: "Tries a plugin against every rule of the interface, in confined processes, and"
            + " says which it breaks.",
        positionals: "FILE|DIR...",
        groups: [
            OptionGroup(
                "What to check:",
                [
                    OptionRow(
                        "manifest", argument: "FILE",
                        help: "A manifest that the plugin can read: then what it asks for is judged"
                    ),
                    OptionRow(
                        "retry",
                        help: "Try again what crashed or hung while it was loaded the last time"),
                ]),
            OptionGroup(
                "Limits:",
                [
                    OptionRow(
                        "memory", argument: "SIZE", help: "Memory beyond the bare worker (6M)"),
                    OptionRow("wall-time", argument: "TIME", help: "Time for each call (10s)"),
                    OptionRow(
                        "file-time", argument: "TIME",
                        help: "Time for each file; what is left then is not tried (5m)"),
                    OptionRow(
                        "isolation", argument: "WORD",
                        help: "auto: all that the kernel gives (the default); full: everything but"
                            + " a cgroup; basic: no file confinement"),
                ]),
            OptionGroup(
                "Output:", [OptionRow("json", help: "Print one JSON record and nothing else")]),
        ],
        footer: """
            Of a DIR each file that ends with .so is checked; what crashed or hung while it was \
            loaded is skipped until it changes. The rules are in docs/plugin-rules.md. Exit status \
            1: a plugin breaks a rule.
            """)
}
