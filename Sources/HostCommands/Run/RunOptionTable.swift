package import CommandLineOptions

extension OptionTable {
    /// `bahost run`.
    package static let run = OptionTable(
        program: "bahost run",
        summary: "Runs a plugin in a confined process and downloads what it asks for.",
        groups: [whatToRun, whereToPut, limits, network, output, later],
        footer: """
            SIZE is a number of bytes or ends with K, M or G (binary). TIME ends with ms, s, m or \
            h. An option given twice counts as given last, but for --allow-domain and --pack. \
            'bahost explain-exit' lists what the exit status says.
            """)

    private static let whatToRun = OptionGroup(
        "What to run:",
        [
            OptionRow("plugin", argument: "FILE", help: "The plugin, a shared library; required"),
            OptionRow(
                "event", argument: "WORD",
                help: "Why it is woken: install (the default), update, periodic or should-download"
            ),
            OptionRow(
                "manifest", argument: "FILE|URL", help: "The content manifest it gets to read"),
            OptionRow(
                "packs", argument: "FILE",
                help: "The download manifest with the packs to ask about; for should-download"),
            OptionRow(
                "pack", argument: "ID", help: "Ask only about this pack of it; may be repeated"),
            OptionRow(
                "info", argument: "FILE",
                help: "The Info.plist of its app: identifier, group, allowances, domains"),
        ])

    private static let whereToPut = OptionGroup(
        "Where things go:",
        [
            OptionRow(
                "output", argument: "DIR",
                help: "The container; finished files are in DIR/Downloads (./bahost-output)"),
            OptionRow(
                "state", argument: "DIR",
                help: "What must outlive the run ($XDG_STATE_HOME/bahost/run/...)"),
        ])

    private static let limits = OptionGroup(
        "Limits:",
        [
            OptionRow("memory", argument: "SIZE", help: "Memory beyond the bare worker (6M)"),
            OptionRow(
                "memory-rule", argument: "WORD",
                help: "strict: the runtime's reserve is taken off the limit; normal (the default)"),
            OptionRow(
                "on-memory-limit", argument: "WORD",
                help: "end the run (the default), or fail the allocation and go on"),
            OptionRow("wall-time", argument: "TIME", help: "Time for each call (30s)"),
            OptionRow(
                "cpu-time", argument: "TIME", help: "CPU time of each worker, whole seconds (10s)"
            ),
            OptionRow("file-size", argument: "SIZE", help: "Size of each file it writes (64M)"),
            OptionRow("written", argument: "SIZE", help: "Bytes each worker writes in all (64M)"),
            OptionRow("open-files", argument: "N", help: "Files open at once (32)"),
            OptionRow("threads", argument: "N", help: "Threads at once (32)"),
            OptionRow(
                "isolation", argument: "WORD",
                help: "auto: all that the kernel gives (the default); full: everything but a"
                    + " cgroup, or no run; basic: no file confinement"),
        ])

    private static let network = OptionGroup(
        "What it may download:",
        [
            OptionRow(
                "allow-domain", argument: "PATTERN",
                help: "Allow a host, or with *.example.com all below it; may be repeated"),
            OptionRow("allow-loopback", help: "Allow http and addresses of this machine"),
            OptionRow("allow-private", help: "Allow private and link-local addresses"),
            OptionRow(
                "download-allowance", argument: "SIZE", help: "Sum of plain downloads (unlimited)"),
            OptionRow(
                "essential-allowance", argument: "SIZE",
                help: "Sum of essential downloads (unlimited)"),
        ])

    private static let output = OptionGroup(
        "Output:",
        [
            OptionRow("strict", help: "End with status 11 when something was refused"),
            OptionRow("json", help: "Print one JSON record and nothing else"),
            OptionRow("quiet", key: "q", help: "Print the final table only"),
        ])

    private static let later = OptionGroup(
        "Not yet there:",
        [
            OptionRow("daemon", help: "Run in the service")
        ])

    /// `bahost` itself.
    package static let host = OptionTable(
        program: "bahost",
        summary: "Background Assets for Linux: runs confined plugins and downloads what they want.",
        positionals: "COMMAND [OPTION...]",
        about: [OptionRow("version", help: "Show the version and end")],
        footer: """
            Commands:
              run --plugin FILE   Run a plugin and download what it asks for
              inspect FILE...     Say what a plugin's file is, without running it
              check FILE|DIR...   Try a plugin against every rule of the interface
              downloads list      Show and change the downloads of a run
              storage show        Show what a container holds, and take back what may go
              conformance         Try that every limit holds on this machine
              doctor              Say what this machine enforces and what it lacks
              settings list       Show and change settings
              explain-exit [N]    Say what an exit status means

            'bahost COMMAND --help' tells more.
            """)

    /// `bahost explain-exit`.
    package static let explainExit = OptionTable(
        program: "bahost explain-exit",
        summary: "Says what an exit status of bahost means; without N, lists them all.",
        positionals: "[N]",
        groups: [
            OptionGroup("Output:", [OptionRow("json", help: "Print JSON and nothing else")])
        ])
}
