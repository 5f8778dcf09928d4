/// Text from plugins and servers, made fit for a terminal.
package enum TerminalText {
    /// Whether a character could move the cursor, change the terminal or the order of the text.
    ///
    /// Controls (C0, DEL, C1), format characters but the two joiners, line and paragraph
    /// separators. Unicode, General_Category.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x20, scalar.value < 0x7F { return false }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
        case .format: return scalar.value != 0x200C && scalar.value != 0x200D
        default: return false
        }
    }

    /// Unsafe characters written as `\u{1b}`; tabs become four spaces; the rest is kept.
    package static func escape(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "\t" {
                escaped += "    "
            } else if isUnsafe(scalar) {
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Columns that escaped text takes: 0 for combining marks, 2 for East Asian wide and emoji.
    ///
    /// An approximation of Unicode Standard Annex 11, as terminals differ anyway.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Cut to at most `columns`, with an ellipsis for what is gone.
    package static func clip(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var clipped = ""
        var used = 1
        for character in text {
            used += width(character)
            if used > columns { break }
            clipped.append(character)
        }
        return clipped + "…"
    }

    /// Like ``clip(_:to:)``, but the end is kept: for paths.
    package static func clipStart(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var kept: [Character] = []
        var used = 1
        for character in text.reversed() {
            used += width(character)
            if used > columns { break }
            kept.append(character)
        }
        return "…" + String(kept.reversed())
    }

    /// How wide the widest cell is in each column but the last, of a table's escaped cells.
    static func widths(of rows: [[String]]) -> [Int] {
        var widths = [Int](repeating: 0, count: max(1, rows.first?.count ?? 1) - 1)
        for row in rows {
            for column in widths.indices {
                widths[column] = max(widths[column], width(row[column]))
            }
        }
        return widths
    }

    /// Filled with spaces on the right.
    package static func pad(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    /// Filled with spaces on the left.
    package static func padStart(_ text: String, to columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - width(text))) + text
    }

    private static func width(_ character: Character) -> Int {
        if let byte = character.asciiValue { return byte < 0x20 || byte == 0x7F ? 0 : 1 }
        return character.unicodeScalars.map(width).max() ?? 0
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            return 2
        default:
            return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
