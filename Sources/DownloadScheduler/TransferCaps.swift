/// How many transfers may be under way at once.
package struct TransferCaps: Hashable, Sendable {
    /// Transfers with one host, at least 1.
    package let perHost: Int
    /// Transfers in all, at least 1.
    package let total: Int

    /// The defaults are those of the table of defaults, 4 and 16; a number below 1 counts as 1.
    package init(perHost: Int = 4, total: Int = 16) {
        self.perHost = max(1, perHost)
        self.total = max(1, total)
    }
}
