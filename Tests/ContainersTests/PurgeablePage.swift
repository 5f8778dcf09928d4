import TestSupport

/// docs/purgeable.md, written from what was found.
enum PurgeablePage {
    /// What came of one row on one file system.
    struct Cell: Hashable {
        let verdict: PurgeableRow.Verdict

        /// Nil when it could not be done.
        let isKnownWithoutRow: Bool?
    }

    static func text(of found: [[String: Cell]]) -> String {
        let formats = ImageFileSystem.Format.allCases.map(\.rawValue)
        let lost = formats.map { "\($0), row lost" }
        let head = line(["what is done", "for example"] + formats + lost)
        let rule = line([String](repeating: "---", count: 2 + 2 * formats.count))
        let rows = zip(PurgeableTable.rows, found).map { row, cells in
            line(
                [row.name, "`\(row.line)`"] + formats.map { cells[$0]?.verdict.rawValue ?? "" }
                    + formats.map { lostText(cells[$0]) })
        }
        return introduction + head + rule + rows.joined()
    }

    private static func lostText(_ cell: Cell?) -> String {
        cell?.isKnownWithoutRow.map { $0 ? "yes" : "no" } ?? ""
    }

    private static func line(_ cells: [String]) -> String {
        "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |\n"
    }

    private static let introduction = """
        # Which files bahost may take back

        Made by the tests: `BAHOST_WRITE_PAGES=1 swift test --filter PurgeableTable`, as root, does
        every row in a real file system and writes this page.

        A file that bahost has put into a container is *purgeable*: when space is short, bahost may
        remove it, and fetches it again when it is asked for. It is known by the store's row: its
        inode, its length and its modification time. So what an app makes of a download is the app's,
        and stays; what is only moved inside the container remains bahost's. A copy is another file, with
        another inode, and no row below touches one. Only when the published file itself is gone can a
        copy with its times happen to get the very inode that is free again: then it is taken for the
        file, whose content it has.

        The table says of `Downloads/f` whether it is still purgeable after something was done to it in
        the container, and in the last columns whether bahost would know it again after its database
        was lost: then the extended attribute `user.bahost.download` decides, which holds the
        download's UUID and a digest of the same three facts. Where a file system keeps no such
        attributes, the rows decide all the same, and what a lost database forgets is kept for good.

        Nothing is taken while it has a second name, or while somebody holds a `flock(2)` or a lease on
        it. Where a file system has no such locks, nobody can be asked, and nothing is taken: a network
        file system may lock only what is open for writing, or not at all. Whoever sets the time back
        after a change says that nothing was changed. Few tools do that by themselves; some editors of
        tags do, when they are told to keep the modification time (`exiftool -P`): touch such a file
        afterwards, to keep it.


        """
}
