internal import Glibc

/// A path that names something below a folder and cannot lead out of it by its text.
struct BeneathPath {
    /// Longest text, in bytes.
    static let longestBytes = 1024

    let text: String

    /// Where the last `/` is; nil for a single name.
    private let lastSlash: String.Index?

    /// - Parameter text: Names with `/` between them, none of them `.` or `..`.
    /// - Throws: ``SystemError`` with EINVAL for other text, ENAMETOOLONG past ``longestBytes``.
    init(_ text: String) throws(SystemError) {
        guard text.utf8.count <= BeneathPath.longestBytes else {
            throw SystemError(
                call: "open", subject: "\(text.prefix(64))…", code: ENAMETOOLONG)
        }
        let isPlain = Paths.names(of: text).allSatisfy { !["", ".", ".."].contains($0) }
        guard isPlain, !text.utf8.contains(0) else {
            throw SystemError(call: "open", subject: text, code: EINVAL)
        }
        self.text = text
        lastSlash = text.utf8.lastIndex(of: Paths.separator)
    }

    /// All but the last name; nil when there is only one.
    var parent: String? { lastSlash.map { String(text[..<$0]) } }

    var name: String { lastSlash.map { String(text[text.utf8.index(after: $0)...]) } ?? text }
}
