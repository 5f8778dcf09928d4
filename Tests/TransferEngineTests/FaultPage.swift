/// docs/server-faults.md, written from what the engine did.
enum FaultPage {
    static func text(of found: [FaultRow.ID: [FaultMode: FaultOutcome]]) -> String {
        let parts = FaultTable.parts.map { part in
            "## \(part.title)\n\n"
                + head + part.rows.map { line($0, found[$0.id] ?? [:]) }.joined()
        }
        return ([introduction] + parts).joined(separator: "\n")
    }

    private static let head =
        row(["the server"] + FaultMode.allCases.map(\.rawValue))
        + row([String](repeating: "---", count: FaultMode.allCases.count + 1))

    private static func line(_ fault: FaultRow, _ found: [FaultMode: FaultOutcome]) -> String {
        row([fault.name] + FaultMode.allCases.map { found[$0]?.text ?? "" })
    }

    private static func row(_ cells: [String]) -> String {
        "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |\n"
    }

    private static let introduction = """
        # What becomes of a download when the server misbehaves

        Written by `swift test --filter FaultMatrix`, which plays each row against the transfer engine:
        a file of 60,000 bytes, from nothing and when 20,000 of them are there. *Whole* is a published
        file that is right; *later* a failure after which bahost tries again by itself, with the bytes
        it keeps; *fails* one that is final. The words after it are the error's domain and code (`http`
        statuses, `transport` is libcurl's numbers, `bahost` and `apple` as in the
        [interface](../SDK/ABI.md)). Of one request nothing is said.

        For publishers: bahost joins bytes only when a strong `ETag` (or a `Last-Modified` at least a
        second older than `Date`), the start, the end and the total of the range all agree, and asks
        for the whole file otherwise. So serve files that never change under their URL, with a
        `Content-Length`, strong ETags and ranges; then every interruption costs only what was not
        received. What a server says wrongly without contradicting itself can be noticed by nobody:
        the few cells marked **wrong, unnoticed** are the reason to state size and SHA-256 of every
        file, and with them there is no such cell.

        """
}
