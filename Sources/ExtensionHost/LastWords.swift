/// What a runtime said on stderr before it ended a plugin: the best there is to tell its author.
///
/// A Swift trap, an uncaught C++ exception and a Rust panic are known by their words, whatever is
/// printed after them, such as a stack trace; else the last line that says something is taken.
package struct LastWords: Hashable, Sendable {
    private static let marks = [
        "Fatal error", "Precondition failed", "Assertion failed", "terminate called", panic,
        "Assertion `",
    ]
    private static let continuation = "  what():"
    private static let panic = "panicked at"
    private static let advice = "note: "

    private var told: String?

    /// Since Rust 1.73 the message is the line after the place.
    private var isPlaceOfPanic = false
    private var last: String?

    package init() {}

    package mutating func hear(_ line: String) {
        let followsPlace = isPlaceOfPanic
        isPlaceOfPanic = line.contains(LastWords.panic) && line.hasSuffix(":")
        if LastWords.marks.contains(where: { line.contains($0) }) {
            told = line
        } else if followsPlace, let said = told, !line.hasPrefix(LastWords.advice), line != "" {
            told = said + " " + line
        } else if let said = told, line.hasPrefix(LastWords.continuation) {
            told = said + line.dropFirst()
        } else if line.contains(where: { $0 != " " }) {
            last = line
        }
    }

    /// Nil when nothing was said.
    package var text: String? { told ?? last }
}

extension String {
    fileprivate func contains(_ other: String) -> Bool {
        var rest = utf8[...]
        while rest.count >= other.utf8.count {
            if rest.starts(with: other.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
