internal import WireProtocol

/// What the rules need of a call's wishes, however many and however long they were.
package struct NotedWishes: Hashable, Sendable {
    /// One wish, without its addresses and headers.
    package struct Wish: Hashable, Sendable {
        /// At most 255 bytes.
        package let identifier: String
        package let isEssential: Bool
        package let sizeBytes: UInt64
    }

    package private(set) var count = 0

    /// The first, and those that are essential, as long as there is room.
    package private(set) var kept: [Wish] = []

    /// Of all in their order, every field; the same for the same wishes in one process.
    private var fingerprint = 0
    private var bytes = 0

    package init() {}

    mutating func note(_ wish: DownloadWish) {
        count += 1
        var hasher = Hasher()
        hasher.combine(fingerprint)
        hasher.combine(wish)
        fingerprint = hasher.finalize()
        let size = wish.identifier.utf8.count + MemoryLayout<Wish>.stride
        guard kept.isEmpty || wish.isEssential && bytes + size <= CallRecord.keptBytes else {
            return
        }
        bytes += size
        kept.append(
            Wish(
                identifier: wish.identifier, isEssential: wish.isEssential,
                sizeBytes: wish.sizeBytes))
    }
}
