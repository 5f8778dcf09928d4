/// An IPv4 or IPv6 address as bytes in network order.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes.
    package let bytes: [UInt8]

    /// Takes over the bytes of `in_addr` or `in6_addr`; nil for any other length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads `192.0.2.1` (four decimal numbers, no leading zeros) or `2001:db8::1` (no brackets, no
    /// zone).
    ///
    /// Nil for every other spelling. RFC 3986 §3.2.2, RFC 4291 §2.2.
    package init?(text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 45 else { return nil }
        guard
            let parsed = bytes.contains(UInt8(ascii: ":"))
                ? Self.parseV6(bytes) : Self.parseV4(bytes)
        else { return nil }
        self.bytes = parsed
    }

    package var isIPv6: Bool { bytes.count == 16 }

    /// The canonical text of RFC 5952, without brackets; an IPv4 address in dotted form.
    package var description: String {
        guard isIPv6 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = (0..<8).map { UInt16(bytes[$0 * 2]) << 8 | UInt16(bytes[$0 * 2 + 1]) }
        let hex = groups.map { String($0, radix: 16) }
        guard let gap = Self.longestZeroRun(groups) else { return hex.joined(separator: ":") }
        return hex[..<gap.lowerBound].joined(separator: ":") + "::"
            + hex[gap.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of two or more zero groups.
    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start >= 2, end - start > (best?.count ?? 1) { best = start..<end }
            start = max(end, start + 1)
        }
        return best
    }
}

extension IPAddress {
    private static func parseV4(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4)
        var part: UInt16?
        for byte in text + [UInt8(ascii: ".")] {
            if byte == UInt8(ascii: ".") {
                guard let value = part, bytes.count < 4 else { return nil }
                bytes.append(UInt8(value))
                part = nil
            } else {
                // A second digit after a 0 would be octal to some.
                guard (48...57).contains(byte), part != 0 else { return nil }
                let value = (part ?? 0) * 10 + UInt16(byte - 48)
                guard value <= 255 else { return nil }
                part = value
            }
        }
        return bytes.count == 4 ? bytes : nil
    }

    private static func parseV6(_ text: [UInt8]) -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        var halves: [ArraySlice<UInt8>] = [text[...]]
        if let gap = text.indices.dropLast().first(where: {
            text[$0] == colon && text[$0 + 1] == colon
        }) {
            halves = [text[..<gap], text[(gap + 2)...]]
        }
        var sides: [[UInt8]] = []
        for (place, half) in halves.enumerated() {
            guard let side = groups(half, mayEndInV4: place == halves.count - 1) else { return nil }
            sides.append(side)
        }
        let written = sides.reduce(0) { $0 + $1.count }
        if sides.count == 1 { return written == 16 ? sides[0] : nil }
        guard written <= 14 else { return nil }
        return sides[0] + [UInt8](repeating: 0, count: 16 - written) + sides[1]
    }

    /// The bytes of a list of groups without a gap; an empty text is an empty list.
    private static func groups(_ text: ArraySlice<UInt8>, mayEndInV4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var bytes: [UInt8] = []
        for (place, part) in parts.enumerated() {
            if mayEndInV4, place == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let inner = parseV4(Array(part)) else { return nil }
                bytes += inner
                continue
            }
            guard (1...4).contains(part.count), part.allSatisfy(isHexDigit),
                let value = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            bytes += [UInt8(value >> 8), UInt8(value & 255)]
        }
        return bytes
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...102).contains(byte | 0x20)
    }
}
