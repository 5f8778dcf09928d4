extension DownloadStoreReader {
    /// Some published files, by row.
    package struct PublishedPage: Hashable, Sendable {
        package fileprivate(set) var files: [PublishedFile] = []

        /// Sentences on rows that could not be read, at most ``DownloadStore/noteLimit``.
        package fileprivate(set) var notes: [String] = []

        /// What the next page comes after; nil when there is none.
        package fileprivate(set) var next: Int64?
    }

    /// The published files of the container at `container`, by age, after row `rowID`.
    ///
    /// - Parameters:
    ///   - container: Nil for those of every container; else a page costs as much as the rows looked
    ///     at, also those left out.
    ///   - rowID: ``PublishedPage/next`` of the page before, or nil for the first.
    ///   - limit: The most files; with none the page is the last.
    /// - Returns: The page; an empty one when there is no database yet.
    /// - Throws: ``DownloadStoreError``, also with `newerSchema`, `olderSchema` and `needsHost`.
    package func publishedFiles(
        container: String?, after rowID: Int64? = nil, limit: Int
    ) throws(DownloadStoreError) -> PublishedPage {
        guard limit > 0 else { return PublishedPage() }
        return try read(otherwise: PublishedPage()) { (database) throws(DownloadStoreError) in
            var page = PublishedPage()
            try database.rows(
                """
                SELECT * FROM publishedFiles
                WHERE rowID > ?1 AND (?2 IS NULL OR container = ?2) ORDER BY rowID
                """, [.integer(rowID ?? .min), RecordRow.optional(container)]
            ) { (row) throws(DownloadStoreError) in
                guard page.files.count < limit else {
                    page.next = page.files.last?.rowID
                    return false
                }
                try Self.add(row, to: &page)
                return true
            }
            return page
        }
    }

    private static func add(
        _ row: Statement, to page: inout PublishedPage
    ) throws(DownloadStoreError) {
        do {
            page.files.append(try PublishedRow.file(row))
        } catch let error where error.code == .rowUnreadable {
            if page.notes.count < DownloadStore.noteLimit { page.notes.append("\(error)") }
        }
    }
}
