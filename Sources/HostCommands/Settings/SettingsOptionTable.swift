package import CommandLineOptions

extension OptionTable {
    /// `bahost settings`.
    package static let settings = OptionTable(
        program: "bahost settings",
        summary: "Shows and changes the settings of this machine and of this user.",
        positionals: "list\nget KEY\nset KEY VALUE\nunset KEY",
        groups: [
            OptionGroup(
                "Level:",
                [OptionRow("system", help: "Change the machine's settings, not the user's")]),
            OptionGroup("Output:", [OptionRow("json", help: "Print JSON and nothing else")]),
        ],
        footer: """
            A command line wins over the user's settings, those over the machine's, and
            those over what is built in. 'bahost settings list' names every key.
            """)
}
