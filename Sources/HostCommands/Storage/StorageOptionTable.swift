package import CommandLineOptions

extension OptionTable {
    /// `bahost storage`.
    package static let storage = OptionTable(
        program: "bahost storage",
        summary: "Shows what a container holds, and takes back what may be fetched again.",
        positionals: "show\npurge",
        groups: [
            OptionGroup(
                "Which container:",
                [
                    OptionRow(
                        "output", argument: "DIR",
                        help: "The container of the runs into it (./bahost-output)"),
                    OptionRow(
                        "state", argument: "DIR",
                        help: "Where these runs keep their state, if they were told --state"),
                ]),
            OptionGroup(
                "How much 'purge' takes back:",
                [
                    OptionRow(
                        "until", argument: "SIZE",
                        help: "No more than it takes until so much is free on the file system of "
                            + "the container (all that is purgeable)"),
                    OptionRow(
                        "damaged",
                        help: "Only what has other bytes than were downloaded; all is read for it"),
                    OptionRow(
                        "dry-run", help: "Say what would go, and change nothing; also beside a run"),
                ]),
            OptionGroup("Output:", [OptionRow("json", help: "Print JSON and nothing else")]),
        ],
        footer: """
            Purgeable is what a download has published and nobody has changed since; a
            copy of it is the app's own. The longest unused goes first; what somebody
            holds a lock on (flock(2)) stays, as does what is pinned, and what an
            extension has yet to be told of.
            'show' and --dry-run read beside a run, and lock each such file for a moment;
            what the run itself has fetched it keeps until it ends. 'purge' is for when no
            run goes on (else status 73 and its process id), and ends with status 1 when
            less than --until is free afterwards or a file could not be taken back.
            """)
}
