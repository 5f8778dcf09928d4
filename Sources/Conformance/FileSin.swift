/// What is wrong with a file that must not be loaded.
///
/// elf(5); offsets are those of 64-bit files.
package enum FileSin: String, Hashable, Sendable, CaseIterable {
    case notElf = "not-elf"
    case empty
    case truncated
    case class32 = "class-32"
    case otherByteOrder = "other-byte-order"
    case otherMachine = "other-machine"
    case program
    case unorderedSegments = "unordered-segments"
    case pastItsEnd = "past-its-end"
    case endlessSegment = "endless-segment"
    case programHeadersOutside = "program-headers-outside"
    case executableStack = "executable-stack"

    /// What is said of it when it is not loaded.
    package var sentence: String {
        switch self {
        case .notElf: "not an ELF file"
        case .empty: "is empty"
        case .truncated, .pastItsEnd, .programHeadersOutside: "it is truncated"
        case .class32: "32-bit"
        case .otherByteOrder: "is big-endian"
        case .otherMachine: "ELF machine 62451"
        case .program: "is a program"
        case .unorderedSegments: "ascending order"
        case .endlessSegment: "past the end of user memory"
        case .executableStack: "executable stack"
        }
    }

    /// The file with the sin in it; nil when the file is not as files of this machine are.
    package func apply(to good: [UInt8]) -> [UInt8]? {
        var bytes = good
        switch self {
        case .empty: return []
        case .notElf: bytes.replace(at: 0, with: 0, count: 1)
        case .class32: bytes.replace(at: 4, with: 1, count: 1)
        case .otherByteOrder: bytes.replace(at: 5, with: 2, count: 1)
        case .otherMachine: bytes.replace(at: 18, with: 0xF3F3, count: 2)
        case .program: bytes.replace(at: 16, with: 2, count: 2)
        case .programHeadersOutside: bytes.replace(at: 32, with: UInt64(good.count), count: 8)
        case .unorderedSegments, .pastItsEnd, .endlessSegment, .executableStack, .truncated:
            return FileSin.spoil(bytes, self)
        }
        return bytes
    }

    private static let headerSize = 56

    private static func spoil(_ good: [UInt8], _ sin: FileSin) -> [UInt8]? {
        var bytes = good
        guard good.count > 64 else { return nil }
        let headers = (0..<Int(good[56])).map { 64 + $0 * headerSize }
            .filter { $0 + headerSize <= good.count }
        let loads = headers.filter { good[$0] == 1 && good[$0 + 1] == 0 }
        guard loads.count > 1 else { return nil }
        let (first, second) = (loads[0], loads[1])
        switch sin {
        case .unorderedSegments:
            for place in 0..<headerSize { bytes.swapAt(first + place, second + place) }
        case .pastItsEnd: bytes.replace(at: second + 8, with: UInt64(good.count) << 1, count: 8)
        case .endlessSegment: bytes.replace(at: second + 40, with: .max, count: 8)
        case .executableStack:
            // PT_GNU_STACK
            guard
                let stack = headers.first(where: { good[$0..<$0 + 4] == [0x51, 0xE5, 0x74, 0x64] })
            else { return nil }
            bytes.replace(at: stack + 4, with: 7, count: 4)
        case .truncated:
            // The last byte that is to be mapped is missing.
            let ends = loads.map { good.number(at: $0 + 8) &+ good.number(at: $0 + 32) }
            return Array(good.prefix(Int(clamping: (ends.max() ?? 1) &- 1)))
        default: return nil
        }
        return bytes
    }
}

extension [UInt8] {
    /// Eight bytes, little-endian; what lies past the end is 0.
    fileprivate func number(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { sum, place in
            let byte = offset + place < count ? UInt64(self[offset + place]) : 0
            return sum | byte << (8 * UInt64(place))
        }
    }

    /// Little-endian; what lies past the end is left out.
    fileprivate mutating func replace(at offset: Int, with value: UInt64, count: Int) {
        for place in 0..<count where offset + place < self.count {
            self[offset + place] = UInt8(truncatingIfNeeded: value >> (8 * place))
        }
    }
}
