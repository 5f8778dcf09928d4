/// The lines that say what the plugin answered about packs.
enum PackLines {
    /// How many packs a terminal is shown; a pipe gets all.
    private static let terminalBound = 50

    /// One line for each pack and one that counts them.
    static func lines(of packs: [RunRecord.Pack], columns: Int?) -> [String] {
        let shown = columns == nil ? packs[...] : packs.prefix(terminalBound)
        var lines = shown.map(line)
        if shown.count < packs.count {
            lines.append("and \(packs.count - shown.count) more (--json lists all)")
        }
        lines.append(summary(of: packs))
        guard let columns else { return lines }
        return lines.map { TerminalText.clip($0, to: columns) }
    }

    private static func line(_ pack: RunRecord.Pack) -> String {
        let name = TerminalText.escape(pack.identifier)
        return switch (pack.shouldDownload, pack.code) {
        case (true?, _): "yes  \(name)"
        case (false?, _): "no   \(name)"
        case (nil, let code?): "?    \(name): returned \(code)"
        case (nil, nil): "?    \(name): not answered"
        }
    }

    private static func summary(of packs: [RunRecord.Pack]) -> String {
        let yes = packs.count { $0.shouldDownload == true }
        let no = packs.count { $0.shouldDownload == false }
        let other = packs.count - yes - no
        return "packs: \(yes) yes, \(no) no" + (other == 0 ? "" : ", \(other) neither")
    }
}
