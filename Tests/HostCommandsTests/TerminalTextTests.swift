import HostCommands
import Testing

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("größe 文件 🎮", "größe 文件 🎮"), ("a\tb", "a    b"),
        ("\u{1B}[31m", "\\u{1b}[31m"), ("\u{9B}2J", "\\u{9b}2J"), ("a\rb\nc", "a\\u{d}b\\u{a}c"),
        ("\u{7}\u{8}\u{7F}", "\\u{7}\\u{8}\\u{7f}"), ("\u{202E}evil", "\\u{202e}evil"),
        ("\u{2066}x\u{2028}", "\\u{2066}x\\u{2028}"), ("\u{E0041}", "\\u{e0041}"),
        ("👩\u{200D}💻", "👩\u{200D}💻"), ("\u{FEFF}", "\\u{feff}"), ("", ""),
    ])
    func escapesWhatATerminalWouldObey(text: String, escaped: String) {
        #expect(TerminalText.escape(text) == escaped)
    }

    @Test func nothingUnsafeIsLeftOfAnyCharacter() {
        let all = (0...0x10FFFF).compactMap { Unicode.Scalar(UInt32($0)) }
        let unsafe = all.filter(TerminalText.isUnsafe)
        #expect(unsafe.count > 200)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: unsafe)
        #expect(
            !TerminalText.escape(String(text)).unicodeScalars.contains(where: TerminalText.isUnsafe)
        )
    }

    @Test(arguments: [
        ("abc", 3), ("größe", 5), ("e\u{301}", 1), ("文件", 4), ("🎮", 2), ("한국", 4), ("", 0),
        ("ｗ", 2), ("👩\u{200D}💻", 2),
    ])
    func countsColumns(text: String, columns: Int) {
        #expect(TerminalText.width(text) == columns)
    }

    @Test func clipsPastTheWidthOnly() {
        #expect(TerminalText.clip("abcdef", to: 6) == "abcdef")
        #expect(TerminalText.clip("abcdef", to: 5) == "abcd…")
        #expect(TerminalText.clip("文件文件", to: 8) == "文件文件")
        #expect(TerminalText.clip("文件文件", to: 7) == "文件文…")
        #expect(TerminalText.clip("文件文件", to: 6) == "文件…")
        #expect(TerminalText.clip("abc", to: 1) == "…")
        #expect(TerminalText.clip("abc", to: 0).isEmpty)
        #expect(TerminalText.clip("abc", to: -5).isEmpty)
    }

    @Test func clipsTheStartOfPaths() {
        #expect(TerminalText.clipStart("/a/b/c", to: 6) == "/a/b/c")
        #expect(TerminalText.clipStart("/a/b/c", to: 5) == "…/b/c")
        #expect(TerminalText.clipStart("/a", to: 0).isEmpty)
    }

    @Test func padsOnBothSides() {
        #expect(TerminalText.pad("文", to: 4) == "文  ")
        #expect(TerminalText.padStart("7", to: 3) == "  7")
        #expect(TerminalText.pad("long", to: 2) == "long")
    }
}
