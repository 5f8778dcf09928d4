import ExtensionHost
import Testing

@Suite struct LastWordsTests {
    @Test(arguments: [
        ([], nil),
        (["", " "], nil),
        (["loading", "done", ""], "done"),
        (
            ["hello", "a.swift:3: Fatal error: Index out of range", "Current stack trace:", "0 x"],
            "a.swift:3: Fatal error: Index out of range"
        ),
        (
            ["terminate called after throwing an instance of 'E'", "  what():  no disk"],
            "terminate called after throwing an instance of 'E' what():  no disk"
        ),
        (
            ["thread 'main' panicked at src/lib.rs:3:", "note: run with"],
            "thread 'main' panicked at src/lib.rs:3:"
        ),
        (
            ["", "thread 'main' panicked at src/lib.rs:3:", "no disk", "note: run with"],
            "thread 'main' panicked at src/lib.rs:3: no disk"
        ),
        (
            ["thread 'main' panicked at 'no disk', src/lib.rs:3:5", "note: run with"],
            "thread 'main' panicked at 'no disk', src/lib.rs:3:5"
        ),
        (
            ["a.swift:3: Precondition failed: no disk", "Current stack trace:", "0 x"],
            "a.swift:3: Precondition failed: no disk"
        ),
    ])
    func areWhatTheRuntimeSaid(lines: [String], expected: String?) {
        var words = LastWords()
        for line in lines { words.hear(line) }
        #expect(words.text == expected)
    }
}
