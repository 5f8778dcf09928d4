internal import DownloadStore

/// What a look at rows and files has found out.
package struct StorageReview: Hashable, Sendable {
    /// Identifiers of files that are nowhere.
    package private(set) var gone: [String] = []

    /// Identifiers of files in whose place something else is by now.
    package private(set) var changed: [String] = []

    /// False when there was too much to look through.
    package var isComplete = true

    /// Why nothing could be looked at.
    package var fault: String?

    /// The most files that are named.
    private static let mostNamed = 10

    /// Identifiers of files that are not where they were, and may be where nobody can look.
    package private(set) var unseen: [String] = []

    package init() {}

    mutating func note(_ row: PublishedFile, isThere: Bool) {
        switch (isThere, isComplete) {
        case (true, true): changed.append(row.identifier)
        case (false, true): gone.append(row.identifier)
        case (_, false): unseen.append(row.identifier)
        }
    }

    /// One sentence each, without full stops.
    package var sentences: [String] {
        var sentences = fault.map { ["cannot look for published files: \($0)"] } ?? []
        if !isComplete {
            sentences.append(
                "not all of the container could be looked through: more than 1,000,000 entries, "
                    + "more than 256 folders in one another, or a folder without rights")
        }
        sentences += StorageReview.some(gone) {
            "\($0): its file is gone, and is fetched again when it is asked for"
        }
        sentences += StorageReview.some(changed) {
            "\($0): its file was changed, and is no longer taken back"
        }
        sentences += StorageReview.some(unseen) { "\($0): its file is not where it was" }
        return sentences
    }

    private static func some(_ names: [String], _ sentence: (String) -> String) -> [String] {
        let more = names.count - mostNamed
        return names.prefix(mostNamed).map(sentence)
            + (more > 0 ? ["\(more) more like the last"] : [])
    }
}
