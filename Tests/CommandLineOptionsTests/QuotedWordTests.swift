import CommandLineOptions
import Testing

@Suite struct QuotedWordTests {
    @Test(arguments: [
        ("", "\"\""), ("12Q", "\"12Q\""), ("größe", "\"größe\""), ("a\"b", "\"a\\\"b\""),
        ("a\\b", "\"a\\\\b\""), ("\u{1B}[0m", "\"\\u{1b}[0m\""), ("\u{9B}", "\"\\u{9b}\""),
        ("\u{202E}x", "\"\\u{202e}x\""), ("a\r\n", "\"a\\u{d}\\u{a}\""),
    ])
    func escapesWhatCouldSteerATerminal(word: String, quoted: String) {
        #expect(QuotedWord.quote(word) == quoted)
    }

    @Test func cutsPastEightyCharacters() {
        let word = String(repeating: "x", count: 80)
        #expect(QuotedWord.quote(word) == "\"\(word)\"")
        #expect(QuotedWord.quote(word + "x") == "\"\(word)…\"")
    }
}
