/// The file's relocation tables: what the loader writes over before any code runs.
struct Relocations {
    private let machine: Machine
    private var tables: [FileRange] = []
    private var relatives: FileRange?

    /// - Throws: ``PluginImageError`` with `malformed` when a table is not inside one segment's
    ///   file bytes, has a wrong entry size or more than ``ElfLimits/relocations`` entries.
    init(
        machine: Machine, dynamic: DynamicSection, segments: [ElfSegment]
    ) throws(PluginImageError) {
        self.machine = machine
        try dynamic.expect(.relocationEntry, toBe: 24)
        try dynamic.expect(.relativeEntry, toBe: 8)
        try dynamic.expect(.pltRelocationKind, toBe: DynamicTag.relocations.number)
        for (start, size) in [
            (DynamicTag.relocations, DynamicTag.relocationSize),
            (.pltRelocations, .pltRelocationSize),
        ] {
            if let table = try Self.table(start, size, 24, dynamic, segments) {
                tables.append(table)
            }
        }
        relatives = try Self.table(.relatives, .relativeSize, 8, dynamic, segments)
    }

    private static func table(
        _ start: DynamicTag, _ size: DynamicTag, _ entrySize: UInt64,
        _ dynamic: DynamicSection, _ segments: [ElfSegment]
    ) throws(PluginImageError) -> FileRange? {
        guard let address = try dynamic.value(of: start) else { return nil }
        let size = try dynamic.required(size)
        guard size > 0 else { return nil }
        guard size.isMultiple(of: entrySize),
            let range = segments.fileRange(of: address, count: size)
        else {
            throw .malformed(
                "the file's \(start.name) table, \(grouped(size)) bytes at"
                    + " \(hexadecimal(address)), is not whole \(entrySize)-byte entries"
                    + " inside one segment's file bytes")
        }
        guard size / entrySize <= UInt64(ElfLimits.relocations) else {
            throw .malformed(
                "the file's \(start.name) table has \(grouped(size / entrySize)) entries, more"
                    + " than \(grouped(ElfLimits.relocations))")
        }
        return range
    }

    var entryCount: UInt64 { tables.reduce(0) { $0 + $1.count / 24 } }
    var compactWords: UInt64 { (relatives?.count ?? 0) / 8 }

    /// The address of the first relocation found that writes into `range`, or nil.
    func firstTouching(
        _ range: Range<UInt64>, in bytes: RawSpan
    ) throws(PluginImageError) -> UInt64? {
        for table in tables {
            var index: UInt64 = 0
            while let at = table.entry(index, size: 24) {
                let target = try bytes.load(UInt64.self, at: at)
                let kind = try bytes.load(UInt32.self, at: at + 8)
                if reach(of: kind, from: target).overlaps(range) { return target }
                index += 1
            }
        }
        return try firstRelativeTouching(range, in: bytes)
    }

    /// What one relocation writes: 8 bytes, 16 for a TLS descriptor, none for kind 0.
    ///
    /// A COPY relocation writes as much as another file's symbol is long, so anything after it.
    private func reach(of kind: UInt32, from start: UInt64) -> Range<UInt64> {
        let descriptor: UInt32 = machine == .x86_64 ? 36 : 1031
        let copy: UInt32 = machine == .x86_64 ? 5 : 1024
        let length: UInt64
        switch kind {
        case 0: length = 0
        case copy: length = .max
        case descriptor: length = 16
        default: length = 8
        }
        return bytesAfter(start, length)
    }

    private func bytesAfter(_ start: UInt64, _ length: UInt64) -> Range<UInt64> {
        let (end, overflow) = start.addingReportingOverflow(length)
        return start..<(overflow ? .max : end)
    }

    /// DT_RELR: an even word is an address; an odd one a bitmap over the 63 words that follow.
    private func firstRelativeTouching(
        _ range: Range<UInt64>, in bytes: RawSpan
    ) throws(PluginImageError) -> UInt64? {
        guard let relatives else { return nil }
        var next: UInt64 = 0
        var index: UInt64 = 0
        while let at = relatives.entry(index, size: 8) {
            let word = try bytes.load(UInt64.self, at: at)
            index += 1
            if word & 1 == 0 {
                if bytesAfter(word, 8).overlaps(range) { return word }
                next = word &+ 8
                continue
            }
            defer { next = next &+ 63 * 8 }
            guard bytesAfter(next, 63 * 8).overlaps(range) else { continue }
            for bit in 1..<64 as Range<UInt64> where word >> bit & 1 == 1 {
                let target = next &+ (bit - 1) * 8
                if bytesAfter(target, 8).overlaps(range) { return target }
            }
        }
        return nil
    }
}
