import DownloadScheduler

/// The rows of a store that wait or rest, answering as a store does; quick with many of them.
struct StoreModel {
    private let lists: [WindowKey: [DownloadSummary]]
    private var gone: Set<Int64> = []

    /// `rows` in order.
    init(rows: [DownloadSummary]) {
        lists = Dictionary(grouping: rows, by: { WindowKey($0) })
    }

    var keys: [WindowKey] {
        lists.keys.sorted { ($0.app, $0.downloadClass) < ($1.app, $1.downloadClass) }
    }

    /// The row has a slot, or has ended.
    mutating func remove(_ id: Int64) { gone.insert(id) }

    /// The row waits again.
    mutating func putBack(_ id: Int64) { gone.remove(id) }

    /// The event that answers `action`, if it is a question.
    func answer(to action: DownloadScheduler.Action) -> DownloadScheduler.Event? {
        switch action {
        case .refill(let key, let end, let limit):
            let list = lists[key] ?? []
            let start = end.map { index(behind: $0, in: list) } ?? 0
            let rows = first(limit, of: list[start...]) { _ in true }
            return .refilled(key, rows, isComplete: rows.count < limit)
        case .refillOtherHosts(let key, let excluded, _, let limit):
            let rows = first(limit, of: lists[key, default: []][...]) {
                !excluded.contains($0.host)
            }
            return .refilledOtherHosts(key, rows)
        case .start, .stop, .reclassify: return nil
        }
    }

    private func first(
        _ limit: Int, of list: ArraySlice<DownloadSummary>, where isWanted: (DownloadSummary) -> Bool
    ) -> [DownloadSummary] {
        var rows: [DownloadSummary] = []
        for row in list {
            if rows.count >= limit { break }
            if !gone.contains(row.id), isWanted(row) { rows.append(row) }
        }
        return rows
    }

    private func index(behind end: DownloadPosition, in list: [DownloadSummary]) -> Int {
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].position <= end { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
