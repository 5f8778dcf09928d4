/// A number of bytes.
package struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let bytes: UInt64

    package init(bytes: UInt64) {
        self.bytes = bytes
    }

    package static func kibibytes(_ count: UInt64) -> ByteCount { ByteCount(bytes: count << 10) }
    package static func mebibytes(_ count: UInt64) -> ByteCount { ByteCount(bytes: count << 20) }

    package static func < (left: ByteCount, right: ByteCount) -> Bool {
        left.bytes < right.bytes
    }

    /// Reads `6M`, `512K`, `1G` or a plain number; the letters are binary.
    ///
    /// Nil for anything else, zero and overflow included.
    package init?(untrusted text: String) {
        var digits = Substring(text)
        var shift: UInt64 = 0
        if let letter = digits.last, let known = ByteCount.shifts[letter] {
            shift = known
            digits = digits.dropLast()
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let count = UInt64(digits)
        else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: 1 << shift)
        guard !overflow, bytes > 0 else { return nil }
        self.bytes = bytes
    }

    private static let shifts: [Character: UInt64] = ["K": 10, "M": 20, "G": 30]

    /// `52.4 MiB`, `512 B`: for people.
    package var description: String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        guard bytes >= 1024 else { return "\(bytes) B" }
        var tenths = bytes / 1024 * 10 + bytes % 1024 * 10 / 1024
        var unit = 0
        while tenths >= 10240, unit < units.count - 1 {
            tenths /= 1024
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
