internal import DownloadScheduler
internal import DownloadStore

/// What has changed among the downloads of a folder since the last look.
struct DownloadsWatch {
    /// The most unfinished downloads that are followed.
    static let limit = DownloadStore.listLimit
    private static let pageLength = 500

    private struct Sight: Hashable {
        let state: DownloadState
        let receivedBytes: UInt64
    }

    private let reader: DownloadStoreReader
    private let app: String?
    private var mark: DownloadStoreReader.ChangeMark?
    private var sights: [Int64: Sight] = [:]
    private var lastRow: Int64?

    init(_ reader: DownloadStoreReader, app: String?) {
        self.reader = reader
        self.app = app
    }

    /// Whether nothing was unfinished at the last look.
    var isOver: Bool { sights.isEmpty }

    /// The downloads that have changed, all unfinished ones at the first look.
    ///
    /// Costs next to nothing when the store has not changed.
    mutating func look() throws(DownloadStoreError) -> [DownloadRecord] {
        let mark = try reader.mark()
        guard mark != self.mark else { return [] }
        var news: [DownloadRecord] = []
        var seen: [Int64: Sight] = [:]
        let unfinished = Set(DownloadState.allCases.filter(\.isUnfinished))
        try each(unfinished, after: nil) { record in
            guard seen.count < Self.limit else { return }
            let sight = Sight(state: record.state, receivedBytes: record.receivedBytes)
            seen[record.rowID] = sight
            if sights[record.rowID] != sight { news.append(record) }
        }
        for row in sights.keys.sorted() where seen[row] == nil {
            // One that is gone has been replaced.
            if let record = try reader.record(rowID: row), !record.state.isUnfinished {
                news.append(record)
            }
        }
        try noteNew(seen, &news)
        sights = seen
        self.mark = mark
        return news
    }

    /// Finds what came and ended between two looks.
    private mutating func noteNew(
        _ seen: [Int64: Sight], _ news: inout [DownloadRecord]
    ) throws(DownloadStoreError) {
        let isFirst = mark == nil
        var last = lastRow
        var ended: [DownloadRecord] = []
        try each(Set(DownloadState.allCases), after: lastRow) { record in
            last = record.rowID
            guard !isFirst, seen[record.rowID] == nil, !record.state.isUnfinished else { return }
            ended.append(record)
        }
        news += ended
        lastRow = last
    }

    private func each(
        _ states: Set<DownloadState>, after row: Int64?, _ body: (DownloadRecord) -> Void
    ) throws(DownloadStoreError) {
        var next = row
        repeat {
            let page = try reader.page(
                .init(app: app, states: states), after: next, limit: Self.pageLength)
            page.records.forEach(body)
            next = page.next
        } while next != nil
    }
}
