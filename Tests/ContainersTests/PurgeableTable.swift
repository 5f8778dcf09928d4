import Foundation

/// What is done to a published file, `Downloads/f` of a container, and what becomes of it.
struct PurgeableRow: Sendable {
    enum Verdict: String, Sendable {
        case yes
        case no
        case suspended = "not while it has two names"
        case impossible = "cannot be done"
    }

    let name: String

    /// Run by the shell in the container.
    let line: String
    let verdict: Verdict

    /// Where not the same.
    var others: [String: Verdict] = [:]

    /// Whether the file would be known again without the store's row.
    let isKnownWithoutRow: Bool

    func verdict(on format: String) -> Verdict { others[format] ?? verdict }
}

enum PurgeableTable {
    static let rows: [PurgeableRow] = moves + copies + links + changes + attributes

    private static func row(
        _ name: String, _ line: String, _ verdict: PurgeableRow.Verdict, lost: Bool? = nil
    ) -> PurgeableRow {
        PurgeableRow(
            name: name, line: line, verdict: verdict, isKnownWithoutRow: lost ?? (verdict == .yes))
    }

    private static let moves = [
        row("another name", "mv Downloads/f Downloads/g", .yes),
        row("to another folder", "mkdir Library/a && mv Downloads/f Library/a/f", .yes),
        row(
            "with its folder",
            "mkdir Library/a && mv Downloads/f Library/a && mv Library/a tmp/b", .yes),
        row("out of the container", "mv Downloads/f ../outside/f", .no),
        row("out and back", "mv Downloads/f ../outside/f && mv ../outside/f Library/f", .yes),
        row("removed", "rm Downloads/f", .no),
    ]

    private static let copies = [
        row("copied", "cp Downloads/f Library/copy", .yes),
        row("copied with its times", "cp -p Downloads/f Library/copy", .yes),
        row("copied with its attributes", "cp -a Downloads/f Library/copy", .yes),
        PurgeableRow(
            name: "copied without its bytes", line: "cp --reflink=always Downloads/f Library/copy",
            verdict: .yes, others: ["ext4": .impossible], isKnownWithoutRow: true),
        row(
            "the copy in its place",
            "cp -a Downloads/f Library/copy && mv Library/copy Downloads/f", .no),
        row(
            "unpacked elsewhere",
            "tar cf tmp/tar Downloads/f && tar xf tmp/tar -C Library", .yes),
        row("unpacked over it", "tar cf tmp/tar Downloads/f && tar xf tmp/tar", .no),
        row("synchronised elsewhere", "rsync -a Downloads/f Library/", .yes),
        row(
            "synchronised over it",
            "cp -p Downloads/f tmp/f && printf x >> tmp/f && rsync -a tmp/f Downloads/", .no),
    ]

    private static let links = [
        row("a second name", "ln Downloads/f Library/name", .suspended, lost: false),
        row("a second name outside", "ln Downloads/f ../outside/name", .suspended, lost: false),
        row("a second name, gone again", "ln Downloads/f tmp/name && rm tmp/name", .yes),
        row("a second name, the first gone", "ln Downloads/f tmp/name && rm Downloads/f", .yes),
        row("a symbolic link to it", "ln -s ../Downloads/f Library/link", .yes),
    ]

    private static let changes = [
        row("a byte changed", "printf x | dd of=Downloads/f conv=notrunc status=none", .no),
        row("appended to", "printf x >> Downloads/f", .no),
        row("cut", "truncate -s 10 Downloads/f", .no),
        row("edited by way of a new file", "sed -i s/a/b/g Downloads/f", .no),
        row("touched", "touch Downloads/f", .no),
        row("read, or its access time set", "cat Downloads/f >tmp/x && touch -a Downloads/f", .yes),
        row(
            "a byte changed, and the time set back",
            "touch -r Downloads/f tmp/time"
                + " && printf x | dd of=Downloads/f conv=notrunc status=none"
                + " && touch -r tmp/time Downloads/f", .yes),
    ]

    private static let attributes = [
        row("another mode", "chmod 0 Downloads/f", .yes),
        row(
            "its attribute removed", "setfattr -x user.bahost.download Downloads/f", .yes,
            lost: false),
        row(
            "its attribute replaced", "setfattr -n user.bahost.download -v mine Downloads/f", .yes,
            lost: false),
    ]
}
