import HostCommands
import ExtensionHost
import Testing

@Suite struct ResultTableTests {
    private func download(
        _ identifier: String, path: String? = nil, error: RunRecord.Failure? = nil
    ) -> RunRecord.Download {
        RunRecord.Download(
            identifier: identifier, kind: .url, url: "https://example.org/",
            state: path != nil ? .finished : .failed, essential: path != nil, bytes: 1 << 20,
            sha256: path != nil ? String(repeating: "0123456789abcdef", count: 4) : nil,
            path: path, error: error)
    }

    @Test func alignsColumns() {
        var record = minimalRecord()
        record.downloads = [
            download("文件", path: "/out/Downloads/文件"),
            download(
                "levels/1",
                error: RunRecord.Failure(
                    domain: .http, code: 404, name: "http404", message: "the server said 404")),
        ]
        record.settleStatus(strict: false, interrupted: false)
        #expect(
            ResultTable.lines(of: record, refusals: ["refused x: no"], columns: nil) == [
                "identifier  state        size  sha256        path or error",
                "文件        finished  1.0 MiB  0123456789ab  /out/Downloads/文件",
                "levels/1    failed    1.0 MiB  -             the server said 404 (http404)",
                "refused x: no",
                "result: ok",
                "exit status 10: The plugin did its work, but a download failed or is still "
                    + "waiting or paused.",
            ])
    }

    @Test func tellsTheResultWithStageAndDetail() {
        var record = minimalRecord(.crash)
        record.stage = .entry
        record.detail = "SIGSEGV \u{1B}[0m"
        #expect(
            ResultTable.lines(of: record, refusals: [], columns: nil)
                == ["result: crash (in entry): SIGSEGV \\u{1b}[0m"])
    }

    @Test(arguments: [1, 20, 40, 79, 80, 120, 300]) func staysInsideTheWidth(columns: Int) {
        var record = minimalRecord()
        record.downloads = [
            download(
                String(repeating: "größe文", count: 40), path: String(repeating: "/長い", count: 90)),
            download("\u{1B}]0;x\u{7}", path: "/out/Downloads/x"), download("b"),
        ]
        let lines = ResultTable.lines(of: record, refusals: [], columns: columns).dropLast()
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { TerminalText.width($0) <= columns })
        #expect(lines.allSatisfy { !$0.unicodeScalars.contains(where: TerminalText.isUnsafe) })
    }

    @Test func keepsTheEndOfALongPath() {
        var record = minimalRecord()
        record.downloads = [
            download("a", path: "/very/long/" + String(repeating: "x/", count: 90) + "a.bin")
        ]
        let line = ResultTable.lines(of: record, refusals: [], columns: 80)[1]
        #expect(line.contains("…"))
        #expect(line.hasSuffix("/a.bin"))
    }

    @Test func shortensNothingOnAPipe() {
        var record = minimalRecord()
        let name = String(repeating: "n", count: 255)
        record.downloads = [download(name, path: "/" + name)]
        let line = ResultTable.lines(of: record, refusals: [], columns: nil)[1]
        #expect(line.hasPrefix(name) && line.hasSuffix("/" + name))
    }
}
