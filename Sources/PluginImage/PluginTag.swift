/// The data symbol `bahost_plugin` that makes a shared object a plugin, read without running it.
///
/// Layout: SDK/include/bahost/version.h. Reading it checks only what holds for every major version;
/// the rest is judged by ``LoadRules`` once the major version is known to be the host's.
package struct PluginTag: Hashable, Sendable {
    package static let symbolName = "bahost_plugin"
    /// The shortest `struct_size` that is read; shorter is `abi_mismatch`.
    package static let shortestSize: UInt32 = 160
    /// `struct_size` of ABI 0.x.
    package static let knownSize: UInt32 = 192

    package static let registersByMain: UInt64 = 1 << 0
    package static let usesSwift: UInt64 = 1 << 1

    package let structSize: UInt32
    package let abiMajor: UInt16
    package let abiMinor: UInt16
    package let requiredFeatures: UInt64
    package let flags: UInt64
    /// For people; empty when unreadable, and then ``defects`` says so.
    package let name: String
    /// The plugin's own version.
    package let version: String
    /// `swift-6.3`, or empty.
    package let toolchain: String
    /// Where it starts in the file, and where in memory counted from the load address.
    ///
    /// After loading, `structSize` bytes there must equal those of the file.
    package let fileOffset: Int
    package let address: UInt64

    /// True when it lies beside code: what gold does with constants, and GNU ld on aarch64.
    package let isInExecutableSegment: Bool

    /// What is wrong with its text fields or reserved bytes, if anything is.
    let defects: [PluginImageError]

    package var registersByMain: Bool { flags & Self.registersByMain != 0 }
    package var usesSwift: Bool { flags & Self.usesSwift != 0 }

    /// Finds and reads it.
    ///
    /// - Throws: ``PluginImageError`` with `noTag`, `tagMalformed` or `tagTooShort`.
    init(bytes: RawSpan, elf: ElfFile) throws(PluginImageError) {
        guard let symbol = try elf.exportedSymbol(Self.symbolName, in: bytes) else {
            throw PluginImageError(
                .noTag,
                "the file has no tag: it exports no data symbol \(Self.symbolName)"
                    + " (the macro BAHOST_PLUGIN writes it)")
        }
        let range = try Self.place(of: symbol, elf: elf)
        structSize = try Self.readSize(bytes, range)
        if let hit = try elf.relocations.firstTouching(
            symbol.address..<symbol.address + symbol.size, in: bytes)
        {
            throw .tag(
                "the file's tag is changed while loading: a relocation writes at"
                    + " \(hexadecimal(hit)), the tag is at \(hexadecimal(symbol.address))")
        }
        let start = range.offset
        abiMajor = try bytes.load(UInt16.self, at: start + 12)
        abiMinor = try bytes.load(UInt16.self, at: start + 14)
        requiredFeatures = try bytes.load(UInt64.self, at: start + 16)
        flags = try bytes.load(UInt64.self, at: start + 24)
        let name = try TagText(bytes, at: start + 32, size: 64, field: "name")
        let version = try TagText(bytes, at: start + 96, size: 32, field: "version")
        let toolchain = try TagText(bytes, at: start + 128, size: 32, field: "toolchain")
        self.name = name.text
        self.version = version.text
        self.toolchain = toolchain.text
        fileOffset = Int(start)
        address = symbol.address
        isInExecutableSegment =
            elf.segments.containing(symbol.address)?.isExecutable ?? false
        let reserved = try Self.reservedDefect(bytes, start, structSize)
        defects = [name.defect, version.defect, toolchain.defect, reserved].compactMap { $0 }
    }

    /// Where the symbol's bytes lie in the file, all of them in one segment.
    private static func place(
        of symbol: ElfSymbol, elf: ElfFile
    ) throws(PluginImageError) -> FileRange {
        let name = "the file's symbol \(symbolName)"
        guard symbol.kind == .object, symbol.isRelative else {
            throw .tag(
                symbol.kind == .function
                    ? "\(name) is a function, not data" : "\(name) is not a data object")
        }
        guard symbol.binding == .global || symbol.binding == .weak else {
            throw .tag("\(name) is neither global nor weak")
        }
        guard symbol.visibility == .normal else {
            throw .tag("\(name) has not the default visibility")
        }
        let place = "\(grouped(symbol.size)) bytes at \(hexadecimal(symbol.address))"
        guard symbol.address.isMultiple(of: 8) else {
            throw .tag("\(name), \(place), is not aligned to 8 bytes")
        }
        guard let range = elf.segments.fileRange(of: symbol.address, count: symbol.size) else {
            throw .tag("\(name), \(place), is not inside one segment's file bytes")
        }
        guard symbol.size >= 12 else {
            throw .tag("\(name), \(place), is too short for a magic number and a size")
        }
        return range
    }

    private static func readSize(
        _ bytes: RawSpan, _ range: FileRange
    ) throws(PluginImageError) -> UInt32 {
        for (index, expected) in "BAHOSTP\0".utf8.enumerated()
        where try bytes.load(UInt8.self, at: range.offset + UInt64(index)) != expected {
            throw .tag("the file's tag does not start with the magic number BAHOSTP and a NUL")
        }
        let size = try bytes.load(UInt32.self, at: range.offset + 8)
        guard size >= shortestSize else {
            throw PluginImageError(
                .tagTooShort,
                "the file's tag says it is \(size) bytes long,"
                    + " this host needs at least \(shortestSize)")
        }
        guard UInt64(size) <= range.count else {
            throw .tag(
                "the file's tag says it is \(grouped(UInt64(size))) bytes long but its symbol has"
                    + " only \(grouped(range.count))")
        }
        return size
    }

    private static func reservedDefect(
        _ bytes: RawSpan, _ start: UInt64, _ size: UInt32
    ) throws(PluginImageError) -> PluginImageError? {
        for offset in UInt64(shortestSize)..<UInt64(min(size, knownSize))
        where try bytes.load(UInt8.self, at: start + offset) != 0 {
            return .tag("the file's tag has a reserved byte at \(offset) that is not zero")
        }
        return nil
    }
}

/// One of the tag's fixed-size text fields.
private struct TagText {
    var text = ""
    var defect: PluginImageError?

    init(_ bytes: RawSpan, at start: UInt64, size: Int, field: String) throws(PluginImageError) {
        var content: [UInt8] = []
        var byte = try bytes.load(UInt8.self, at: start)
        while byte != 0 {
            content.append(byte)
            guard content.count < size else {
                defect = .tag("the file's tag has no NUL in the \(size) bytes of its \(field)")
                return
            }
            byte = try bytes.load(UInt8.self, at: start + UInt64(content.count))
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            defect = .tag("the file's tag has a \(field) that is not UTF-8")
            return
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            defect = .tag("the file's tag has a control character in its \(field) \(quoted(text))")
            return
        }
        self.text = text
    }
}

extension PluginImageError {
    fileprivate static func tag(_ sentence: String) -> Self { Self(.tagMalformed, sentence) }
}
