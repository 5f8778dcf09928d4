/// The part of a download that decides when it starts.
package struct DownloadSummary: Hashable, Sendable, Comparable {
    /// The row in the store.
    package let id: Int64
    /// What the per-host cap counts by.
    package let host: String
    package let isEssential: Bool
    package let priority: Int64
    package let sequence: Int64

    package init(id: Int64, host: String, isEssential: Bool, priority: Int64, sequence: Int64) {
        self.id = id
        self.host = host
        self.isEssential = isEssential
        self.priority = priority
        self.sequence = sequence
    }

    /// Whether `left` starts before `right`: essential, then higher priority, then older; the row
    /// decides between two of the same age.
    package static func < (left: Self, right: Self) -> Bool {
        if left.isEssential != right.isEssential { return left.isEssential }
        if left.priority != right.priority { return left.priority > right.priority }
        if left.sequence != right.sequence { return left.sequence < right.sequence }
        return left.id < right.id
    }
}
