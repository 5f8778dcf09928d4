/// The tags of the dynamic section that matter here: elf(5) and the generic ABI, chapter 5.
struct DynamicTag: Hashable, Sendable {
    let number: UInt64
    let name: String

    static let needed = Self(number: 1, name: "DT_NEEDED")
    static let pltRelocationSize = Self(number: 2, name: "DT_PLTRELSZ")
    static let hash = Self(number: 4, name: "DT_HASH")
    static let strings = Self(number: 5, name: "DT_STRTAB")
    static let symbols = Self(number: 6, name: "DT_SYMTAB")
    static let relocations = Self(number: 7, name: "DT_RELA")
    static let relocationSize = Self(number: 8, name: "DT_RELASZ")
    static let relocationEntry = Self(number: 9, name: "DT_RELAENT")
    static let stringSize = Self(number: 10, name: "DT_STRSZ")
    static let symbolEntry = Self(number: 11, name: "DT_SYMENT")
    static let soname = Self(number: 14, name: "DT_SONAME")
    static let rpath = Self(number: 15, name: "DT_RPATH")
    static let pltRelocationKind = Self(number: 20, name: "DT_PLTREL")
    static let textRelocations = Self(number: 22, name: "DT_TEXTREL")
    static let pltRelocations = Self(number: 23, name: "DT_JMPREL")
    static let runPath = Self(number: 29, name: "DT_RUNPATH")
    static let flags = Self(number: 30, name: "DT_FLAGS")
    static let relativeSize = Self(number: 35, name: "DT_RELRSZ")
    static let relatives = Self(number: 36, name: "DT_RELR")
    static let relativeEntry = Self(number: 37, name: "DT_RELRENT")
    static let gnuHash = Self(number: 0x6fff_fef5, name: "DT_GNU_HASH")
    static let symbolVersions = Self(number: 0x6fff_fff0, name: "DT_VERSYM")
    static let flags1 = Self(number: 0x6fff_fffb, name: "DT_FLAGS_1")
    static let neededVersions = Self(number: 0x6fff_fffe, name: "DT_VERNEED")
    static let auxiliary = Self(number: 0x7fff_fffd, name: "DT_AUXILIARY")
    static let filter = Self(number: 0x7fff_ffff, name: "DT_FILTER")
}

/// The entries of the dynamic section up to DT_NULL.
///
/// Read where the loader reads it: at its address in memory, which must agree with its place in
/// the file.
struct DynamicSection {
    private struct Entry {
        let tag: UInt64
        let value: UInt64
    }
    private var entries: [Entry] = []

    /// - Throws: ``PluginImageError`` with `malformed` when there is none, it is not in the file
    ///   bytes of one segment, it has no end, or more than ``ElfLimits/dynamicEntries`` entries.
    init(bytes: RawSpan, segments: ElfSegments) throws(PluginImageError) {
        guard let place = segments.dynamic else {
            throw .malformed("the file has no dynamic section (PT_DYNAMIC)")
        }
        guard let range = segments.loads.fileRange(of: place.address, count: place.size) else {
            throw .malformed(
                "the file's dynamic section, \(grouped(place.size)) bytes at"
                    + " \(hexadecimal(place.address)), is not inside one segment's file bytes")
        }
        guard range.offset == place.fileOffset else {
            throw .malformed(
                "the file's dynamic section is at byte \(grouped(place.fileOffset)) by its header"
                    + " and at byte \(grouped(range.offset)) by its address")
        }
        var index: UInt64 = 0
        while let at = range.entry(index, size: 16) {
            let tag = try bytes.load(UInt64.self, at: at)
            if tag == 0 { return }
            guard index < UInt64(ElfLimits.dynamicEntries) else {
                throw .malformed(
                    "the file's dynamic section has more than"
                        + " \(grouped(ElfLimits.dynamicEntries)) entries")
            }
            entries.append(Entry(tag: tag, value: try bytes.load(UInt64.self, at: at + 8)))
            index += 1
        }
        throw .malformed(
            "the file's dynamic section of \(grouped(index)) entries has no end (DT_NULL)")
    }

