/// Bytes an app may still fetch, and what each download takes of them.
struct Allowance: Hashable, Sendable {
    /// Nil: no limit.
    private let limit: UInt64?
    private var fixed: UInt64 = 0
    private var charges: [String: UInt64] = [:]
    private var charged: UInt64 = 0

    init(limit: UInt64?) {
        self.limit = limit
    }

    /// Nil: no limit.
    var left: UInt64? {
        guard let limit else { return nil }
        let used = Allowance.sum(fixed, charged)
        return used < limit ? limit - used : 0
    }

    func holds(_ bytes: UInt64) -> Bool {
        left.map { bytes <= $0 } ?? true
    }

    func isCharged(_ identifier: String) -> Bool {
        charges[identifier] != nil
    }

    mutating func charge(_ bytes: UInt64, for identifier: String) {
        refund(identifier)
        charges[identifier] = bytes
        charged = Allowance.sum(charged, bytes)
    }

    mutating func refund(_ identifier: String) {
        guard let bytes = charges.removeValue(forKey: identifier) else { return }
        charged = charged > bytes ? charged - bytes : 0
    }

    /// Replaces what a download was charged by what it has used for good.
    mutating func settle(_ identifier: String, usedBytes: UInt64) {
        guard charges[identifier] != nil else { return }
        refund(identifier)
        spend(usedBytes)
    }

    mutating func spend(_ bytes: UInt64) {
        fixed = Allowance.sum(fixed, bytes)
    }

    /// Unlimited allowances may be charged past 64 bits; the sum then stays at the top.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
