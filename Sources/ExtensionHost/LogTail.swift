/// Lines up to a bound in bytes; past it the oldest go, and it is said.
package struct LogTail: Hashable, Sendable {
    /// docs/extension-author.md: 256 KiB.
    package static let defaultBound = 256 << 10

    private let bound: Int
    private var kept: ArraySlice<String> = []
    private var keptBytes = 0
    private var droppedLines = 0

    package init(bound: Int = LogTail.defaultBound) {
        self.bound = bound
    }

    package mutating func append(_ line: String) {
        kept.append(line)
        keptBytes += line.utf8.count
        while keptBytes > bound, let first = kept.popFirst() {
            keptBytes -= first.utf8.count
            droppedLines += 1
        }
        if kept.startIndex > 4096, kept.startIndex > kept.count { kept = ArraySlice(Array(kept)) }
    }

    package var lines: [String] {
        guard droppedLines > 0 else { return Array(kept) }
        return ["… \(droppedLines) earlier lines dropped, past \(bound) bytes"] + kept
    }
}