    /// The value of a tag that may stand once; nil when it does not stand at all.
    func value(of tag: DynamicTag) throws(PluginImageError) -> UInt64? {
        let found = values(of: tag)
        guard found.count <= 1 else {
            throw .malformed("the file's dynamic section has \(tag.name) \(found.count) times")
        }
        return found.first
    }

    /// The value of a tag that must stand exactly once.
    func required(_ tag: DynamicTag) throws(PluginImageError) -> UInt64 {
        guard let value = try value(of: tag) else {
            throw .malformed("the file's dynamic section has no \(tag.name)")
        }
        return value
    }

    /// Checks a tag that states an entry size; a missing one is as good as the right one.
    func expect(_ tag: DynamicTag, toBe size: UInt64) throws(PluginImageError) {
        guard let stated = try value(of: tag), stated != size else { return }
        throw .malformed("the file's \(tag.name) is \(grouped(stated)), \(size) is right")
    }

    func values(of tag: DynamicTag) -> [UInt64] {
        var result: [UInt64] = []
        for entry in entries where entry.tag == tag.number { result.append(entry.value) }
        return result
    }
}

/// The dynamic string table.
struct StringTable {
    let range: FileRange
    private var kept = 0

    init(dynamic: DynamicSection, segments: [ElfSegment]) throws(PluginImageError) {
        let address = try dynamic.required(.strings)
        let size = try dynamic.required(.stringSize)
        guard let range = segments.fileRange(of: address, count: size) else {
            throw .malformed(
                "the file's string table, \(grouped(size)) bytes at \(hexadecimal(address)),"
                    + " is not inside one segment's file bytes")
        }
        self.range = range
    }

    /// The bytes from `index` up to its NUL.
    ///
    /// - Throws: ``PluginImageError`` with `malformed` when `index` is past the table or no NUL
    ///   follows within ``ElfLimits/nameLength`` bytes and within the table.
    func name(at index: UInt64, in bytes: RawSpan) throws(PluginImageError) -> [UInt8] {
        guard let rest = range.dropping(index), rest.count > 0 else {
            throw .malformed(
                "the file names a string at byte \(grouped(index)) of a string table of"
                    + " \(grouped(range.count)) bytes")
        }
        var name: [UInt8] = []
        var position = rest.offset
        let end = position + min(rest.count, UInt64(ElfLimits.nameLength) + 1)
        while position < end {
            let byte = try bytes.load(UInt8.self, at: position)
            if byte == 0 { return name }
            name.append(byte)
            position += 1
        }
        throw .malformed(
            "the file's string at byte \(grouped(index)) of its string table does not end within"
                + " \(grouped(min(rest.count, UInt64(ElfLimits.nameLength)))) bytes")
    }

    /// The same as text to be kept.
    ///
    /// - Throws: `malformed` also when it is not UTF-8, or when all that was kept would pass
    ///   ``ElfLimits/keptNames``.
    mutating func text(at index: UInt64, in bytes: RawSpan) throws(PluginImageError) -> String {
        let name = try name(at: index, in: bytes)
        kept += name.count
        guard kept <= ElfLimits.keptNames else {
            throw .malformed(
                "the file names more libraries, paths and versions than fit"
                    + " \(grouped(ElfLimits.keptNames)) bytes")
        }
        guard let text = String(validating: name, as: UTF8.self) else {
            throw .malformed(
                "the file's string at byte \(grouped(index)) of its string table is not UTF-8")
        }
        return text
    }

    /// Compares without making a copy; false as well when the string runs out of the table.
    func holds(
        _ name: [UInt8], at index: UInt64, in bytes: RawSpan
    ) throws(PluginImageError) -> Bool {
        guard let rest = range.dropping(index), rest.count > UInt64(name.count) else {
            return false
        }
        for (position, expected) in name.enumerated()
        where try bytes.load(UInt8.self, at: rest.offset + UInt64(position)) != expected {
            return false
        }
        return try bytes.load(UInt8.self, at: rest.offset + UInt64(name.count)) == 0
    }
}
