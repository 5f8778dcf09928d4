package import CommandLineOptions

extension OptionTable {
    /// `bahost downloads`.
    package static let downloads = OptionTable(
        program: "bahost downloads",
        summary: "Shows and changes the downloads that runs have left behind or are busy with.",
        positionals: "list\nwatch\ncancel ID...\npromote ID...",
        groups: [
            OptionGroup(
                "Which downloads:",
                [
                    OptionRow(
                        "output", argument: "DIR",
                        help: "Those of the runs into this container (./bahost-output)"),
                    OptionRow(
                        "state", argument: "DIR",
                        help: "Where these runs keep their state, if they were told --state"),
                    OptionRow("app", argument: "ID", help: "Only those of this app"),
                    OptionRow(
                        "only", argument: "STATE",
                        help: "List those in this state: created, waiting, downloading, paused, "
                            + "finished, failed or cancelled; may be repeated"),
                ]),
            OptionGroup("Output:", [OptionRow("json", help: "Print JSON and nothing else")]),
        ],
        footer: """
            'list' and 'watch' read beside a run; 'watch' prints what changes until nothing
            is unfinished or it is interrupted. 'cancel' and 'promote' are for when no run
            goes on (else status 73 and its process id); of several downloads all are
            changed or none. What is promoted the next run begins before what is not, of the
            same app and class. What is cancelled is begun anew only if a plugin asks again.
            """)
}
