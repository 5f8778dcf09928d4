/// One option of a program: what help, manual page and completion say about it.
package struct OptionRow: Hashable, Sendable {
    /// The long name without dashes, such as `wall-time`.
    package let name: String

    /// The letter of the short form, if there is one: printable ASCII.
    package let key: Character?

    /// What help calls the value, or nil for an option that takes none.
    package let argument: String?

    package let help: String

    package init(_ name: String, key: Character? = nil, argument: String? = nil, help: String) {
        self.name = name
        self.key = key
        self.argument = argument
        self.help = help
    }
}

/// Options that help prints together, under one title.
package struct OptionGroup: Hashable, Sendable {
    package let title: String
    package let rows: [OptionRow]

    package init(_ title: String, _ rows: [OptionRow]) {
        self.title = title
        self.rows = rows
    }
}

/// The command line of one program or subcommand; the one source of its parser, its help and,
/// later, its manual page and its completion.
package struct OptionTable: Hashable, Sendable {
    /// The words that start it, such as `bahost run`.
    package let program: String

    /// One sentence; help begins with it.
    package let summary: String

    /// How the usage line calls the words that are no options; empty when there are none.
    package let positionals: String

    package let groups: [OptionGroup]

    /// Printed after the options, with its own line breaks.
    package let footer: String

    package init(
        program: String, summary: String, positionals: String = "", groups: [OptionGroup] = [],
        about: [OptionRow] = [], footer: String = ""
    ) {
        self.program = program
        self.summary = summary
        self.positionals = positionals
        self.groups = groups + [OptionGroup("About:", OptionTable.aboutRows + about)]
        self.footer = footer
    }

    package var rows: [OptionRow] { groups.flatMap(\.rows) }

    /// Every table answers these two; ``parse(_:)`` handles them.
    private static let aboutRows = [
        OptionRow("help", key: "?", help: "Show this help and end"),
        OptionRow("usage", help: "Show a short usage line and end"),
    ]
}
