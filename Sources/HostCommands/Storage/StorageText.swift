internal import LinuxSystem

/// What a container holds, as lines for people.
package enum StorageText {
    /// A table with a line of titles.
    package static func table(_ container: StorageRecord.Container) -> String {
        let sums = [
            ("purgeable", container.purgeable), ("  in use", container.inUse),
            ("pinned", container.pinned), ("kept", container.kept),
            ("partial", container.partial), ("missing", container.missing),
        ]
        var rows = [["", "files", "size"]]
        rows += sums.map { name, sum in
            [name, "\(sum.files)", ByteCount(bytes: sum.bytes).description]
        }
        let widths = (0..<3).map { column in rows.map { $0[column].utf8.count }.max() ?? 0 }
        let lines = rows.map { row in
            TerminalText.pad(row[0], to: widths[0]) + "  "
                + TerminalText.padStart(row[1], to: widths[1]) + "  "
                + TerminalText.padStart(row[2], to: widths[2])
        }
        let free = ByteCount(bytes: container.freeBytes)
        let path = TerminalText.escape(container.path)
        var text = ([path] + lines).joined(separator: "\n") + "\n\(free) are free here\n"
        if container.unlisted.files > 0 { text += unlisted(container) }
        if !container.keepsMarks {
            text += "this file system keeps no marks: what is purgeable only the database knows\n"
        }
        if !container.isComplete { text += "there is too much to look through: this is a part\n" }
        return text
    }

    private static func unlisted(_ container: StorageRecord.Container) -> String {
        let sum = container.unlisted
        let files = sum.files == 1 ? "1 file" : "\(sum.files) files"
        let what = "\(files), \(ByteCount(bytes: sum.bytes)), among the kept"
        guard let other = container.otherList else {
            return "\(what), were published and are on no list here\n"
        }
        return "\(what), were published and may be on the list in \(TerminalText.escape(other))\n"
    }

    /// The files that went or would go, and what that makes.
    package static func lines(_ purge: StorageRecord.Purge) -> String {
        let verb = purge.isDryRun ? "would be taken back" : "taken back"
        var lines = purge.files.map(TerminalText.escape)
        let files = purge.files.count == 1 ? "1 file" : "\(purge.files.count) files"
        let stayed = purge.inUse == 0 ? "" : ", \(purge.inUse) in use stay"
        let free = ByteCount(bytes: purge.freeBytes)
        let then = purge.isDryRun ? "would be free" : "are free"
        lines.append(
            "\(files), \(ByteCount(bytes: purge.bytes)), \(verb)\(stayed); \(free) \(then)")
        return lines.joined(separator: "\n") + "\n"
    }
}
