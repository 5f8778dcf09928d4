internal import CArgp
internal import Glibc

/// One option as it stood on the command line.
package struct OptionOccurrence: Hashable, Sendable {
    /// The full long name, however it was abbreviated.
    package let name: String
    package let value: String?

    package init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

/// What a command line says, still as words.
package struct ParsedOptions: Hashable, Sendable {
    /// In the order given; an option given twice is here twice.
    package let occurrences: [OptionOccurrence]
    package let positionals: [String]

    package init(occurrences: [OptionOccurrence], positionals: [String]) {
        self.occurrences = occurrences
        self.positionals = positionals
    }
}

/// What a command line asks for.
package enum ParseOutcome: Hashable, Sendable {
    case options(ParsedOptions)

    /// Text for stdout; the program ends with status 0.
    case text(String)
}

extension OptionTable {
    /// Parses words (without the program's name) by the rules of `argp`: long names may be
    /// abbreviated, options and other words may be mixed, `--` ends the options.
    ///
    /// Neither prints nor ends the process.
    package func parse(_ words: [String]) throws(CommandLineOptionsError) -> ParseOutcome {
        let table = try CompiledTable.make(self)
        for word in words {
            try table.add(word)
        }
        if let rejected = try table.parseWords() {
            throw complaint(about: rejected)
        }
        let found = table.findings(names: rows.map(\.name))
        switch found.occurrences.first(where: { $0.name == "help" || $0.name == "usage" })?.name {
        case "help": return .text(try helpText())
        case "usage": return .text(try usageText())
        default: return .options(found)
        }
    }

    /// The long help, wrapped at 79 columns.
    package func helpText() throws(CommandLineOptionsError) -> String {
        try CompiledTable.make(self).helpText(isShort: false)
    }

    /// Every option in the short form of a manual page's synopsis.
    package func usageText() throws(CommandLineOptionsError) -> String {
        try CompiledTable.make(self).helpText(isShort: true)
    }

    /// Names what is wrong with a word that `getopt_long(3)` rejected.
    private func complaint(about word: String) -> CommandLineOptionsError {
        let quoted = QuotedWord.quote(word)
        guard word.hasPrefix("--") else { return complaintAboutLetters(word, quoted) }
        let parts = word.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        let exact = rows.filter { $0.name == name }
        let matches = exact.isEmpty ? rows.filter { $0.name.hasPrefix(name) } : exact
        guard let row = matches.first else {
            return error(.unknownWord, "\(quoted) is not an option (see \(program) --help)")
        }
        if matches.count > 1 {
            let names = matches.map { "--\($0.name)" }.joined(separator: ", ")
            return error(.unknownWord, "\(quoted) may mean \(names): write more of it")
        }
        if let argument = row.argument {
            return error(.valueMismatch, "--\(row.name) needs a value: --\(row.name) \(argument)")
        }
        return error(.valueMismatch, "--\(row.name) takes no value, but \(quoted) gives one")
    }

    private func complaintAboutLetters(
        _ word: String, _ quoted: String
    ) -> CommandLineOptionsError {
        for letter in word.dropFirst() {
            guard let row = rows.first(where: { $0.key == letter }) else { break }
            if let argument = row.argument {
                return error(.valueMismatch, "-\(letter) needs a value: -\(letter) \(argument)")
            }
        }
        return error(.unknownWord, "\(quoted) is not an option (see \(program) --help)")
    }

    private func error(
        _ code: CommandLineOptionsError.Code, _ message: String
    ) -> CommandLineOptionsError {
        CommandLineOptionsError(code, program: program, message: message)
    }
}

/// An ``OptionTable`` in the form that `argp` reads; owns the C side.
///
/// Safe: the pointer never leaves it.
@safe private struct CompiledTable: ~Copyable {
    private let raw: OpaquePointer
    private let program: String

    private init(adopting raw: OpaquePointer, program: String) {
        unsafe self.raw = unsafe raw
        self.program = program
    }

    static func make(_ table: OptionTable) throws(CommandLineOptionsError) -> CompiledTable {
        let summary = table.summary + (table.footer.isEmpty ? "" : "\u{0B}" + table.footer)
        guard
            let raw = unsafe bah_make_option_table(table.program, table.positionals, summary)
        else { throw outOfMemory(table.program) }
        let compiled = unsafe CompiledTable(adopting: raw, program: table.program)
        for (index, group) in table.groups.enumerated() {
            let isLast: Int32 = index == table.groups.count - 1 ? 1 : 0
            try compiled.check(unsafe bah_add_option_group(raw, group.title, isLast))
            for row in group.rows {
                try compiled.add(row)
            }
        }
        return compiled
    }

    deinit {
        // SAFETY: made by `bah_make_option_table`; nothing read from it outlives this value.
        unsafe bah_free_option_table(raw)
    }

    private func add(_ row: OptionRow) throws(CommandLineOptionsError) {
        let key = Int32(row.key?.asciiValue ?? 0)
        try check(unsafe bah_add_option(raw, row.name, key, row.argument, row.help))
    }

    func add(_ word: String) throws(CommandLineOptionsError) {
        try check(unsafe bah_add_word(raw, word))
    }

    /// Nil when all words were understood, else the first that was not.
    func parseWords() throws(CommandLineOptionsError) -> String? {
        let status = unsafe bah_parse_words(raw)
        guard status != 0 else { return nil }
        guard status == -EINVAL else { throw CompiledTable.outOfMemory(program) }
        return unsafe bah_rejected_word(raw).map { unsafe String(cString: $0) } ?? ""
    }

    /// The findings of the last parse; `names` by option number.
    func findings(names: [String]) -> ParsedOptions {
        var occurrences: [OptionOccurrence] = []
        var positionals: [String] = []
        for index in 0..<(unsafe bah_count_findings(raw)) {
            let value = unsafe bah_find_value(raw, index).map { unsafe String(cString: $0) }
            let option = Int(unsafe bah_find_option(raw, index))
            if names.indices.contains(option) {
                occurrences.append(OptionOccurrence(name: names[option], value: value))
            } else {
                positionals.append(value ?? "")
            }
        }
        return ParsedOptions(occurrences: occurrences, positionals: positionals)
    }

    func helpText(isShort: Bool) throws(CommandLineOptionsError) -> String {
        guard let text = unsafe bah_print_option_help(raw, isShort ? 1 : 0) else {
            throw CompiledTable.outOfMemory(program)
        }
        // SAFETY: a NUL-ended text from `open_memstream(3)` that we own.
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    private func check(_ status: Int32) throws(CommandLineOptionsError) {
        guard status == 0 else { throw CompiledTable.outOfMemory(program) }
    }

    private static func outOfMemory(_ program: String) -> CommandLineOptionsError {
        CommandLineOptionsError(.outOfMemory, program: program, message: "not enough memory")
    }
}
