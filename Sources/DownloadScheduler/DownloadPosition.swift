/// A place in the order in which the downloads of one app and one class start.
///
/// Higher priority first, then age.
package struct DownloadPosition: Hashable, Sendable, Comparable {
    package let priority: Int64

    /// Unique in a store: a smaller number was admitted earlier.
    package let sequence: Int64

    package init(priority: Int64, sequence: Int64) {
        self.priority = priority
        self.sequence = sequence
    }

    package static func < (left: Self, right: Self) -> Bool {
        if left.priority != right.priority { return left.priority > right.priority }
        return left.sequence < right.sequence
    }

    /// The place right before this one, with no other in between; nil for the first of all.
    var predecessor: Self? {
        if sequence > .min { return Self(priority: priority, sequence: sequence - 1) }
        return priority < .max ? Self(priority: priority + 1, sequence: .max) : nil
    }
}
