internal import Glibc
internal import LinuxSystem

/// Text and where it goes.
package struct ConsoleText: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        /// stdout
        case output
        /// stderr
        case diagnostics
    }

    package let target: Target
    package let text: String

    package init(_ target: Target, _ text: String) {
        self.target = target
        self.text = text
    }
}

/// What came of writing.
package enum ConsoleResult: Hashable, Sendable {
    case written
    /// Nobody reads stdout any more (`| head`): end quietly.
    case closed
    /// The errno value of `write(2)` on stdout, such as ENOSPC.
    case failed(Int32)

    /// The sentence for `failed`.
    static func outputMessage(_ code: Int32) -> String {
        "cannot write to stdout: \(SystemError.message(for: code))"
    }
}

/// Writes to stdout and stderr.
///
/// SIGPIPE must be ignored (`StopSignals.ignoreBrokenPipes`). What cannot be written to stderr is
/// dropped; after stdout has failed, nothing more is written to it.
package struct Console: Sendable {
    private let output: Int32
    private let diagnostics: Int32
    private var outputResult = ConsoleResult.written
    private var hasDiagnostics = true

    package init(output: Int32 = 1, diagnostics: Int32 = 2) {
        self.output = output
        self.diagnostics = diagnostics
    }

    /// Writes all texts in order; blocks while a reader is slow.
    package mutating func write(_ texts: [ConsoleText]) -> ConsoleResult {
        for text in texts {
            switch text.target {
            case .output where outputResult == .written:
                outputResult = Console.put(text.text, on: output, name: "stdout")
            case .diagnostics where hasDiagnostics:
                hasDiagnostics =
                    Console.put(text.text, on: diagnostics, name: "stderr") == .written
            default: break
            }
        }
        return outputResult
    }

    private static func put(_ text: String, on raw: Int32, name: String) -> ConsoleResult {
        do throws(SystemError) {
            try DescriptorIO.writeAll(raw, Array(text.utf8), subject: name)
            return .written
        } catch {
            return error.code == EPIPE ? .closed : .failed(error.code)
        }
    }
}

/// The size of a terminal in characters.
package struct TerminalSize: Hashable, Sendable {
    package let columns: Int
    package let rows: Int

    /// A terminal that says 0, as some do, counts as 80 by 24.
    package init(columns: Int, rows: Int) {
        self.columns = columns > 0 ? columns : 80
        self.rows = rows > 0 ? rows : 24
    }

    /// Nil when `descriptor` is no terminal, or one that cannot move its cursor (`TERM=dumb`).
    ///
    /// `ioctl_tty(2)`, TIOCGWINSZ.
    package static func of(_ descriptor: Int32, environment: [String: String]) -> TerminalSize? {
        guard isatty(descriptor) == 1, let name = environment["TERM"], !name.isEmpty,
            name != "dumb"
        else { return nil }
        var size = winsize()
        // SAFETY: the kernel writes one winsize, which outlives the call.
        let status = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        guard status == 0 else { return TerminalSize(columns: 0, rows: 0) }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
