/// Which address an order asks, and which one after it.
///
/// Pure: the count of earlier attempts decides where it begins, failures for good lead on.
package struct MirrorPlan: Hashable, Sendable {
    /// Attempts at one address before the next one's turn: one and two retries (design.md §6).
    package static let attemptsEach = 3

    /// 0 for the order's own address, n for its mirror n - 1.
    package private(set) var current: Int
    private let count: Int
    private var tried = 1

    /// - Parameters:
    ///   - retries: Earlier attempts that failed; every address has its turn, round and round.
    ///   - addresses: How many there are, at least one.
    package init(retries: Int, addresses: Int) {
        count = max(addresses, 1)
        current = max(retries, 0) / Self.attemptsEach % count
    }

    /// Goes on after a failure for good; false when every address has had its try in this order.
    package mutating func advance() -> Bool {
        guard tried < count else { return false }
        tried += 1
        current = (current + 1) % count
        return true
    }
}
