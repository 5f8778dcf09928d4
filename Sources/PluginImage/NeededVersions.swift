/// The symbol versions that a file needs from one library (DT_VERNEED).
package struct NeededVersions: Hashable, Sendable {
    package struct Version: Hashable, Sendable {
        package let name: String
        /// The loader only warns when a weak one is missing.
        package let isWeak: Bool
    }
    /// The library's name, as in DT_NEEDED.
    package let file: String
    package let versions: [Version]
}

/// Reads the chain of `Elf64_Verneed` and `Elf64_Vernaux` records (LSB Core, symbol versioning).
///
/// Like the loader it follows the links, which only go forward, and not the stated counts.
struct NeededVersionsReader {
    private let range: FileRange
    private var strings: StringTable
    private var total = 0

    static func read(
        bytes: RawSpan, dynamic: DynamicSection, segments: [ElfSegment],
        strings: inout StringTable
    ) throws(PluginImageError) -> [NeededVersions] {
        guard let address = try dynamic.value(of: .neededVersions) else { return [] }
        guard let range = segments.fileRange(from: address) else {
            throw .malformed(
                "the file's table of needed versions at \(hexadecimal(address))"
                    + " is not in the file")
        }
        var reader = Self(range: range, strings: strings)
        let files = try reader.files(bytes)
        strings = reader.strings
        return files
    }

    private init(range: FileRange, strings: StringTable) {
        self.range = range
        self.strings = strings
    }

    private mutating func files(_ bytes: RawSpan) throws(PluginImageError) -> [NeededVersions] {
        var result: [NeededVersions] = []
        var position: UInt64 = 0
        while true {
            let at = try record(at: position)
            guard try bytes.load(UInt16.self, at: at) == 1 else {
                throw .malformed("the file's table of needed versions is of an unknown revision")
            }
            guard result.count < ElfLimits.needed else {
                throw .malformed(
                    "the file needs versions from more than \(ElfLimits.needed) libraries")
            }
            let first = UInt64(try bytes.load(UInt32.self, at: at + 8))
            let file = try strings.text(
                at: UInt64(try bytes.load(UInt32.self, at: at + 4)), in: bytes)
            result.append(
                NeededVersions(
                    file: file, versions: try versions(bytes, from: position + first)))
            let step = UInt64(try bytes.load(UInt32.self, at: at + 12))
            if step == 0 { return result }
            position += step
        }
    }

    private mutating func versions(
        _ bytes: RawSpan, from start: UInt64
    ) throws(PluginImageError) -> [NeededVersions.Version] {
        var result: [NeededVersions.Version] = []
        var position = start
        while true {
            let at = try record(at: position)
            guard total < ElfLimits.neededVersions else {
                throw .malformed(
                    "the file needs more than \(grouped(ElfLimits.neededVersions)) versions")
            }
            total += 1
            let name = try strings.text(
                at: UInt64(try bytes.load(UInt32.self, at: at + 8)), in: bytes)
            let flags = try bytes.load(UInt16.self, at: at + 4)
            result.append(NeededVersions.Version(name: name, isWeak: flags & 2 != 0))
            let step = UInt64(try bytes.load(UInt32.self, at: at + 12))
            if step == 0 { return result }
            position += step
        }
    }

    /// Where the record at this position of the table starts in the file.
    ///
    /// Both kinds are 16 bytes. A link is below 2³² and starts from a record inside the table, so
    /// positions stay far from overflowing.
    private func record(at position: UInt64) throws(PluginImageError) -> UInt64 {
        guard let rest = range.dropping(position), rest.count >= 16 else {
            throw .malformed(
                "the file's table of needed versions leads to byte \(grouped(position)) of"
                    + " \(grouped(range.count))")
        }
        return rest.offset
    }
}
