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

        Made by the tests: `BAHOST_WRITE_PAGES=1 swift test --filter FaultMatrix` plays every row
        against the real transfer engine and writes this page. The file has 60,000 bytes; the two
        columns on the right begin with 20,000 of them on disk.

        **For publishers.** bahost joins bytes only when a strong `ETag` (or a `Last-Modified` at least
        a second older than `Date`) and the start, the end and the total of the range agree; otherwise
        it asks for the whole file. So give every version an address of its own, and serve it with
        `Content-Length`, a strong ETag and ranges: an interruption then costs only what had not come
        yet. What a server says wrongly without contradicting itself nobody can notice; the few cells
        **wrong, unnoticed** are the reason to state size and SHA-256 of every file. With them there is
        no such cell.

        | a cell says | |
        | --- | --- |
        | whole | the file is published, and it is right; with 20,000 bytes there, from the start unless it says *from byte 20000* |
        | later | a failure; bahost tries again by itself, with the bytes it keeps |
        | fails | a failure for good; no file and no partial file is left |
        | http, transport, bahost, apple | the domain of the code: a status, libcurl's errors, and the [interface](../SDK/ABI.md)'s two |
        | requests | how many it took, when not one |

        """
}
