package import CommandLineOptions

extension OptionTable {
    /// `bahost conformance`.
    package static let conformance = OptionTable(
        program: "bahost conformance",
        summary: "Tries on this machine, technique by technique, that every limit holds.",
        groups: [
            OptionGroup(
                "What to try:",
                [
                    OptionRow(
                        "memory", argument: "SIZE",
                        help: "The memory limit (6M; without this some are tried at 2M and 64M too)"
                    ),
                    OptionRow(
                        "isolation", argument: "WORD",
                        help: "auto: all that the kernel gives (the default); full: everything but"
                            + " a cgroup, or no run; basic: no file confinement"),
                    OptionRow(
                        "filter", argument: "TEXT",
                        help: "Only cases whose number, technique, group, place or launcher holds"
                            + " TEXT; may be repeated"),
                ]),
            OptionGroup(
                "Output:",
                [
                    OptionRow("json", help: "Print one JSON record and nothing else"),
                    OptionRow("junit", argument: "FILE", help: "Write a JUnit report too"),
                ]),
        ],
        footer: """
            Nothing of the network but this machine's own loopback is used. SIZE is a number of \
            bytes or ends with K, M or G (binary). The exit status is 0 when nothing failed, else 1.
            """)
}
