import HostCommands
import HostEngine
import ExtensionHost
import LinuxSystem
import Testing

private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000 + milliseconds * 1_000_000)
}

private func bytes(_ count: UInt64) -> ByteCount { ByteCount(bytes: count) }

private func mebibytes(_ count: UInt64) -> ByteCount { .mebibytes(count) }

private func text(_ texts: [ConsoleText], _ target: ConsoleText.Target = .output) -> String {
    texts.filter { $0.target == target }.map(\.text).joined()
}

@Suite struct ProgressViewPipeTests {
    private func view() -> ProgressView { ProgressView(style: .progress, terminal: nil) }

    @Test func tellsBeginEveryTenthAndEnd() {
        var view = view()
        var lines = text(
            view.handle(
                .added(identifier: "a", total: mebibytes(10), received: bytes(0)), at: at(0)))
        for count in 0...100 {
            let received = bytes(UInt64(count) * mebibytes(10).bytes / 100)
            lines += text(view.handle(.progress(identifier: "a", received: received), at: at(1)))
        }
        lines += text(view.handle(.finished(identifier: "a", size: mebibytes(10)), at: at(2)))
        let all = lines.split(separator: "\n")
        #expect(all.first == "begin a (10.0 MiB)")
        #expect(all.count == 12)
        #expect(all[1] == "a 10% (1.0 MiB of 10.0 MiB)")
        #expect(all[10] == "a 100% (10.0 MiB of 10.0 MiB)")
        #expect(all.last == "finished a (10.0 MiB)")
    }

    @Test func leavesOutTenthsThatWereJumpedOver() {
        var view = view()
        _ = view.handle(.added(identifier: "a", total: bytes(1_000), received: bytes(0)), at: at(0))
        _ = view.handle(.progress(identifier: "a", received: bytes(0)), at: at(0))
        #expect(
            text(view.handle(.progress(identifier: "a", received: bytes(999)), at: at(0)))
                == "a 99% (999 B of 1000 B)\n")
    }

    @Test func saysHowMuchWasAlreadyThere() {
        var view = view()
        let event = ProgressEvent.added(
            identifier: "a", total: mebibytes(50), received: mebibytes(12))
        #expect(
            text(view.handle(event, at: at(0)))
                == "continue a: 12.0 MiB of 50.0 MiB was already here\n")
    }

    @Test func aSizeThatTheServerNamesCountsWhereNoneWasAgreed() {
        var view = view()
        for (name, total) in [("open", nil), ("agreed", bytes(4_000))] {
            _ = view.handle(.added(identifier: name, total: total, received: bytes(0)), at: at(0))
            _ = view.handle(.progress(identifier: name, received: bytes(0)), at: at(0))
        }
        func advance(_ name: String, _ count: UInt64, of total: UInt64) -> String {
            text(
                view.handle(
                    .progress(identifier: name, received: bytes(count), total: bytes(total)),
                    at: at(1)))
        }
        #expect(advance("open", 500, of: 1_000) == "open 50% (500 B of 1000 B)\n")
        #expect(advance("open", 500, of: 1_000) == "")
        // Begun anew, as another version.
        #expect(advance("open", 100, of: 500) == "")
        #expect(advance("open", 300, of: 500) == "open 60% (300 B of 500 B)\n")
        #expect(advance("agreed", 2_000, of: 2_000) == "agreed 50% (1.9 KiB of 3.9 KiB)\n")
    }

    @Test func tellsDoublingsOfAnUnknownSize() {
        var view = view()
        _ = view.handle(.added(identifier: "a", total: nil, received: bytes(0)), at: at(0))
        var lines = ""
        for count in [0, 1, 2, 3, 4, 5, 6, 7, 8] as [UInt64] {
            lines += text(
                view.handle(.progress(identifier: "a", received: mebibytes(count)), at: at(0)))
        }
        #expect(lines == "begin a\na 1.0 MiB\na 2.0 MiB\na 4.0 MiB\na 8.0 MiB\n")
    }

    @Test func survivesNonsense() {
        var view = view()
        #expect(view.handle(.progress(identifier: "x", received: bytes(5)), at: at(0)).isEmpty)
        _ = view.handle(.added(identifier: "a", total: bytes(0), received: bytes(0)), at: at(0))
        _ = view.handle(
            .added(identifier: "a", total: bytes(.max), received: bytes(.max)), at: at(0))
        _ = view.handle(
            .added(identifier: "b", total: bytes(.max), received: bytes(.max)), at: at(0))
        _ = view.handle(.progress(identifier: "a", received: bytes(.max)), at: at(0))
        _ = view.handle(.progress(identifier: "a", received: bytes(0)), at: at(-50))
        _ = view.handle(.progress(identifier: "b", received: bytes(7)), at: at(0))
        #expect(
            text(view.handle(.finished(identifier: "a", size: bytes(.max)), at: at(0)))
                .hasPrefix("finished a ("))
        #expect(
            text(view.handle(.finished(identifier: "never", size: bytes(0)), at: at(0)))
                == "finished never (0 B)\n")
    }

    @Test func plainLinesHoldNoEscapeSequences() {
        var view = view()
        let evil = "\u{1B}[2J\u{9B}\r"
        var all = view.handle(
            .added(identifier: evil, total: bytes(9), received: bytes(1)), at: at(0))
        all += view.handle(.progress(identifier: evil, received: bytes(2)), at: at(0))
        all += view.handle(.failed(identifier: evil, message: evil), at: at(0))
        all += view.handle(.refused(identifier: evil, message: evil, hint: evil), at: at(0))
        all += view.handle(.output(.error, evil), at: at(0))
        all += view.handle(.note(evil), at: at(0))
        #expect(all.count == 6)
        for item in all {
            #expect(item.text.hasSuffix("\n"))
            #expect(!item.text.dropLast().unicodeScalars.contains(where: TerminalText.isUnsafe))
        }
    }

    @Test func sendsWhatPeopleMustReadToStderr() {
        var view = view()
        #expect(
            text(view.handle(.output(.output, "größe"), at: at(0)), .diagnostics)
                == "plugin: größe\n")
        #expect(
            text(view.handle(.output(.error, "x"), at: at(0)), .diagnostics) == "plugin stderr: x\n"
        )
        #expect(text(view.handle(.output(.log, "x"), at: at(0)), .diagnostics) == "plugin log: x\n")
        #expect(
            text(
                view.handle(
                    .refused(
                        identifier: "a", message: "cdn.example.com is not allowed",
                        hint: "--allow-domain cdn.example.com"), at: at(0)), .diagnostics)
                == "refused a: cdn.example.com is not allowed; "
                + "add --allow-domain cdn.example.com\n")
    }

    @Test func boundsTheRefusalsShown() {
        var view = view()
        var shown = 0
        for count in 1...(ProgressView.refusalBound + 1) {
            let event = ProgressEvent.refused(identifier: "\(count)", message: "no", hint: nil)
            shown += view.handle(event, at: at(0)).count
        }
        #expect(shown == ProgressView.refusalBound)
        let end = text(view.finish(minimalRecord()))
        #expect(end.contains("refused 50: no\nand 1 more refused (--json lists all)\nresult: ok\n"))
    }
}

