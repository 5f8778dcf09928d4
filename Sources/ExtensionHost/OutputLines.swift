/// Text of a plugin made safe for a terminal and a record.
package enum PlainText {
    /// Replaces control characters but tabs, so that nothing moves a cursor or sets a title.
    package static func clean(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { !isControl($0) }
        guard !isPlain else { return text }
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            cleaned.append(isControl(scalar) ? "\u{FFFD}" : scalar)
        }
        return String(cleaned)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09: false
        case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// Cuts a plugin's output into lines, each and all of them bounded.
package struct OutputLines: Hashable, Sendable {
    /// A longer line is cut into several.
    package static let lineBound = 4 << 10

    /// Shown of one stream; the rest is read and dropped.
    package static let totalBound = 256 << 10
    package static let suppressed = "… more suppressed"

    private var partial: [UInt8] = []
    private var shownBytes = 0
    private var isFull = false

    package init() {}

    /// Returns the lines that are whole now.
    package mutating func feed(_ bytes: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        var rest = bytes
        while !isFull, !rest.isEmpty {
            let room = OutputLines.lineBound - partial.count
            if let end = rest.prefix(room + 1).firstIndex(of: UInt8(ascii: "\n")) {
                partial.append(contentsOf: rest[..<end])
                rest = rest[(end + 1)...]
                emit(&lines)
            } else if rest.count > room {
                partial.append(contentsOf: rest.prefix(room))
                rest = rest.dropFirst(room)
                emit(&lines)
            } else {
                partial.append(contentsOf: rest)
                rest = []
            }
        }
        return lines
    }

    /// Returns what is left without a line's end.
    package mutating func flush() -> [String] {
        var lines: [String] = []
        if !partial.isEmpty { emit(&lines) }
        return lines
    }

    private mutating func emit(_ lines: inout [String]) {
        if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
        guard shownBytes + partial.count + 1 <= OutputLines.totalBound else {
            isFull = true
            partial = []
            lines.append(OutputLines.suppressed)
            return
        }
        shownBytes += partial.count + 1
        lines.append(PlainText.clean(String(decoding: partial, as: UTF8.self)))
        partial.removeAll(keepingCapacity: true)
    }
}
