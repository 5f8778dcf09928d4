internal import Glibc
internal import PluginCheck

/// One line on stderr that says what is tried now, where stderr is a terminal.
struct CheckProgress {
    private let name: String
    private let columns: Int

    /// Nil where nobody could see it.
    init?(_ name: String, _ number: Int, of count: Int, environment: [String: String]) {
        guard let size = TerminalSize.of(STDERR_FILENO, environment: environment) else {
            return nil
        }
        columns = size.columns - 1
        self.name = (count > 1 ? "\(number) of \(count): " : "") + TerminalText.escape(name)
    }

    func show(_ rule: ContractRule) {
        write("\r\u{1b}[K" + TerminalText.clip("\(rule.name) \(name)", to: columns))
    }

    /// Leaves nothing behind.
    func end() { write("\r\u{1b}[K") }

    private func write(_ text: String) {
        var console = Console()
        _ = console.write([ConsoleText(.diagnostics, text)])
    }
}