@Suite struct ProgressViewTerminalTests {
    private func view(columns: Int = 120, rows: Int = 24) -> ProgressView {
        ProgressView(style: .progress, terminal: TerminalSize(columns: columns, rows: rows))
    }

    private func begin(_ view: inout ProgressView, _ names: String...) {
        for name in names {
            _ = view.handle(
                .added(identifier: name, total: mebibytes(10), received: bytes(0)), at: at(0))
        }
    }

    @Test func drawsOneLinePerTransferAndATotal() {
        var view = view()
        begin(&view, "a", "b", "waiting")
        let first = text(view.handle(.progress(identifier: "a", received: mebibytes(5)), at: at(0)))
        #expect(first.hasPrefix("[##########----------]  50%    5.0 MiB of 10.0 MiB"))
        #expect(first.hasSuffix("  a\ntotal: 0 of 3 done, 5.0 MiB of 30.0 MiB, 0 B/s\n"))
        _ = view.handle(.progress(identifier: "b", received: bytes(0)), at: at(50))
        let second = text(view.tick(at: at(1_000)))
        #expect(second.hasPrefix("\r\u{1B}[2A\u{1B}[J["))
        #expect(second.split(separator: "\n").count == 3)
    }

    @Test func redrawsAtMostTenTimesASecond() {
        var view = view()
        begin(&view, "a")
        var draws = 0
        for millisecond in 0..<1_000 {
            let received = bytes(UInt64(millisecond))
            let texts = view.handle(
                .progress(identifier: "a", received: received), at: at(Int64(millisecond)))
            draws += texts.isEmpty ? 0 : 1
            #expect(view.tick(at: at(Int64(millisecond))).isEmpty)
        }
        #expect(draws == 10)
    }

    @Test func redrawsOnTheTenthOfASecondAndNotBefore() {
        var view = view()
        begin(&view, "a")
        _ = view.handle(.progress(identifier: "a", received: bytes(1)), at: at(0))
        #expect(view.tick(at: at(99)).isEmpty)
        #expect(!view.tick(at: at(100)).isEmpty)
    }

    @Test func tellsTheSpeed() {
        var view = view()
        begin(&view, "a")
        _ = view.handle(.progress(identifier: "a", received: bytes(0)), at: at(0))
        let drawn = text(
            view.handle(
                .progress(
                    identifier: "a", received: mebibytes(2), perSecond: mebibytes(3),
                    left: .seconds(3_723)),
                at: at(1_000)))
        #expect(drawn.contains(" 3.0 MiB/s 1:02:03  a\n"))
        #expect(drawn.hasSuffix(", 2.0 MiB/s\n"))
    }

