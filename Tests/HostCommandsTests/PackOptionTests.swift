import CommandLineOptions
import ExtensionHost
import HostCommands
import HostEngine
import Testing

@Suite struct PackOptionTests {
    private let event = ["--event", "should-download"]

    private func refusal(_ words: [String]) -> String? {
        complaint(["run", "--plugin", "p.so"] + words)?.description
    }

    @Test func readsPacks() throws {
        let all = try options(event + ["--packs", "p.json"])
        #expect(all.event == .shouldDownload)
        #expect(all.packsPath == "p.json")
        #expect(all.packs.isEmpty)
        let some = try options(
            ["--pack", "b", "--packs", "p.json", "--pack=größe", "--pack", "b"] + event)
        #expect(some.packs == ["b", "größe"])
    }

    @Test(arguments: [
        (["--packs", "p"], "--packs is for --event should-download only"),
        (["--event", "update", "--packs", "p"], "--packs is for --event should-download only"),
        (["--pack", "a"], "--pack is for --event should-download only"),
        (
            ["--event", "should-download"],
            "--packs is missing: --event should-download --packs FILE"
        ),
        (
            ["--event", "should-download", "--pack", "a"],
            "--packs is missing: --event should-download --packs FILE"
        ),
        (
            ["--event", "should-download", "--packs", "p", "--manifest", "m"],
            "--manifest is not for --event should-download, which has --packs"
        ),
    ])
    func refusesOtherCombinations(words: [String], message: String) {
        #expect(refusal(words) == "bahost run: \(message)")
    }

    @Test(arguments: [(255, true), (256, false), (0, false)])
    func boundsIdentifiers(length: Int, isRead: Bool) {
        let name = String(repeating: "a", count: length)
        let found = refusal(event + ["--packs", "p", "--pack", name])
        #expect((found == nil) == isRead)
        if !isRead {
            #expect(found?.contains("is not a pack's identifier") == true)
        }
    }
}

@Suite struct PackLineTests {
    private func record(_ packs: [RunRecord.Pack]) -> RunRecord {
        var record = RunRecord(
            plugin: "p.so", event: RunEvent.shouldDownload.rawValue, result: .ok,
            memoryLimitBytes: 6 << 20, isolationMode: "auto")
        record.packs = packs
        return record
    }

    @Test func aLineForEachPackAndASum() {
        let record = record([
            RunRecord.Pack(identifier: "a", shouldDownload: true, code: 1),
            RunRecord.Pack(identifier: "b", shouldDownload: false, code: 0),
            RunRecord.Pack(identifier: "c\u{1B}", code: -7), RunRecord.Pack(identifier: "d"),
            RunRecord.Pack(identifier: "e", shouldDownload: true),
        ])
        #expect(
            ResultTable.lines(of: record, refusals: [], columns: nil) == [
                "yes  a", "no   b", "?    c\\u{1b}: returned -7", "?    d: not answered", "yes  e",
                "packs: 2 yes, 1 no, 2 neither", "result: ok",
            ])
    }

    @Test func noPackIsSaidSo() {
        #expect(
            ResultTable.lines(of: record([]), refusals: [], columns: nil)
                == ["packs: 0 yes, 0 no", "result: ok"])
    }

    @Test func otherEventsSayNothingOfPacks() {
        #expect(
            ResultTable.lines(of: minimalRecord(), refusals: [], columns: nil) == ["result: ok"])
    }

    @Test(arguments: [(50, 0), (51, 1), (10_000, 9_950)])
    func aTerminalIsShownFiftyAndAPipeAll(count: Int, hidden: Int) {
        let record = record(
            (0..<count).map { RunRecord.Pack(identifier: "\($0)", shouldDownload: true, code: 1) })
        let pipe = ResultTable.lines(of: record, refusals: [], columns: nil)
        #expect(pipe.count == count + 2)
        let terminal = ResultTable.lines(of: record, refusals: [], columns: 80)
        #expect(terminal.count == 52 + (hidden > 0 ? 1 : 0))
        #expect(
            terminal.contains("and \(hidden) more (--json lists all)") == (hidden > 0))
    }

    @Test func staysInsideTheWidth() {
        let name = String(repeating: "größe文", count: 40)
        let lines = ResultTable.lines(
            of: record([RunRecord.Pack(identifier: name, code: -1)]), refusals: [], columns: 40
        ).dropLast()
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { TerminalText.width($0) <= 40 })
    }
}
