internal import LinuxSystem

extension ConsoleText {
    /// The same with a line feed.
    var ended: ConsoleText { ConsoleText(target, text + "\n") }

    static func diagnostic(_ text: String) -> ConsoleText {
        ConsoleText(.diagnostics, TerminalText.escape(text))
    }

    static func begins(_ identifier: String, _ total: ByteCount?) -> ConsoleText {
        let size = total.map { " (\($0))" } ?? ""
        return ConsoleText(.output, "begin \(TerminalText.escape(identifier))\(size)")
    }

    static func continues(
        _ identifier: String, _ total: ByteCount?, _ received: ByteCount
    ) -> ConsoleText {
        let size = total.map { " of \($0)" } ?? ""
        let name = TerminalText.escape(identifier)
        return ConsoleText(.output, "continue \(name): \(received)\(size) was already here")
    }

    static func advances(_ identifier: String, _ item: ProgressItem) -> ConsoleText {
        let name = TerminalText.escape(identifier)
        guard let total = item.total, let percent = item.percent else {
            return ConsoleText(.output, "\(name) \(item.received)")
        }
        return ConsoleText(.output, "\(name) \(percent)% (\(item.received) of \(total))")
    }

    static func finished(_ identifier: String, _ size: ByteCount) -> ConsoleText {
        ConsoleText(.output, "finished \(TerminalText.escape(identifier)) (\(size))")
    }

    static func failed(_ identifier: String, _ message: String) -> ConsoleText {
        diagnostic("failed \(identifier): \(message)")
    }
}

/// The block of lines at the bottom of a terminal.
enum ProgressLines {
    /// As many transfers as fit above the total line; never wider than the terminal.
    static func block(of book: ProgressBook, in terminal: TerminalSize) -> [String] {
        // One column less, since some terminals wrap after the last; one row for the cursor.
        let columns = max(1, terminal.columns - 1)
        let room = max(1, terminal.rows - 3)
        var lines = book.active.prefix(room).compactMap { identifier in
            book.items[identifier].map { line(identifier, $0, columns: columns) }
        }
        if book.active.count > room {
            lines.append(TerminalText.clip("and \(book.active.count - room) more", to: columns))
        }
        return lines + [TerminalText.clip(total(of: book), to: columns)]
    }

    static func line(_ identifier: String, _ item: ProgressItem, columns: Int) -> String {
        let percent = item.percent.map { "\($0)%" } ?? ""
        let barWidth = columns >= 100 ? 20 : columns >= 70 ? 10 : 0
        var text = barWidth > 0 ? bar(item.percent, width: barWidth) + " " : ""
        text += TerminalText.padStart(percent, to: 4)
        text += " " + TerminalText.padStart("\(item.received)", to: 10)
        if columns >= 60 {
            text += TerminalText.pad(item.total.map { " of \($0)" } ?? "", to: 15)
            text += TerminalText.padStart(item.perSecond.map { "\($0)/s" } ?? "", to: 12)
        }
        if columns >= 80 {
            text += TerminalText.padStart(item.left.map { timeLeft($0) } ?? "", to: 8)
        }
        text += "  " + TerminalText.escape(identifier)
        return TerminalText.clip(text, to: columns)
    }

    private static func bar(_ percent: Int?, width: Int) -> String {
        let filled = (percent ?? 0) * width / 100
        let rest = String(repeating: percent == nil ? "?" : "-", count: width - filled)
        return "[" + String(repeating: "#", count: filled) + rest + "]"
    }

    private static func total(of book: ProgressBook) -> String {
        let received = ByteCount(bytes: book.received)
        let sum = book.total >= book.received ? " of \(ByteCount(bytes: book.total))" : ""
        return "total: \(book.ended) of \(book.added) done, \(received)\(sum), \(book.perSecond)/s"
    }

    /// Hours, minutes and seconds as `1:02:03`, shorter ones as `2:03`.
    static func timeLeft(_ duration: Duration) -> String {
        let seconds = min(max(0, duration.components.seconds), 99 * 3600)
        let (minutes, rest) = (seconds / 60, seconds % 60)
        let end =
            "\(minutes % 60 < 10 && minutes >= 60 ? "0" : "")\(minutes % 60):"
            + "\(rest < 10 ? "0" : "")\(rest)"
        return minutes >= 60 ? "\(minutes / 60):\(end)" : end
    }
}
