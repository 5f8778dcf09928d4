/// A command line that cannot be obeyed.
///
/// It ends the program with status 64.
package struct CommandLineOptionsError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// No option or command has that name, or several begin with it.
        case unknownWord
        /// An option lacks its value, or has one that it does not take.
        case valueMismatch
        /// A value, or a combination of options, that makes no sense.
        case badValue
        /// Something that must be there is not.
        case missing
        /// Planned, documented, and not built yet.
        case notYet
        /// No memory for the table.
        case outOfMemory
    }

    package let code: Code

    /// The program and subcommand, such as `bahost run`.
    package let program: String

    /// The rest of the line, with the offending word in it.
    package let message: String

    package init(_ code: Code, program: String, message: String) {
        self.code = code
        self.program = program
        self.message = message
    }

    /// The one line for stderr, without a line feed.
    package var description: String { "\(program): \(message)" }
}

/// Makes words from outside fit to stand in a one-line message.
package enum QuotedWord {
    /// The word in double quotes, cut at 80 characters, everything that could steer a terminal
    /// escaped.
    package static func quote(_ word: String) -> String {
        let isCut = word.unicodeScalars.count > 80
        var text = "\""
        for scalar in word.unicodeScalars.prefix(80) {
            text += escape(scalar)
        }
        return text + (isCut ? "…\"" : "\"")
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
            return "\\u{\(String(scalar.value, radix: 16))}"
        default:
            return scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
        }
    }
}