    @Test func whatWasAlreadyThereIsNoSpeed() {
        var view = view()
        begin(&view, "a")
        _ = view.handle(.progress(identifier: "a", received: bytes(0)), at: at(0))
        let event = ProgressEvent.added(
            identifier: "b", total: mebibytes(50), received: mebibytes(12))
        _ = view.handle(event, at: at(500))
        let drawn = text(
            view.handle(.progress(identifier: "b", received: mebibytes(12)), at: at(1_000)))
        #expect(drawn.hasSuffix(" of 60.0 MiB, 0 B/s\n"))
    }

    @Test func scrollsOtherLinesAboveTheBlock() {
        var view = view()
        begin(&view, "a")
        _ = view.handle(.progress(identifier: "a", received: bytes(1)), at: at(0))
        let texts = view.handle(.output(.output, "hello"), at: at(500))
        #expect(texts.map(\.target) == [.output, .diagnostics, .output])
        #expect(texts[0].text == "\r\u{1B}[2A\u{1B}[J")
        #expect(texts[1].text == "plugin: hello\n")
        #expect(texts[2].text.hasPrefix("["))
        let early = view.handle(.note("again"), at: at(510))
        #expect(early.map(\.target) == [.output, .diagnostics])
        #expect(text(view.tick(at: at(600))).hasPrefix("["))
    }

    @Test func removesTheBlockWhenAllIsDone() {
        var view = view()
        begin(&view, "a")
        _ = view.handle(.progress(identifier: "a", received: bytes(1)), at: at(0))
        _ = view.handle(.finished(identifier: "a", size: mebibytes(10)), at: at(10))
        #expect(text(view.finish(minimalRecord())) == "\r\u{1B}[2A\u{1B}[Jresult: ok\n")
        #expect(text(view.finish(minimalRecord())) == "result: ok\n")
    }

    @Test(arguments: [1, 2, 10, 40, 59, 60, 61, 70, 71, 80, 100, 101, 200])
    func staysInsideTheWidth(columns: Int) {
        var view = view(columns: columns)
        let name = "größe/文件/" + String(repeating: "🎮", count: 200)
        begin(&view, name)
        let drawn = text(view.handle(.progress(identifier: name, received: bytes(9)), at: at(0)))
        let widths = drawn.split(separator: "\n", omittingEmptySubsequences: false).map {
            TerminalText.width(String($0))
        }
        #expect(widths.max() ?? 0 <= max(1, columns - 1))
    }

    @Test(arguments: [1, 4, 5, 24]) func staysInsideTheHeight(rows: Int) {
        var view = view(rows: rows)
        let names = (0..<30).map { "n\($0)" }
        for name in names { begin(&view, name) }
        for name in names {
            _ = view.handle(.progress(identifier: name, received: bytes(1)), at: at(0))
        }
        let lines = text(view.tick(at: at(1_000))).split(separator: "\n")
        #expect(lines.count == max(1, rows - 3) + 2)
        #expect(lines.count < max(rows, 4))
        #expect(lines.dropLast().last == "and \(30 - max(1, rows - 3)) more")
    }

    @Test func followsTheSizeOfTheTerminal() {
        var view = view(columns: 200)
        begin(&view, String(repeating: "x", count: 300))
        _ = view.handle(
            .progress(identifier: String(repeating: "x", count: 300), received: bytes(1)), at: at(0)
        )
        view.resize(TerminalSize(columns: 40, rows: 10))
        let lines = text(view.tick(at: at(100))).split(separator: "\n")
        let widths = lines.map { String($0).count }
        #expect(widths.last.map { $0 <= 39 } == true)
    }

    @Test func keepsEscapeSequencesOfOthersOut() {
        var view = view()
        begin(&view, "\u{1B}[2J")
        let drawn = text(
            view.handle(.progress(identifier: "\u{1B}[2J", received: bytes(1)), at: at(0)))
        #expect(!drawn.contains("\u{1B}"))
        #expect(drawn.contains("\\u{1b}[2J"))
    }

    @Test func aSizeOfZeroCountsAsTheUsualOne() {
        #expect(TerminalSize(columns: 0, rows: -1) == TerminalSize(columns: 80, rows: 24))
    }
}

@Suite struct ProgressViewStyleTests {
    @Test(arguments: [OutputStyle.table, .record], [nil, TerminalSize(columns: 80, rows: 24)])
    func isSilentUntilTheEnd(style: OutputStyle, terminal: TerminalSize?) {
        var view = ProgressView(style: style, terminal: terminal)
        var texts = view.handle(
            .added(identifier: "a", total: bytes(9), received: bytes(1)), at: at(0))
        texts += view.handle(.progress(identifier: "a", received: bytes(5)), at: at(0))
        texts += view.handle(.output(.output, "x"), at: at(0))
        texts += view.handle(.note("x"), at: at(0))
        texts += view.handle(.refused(identifier: "r", message: "no", hint: "--x"), at: at(0))
        texts += view.tick(at: at(5_000))
        #expect(texts.isEmpty)
        let end = view.finish(minimalRecord())
        #expect(end.allSatisfy { $0.target == .output })
        let expected =
            style == .record ? minimalRecord().line : "refused r: no; add --x\nresult: ok\n"
        #expect(text(end) == expected)
    }
}
