package import LinuxSystem

/// Turns events into text, for a terminal or for a pipe; writes nothing itself.
///
/// On a terminal, one line per running transfer and a total stand at the bottom and are redrawn in
/// place, at most ten times a second; everything else scrolls above them. On a pipe, lines say
/// begin, every tenth and end. Text from outside is escaped.
package struct ProgressView: Sendable {
    /// Refusals shown while running, and again at the end; the rest is counted.
    package static let refusalBound = 50
    package static let redrawInterval = Duration.milliseconds(100)

    private let style: OutputStyle
    private var terminal: TerminalSize?
    private var book = ProgressBook()
    private var refusals: [String] = []
    private var refusalCount = 0
    private var drawnLines = 0
    private var lastDraw: Instant?

    /// - Parameters:
    ///   - style: What the user asked for.
    ///   - terminal: The size of the terminal on stdout; nil for anything else.
    package init(style: OutputStyle, terminal: TerminalSize?) {
        self.style = style
        self.terminal = terminal
    }

    /// The terminal has another size now.
    package mutating func resize(_ size: TerminalSize) {
        if terminal != nil { terminal = size }
    }

    package mutating func handle(_ event: ProgressEvent, at now: Instant) -> [ConsoleText] {
        let lines = note(event)
        guard style == .progress else { return [] }
        guard terminal != nil else { return lines.map { $0.ended } }
        return (lines.isEmpty ? [] : erase() + lines.map { $0.ended }) + redraw(at: now)
    }

    /// Redraws if it is time; to be called a few times a second while a run goes on.
    package mutating func tick(at now: Instant) -> [ConsoleText] {
        guard style == .progress, terminal != nil else { return [] }
        return redraw(at: now)
    }

    /// The end: what stays on the screen.
    package mutating func finish(_ record: RunRecord) -> [ConsoleText] {
        if style == .record {
            return record.line.map { [ConsoleText(.output, $0)] } ?? []
        }
        let hidden = refusalCount - refusals.count
        let more = hidden > 0 ? ["and \(hidden) more refused (--json lists all)"] : []
        let lines = ResultTable.lines(
            of: record, refusals: refusals + more, columns: terminal?.columns)
        return erase() + [ConsoleText(.output, lines.map { $0 + "\n" }.joined())]
    }

    /// Takes an event in; returns lines, without their ends, that it is worth.
    private mutating func note(_ event: ProgressEvent) -> [ConsoleText] {
        switch event {
        case .added(let identifier, let total, let received):
            book.add(identifier, total: total, received: received)
            return received.bytes > 0 ? [.continues(identifier, total, received)] : []
        case .progress(let identifier, let received, let total, let perSecond, let left):
            guard
                let (item, begins) = book.advance(
                    identifier, to: received, of: total, perSecond: perSecond, left: left)
            else { return [] }
            return tellProgress(identifier, item, begins: begins)
        case .finished(let identifier, let size):
            book.end(identifier, size: size)
            return terminal == nil ? [.finished(identifier, size)] : []
        case .failed(let identifier, let message):
            book.end(identifier, size: nil)
            return [.failed(identifier, message)]
        case .refused(let identifier, let message, let hint):
            return noteRefusal(RefusalLine.text(identifier, message, hint))
        case .output(let stream, let text):
            return [.diagnostic(stream.prefix + text)]
        case .note(let text):
            return [.diagnostic(text)]
        }
    }

    private mutating func noteRefusal(_ line: String) -> [ConsoleText] {
        refusalCount += 1
        guard refusals.count < ProgressView.refusalBound else { return [] }
        refusals.append(line)
        return [.diagnostic(line)]
    }

    private mutating func tellProgress(
        _ identifier: String, _ item: ProgressItem, begins: Bool
    ) -> [ConsoleText] {
        guard terminal == nil else { return [] }
        let isNews = book.tell(identifier)
        if begins { return [.begins(identifier, item.total)] }
        return isNews ? [.advances(identifier, item)] : []
    }

    /// Removes the block of progress lines; the cursor stands where it began.
    private mutating func erase() -> [ConsoleText] {
        guard drawnLines > 0 else { return [] }
        let text = "\r\u{1B}[\(drawnLines)A\u{1B}[J"
        drawnLines = 0
        return [ConsoleText(.output, text)]
    }

    private mutating func redraw(at now: Instant) -> [ConsoleText] {
        guard let terminal, !book.active.isEmpty || drawnLines > 0 else { return [] }
        if let lastDraw, now - lastDraw < ProgressView.redrawInterval { return [] }
        lastDraw = now
        book.updateRate(at: now)
        let lines = ProgressLines.block(of: book, in: terminal)
        let erased = erase().map(\.text).joined()
        drawnLines = lines.count
        return [ConsoleText(.output, erased + lines.map { $0 + "\n" }.joined())]
    }
}

/// The sentence about a wish that was not admitted.
enum RefusalLine {
    static func text(_ identifier: String, _ message: String, _ hint: String?) -> String {
        let end = hint.map { "; add \($0)" } ?? ""
        return TerminalText.escape("refused \(identifier): \(message)\(end)")
    }
}
