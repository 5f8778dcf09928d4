/// The dynamic symbol table with the hash table that bounds it.
///
/// Looks names up the way glibc does (elf/dl-lookup.c): by DT_GNU_HASH when there is one, else by
/// DT_HASH, so that a name is found here exactly when `dlsym` finds it.
struct SymbolTable: Sendable {
    private let symbols: FileRange
    private let strings: StringTable
    private let versions: FileRange?
    private let hash: SymbolHash

    init?(
        bytes: RawSpan, dynamic: DynamicSection, segments: [ElfSegment], strings: StringTable
    ) throws(PluginImageError) {
        guard let address = try dynamic.value(of: .symbols) else { return nil }
        try dynamic.expect(.symbolEntry, toBe: ElfSymbol.size)
        guard let symbols = segments.fileRange(from: address) else {
            throw .malformed(
                "the file's symbol table at \(hexadecimal(address)) is not in the file")
        }
        self.symbols = symbols
        self.strings = strings
        versions = try Self.versions(dynamic: dynamic, segments: segments)
        if let address = try dynamic.value(of: .gnuHash) {
            hash = .gnu(try GnuHash(bytes: bytes, address: address, segments: segments))
        } else if let address = try dynamic.value(of: .hash) {
            hash = .systemV(try SystemVHash(bytes: bytes, address: address, segments: segments))
        } else {
            throw .malformed("the file has a symbol table but no DT_GNU_HASH and no DT_HASH")
        }
    }

    private static func versions(
        dynamic: DynamicSection, segments: [ElfSegment]
    ) throws(PluginImageError) -> FileRange? {
        guard let address = try dynamic.value(of: .symbolVersions) else { return nil }
        guard let range = segments.fileRange(from: address) else {
            throw .malformed(
                "the file's table of symbol versions at \(hexadecimal(address))"
                    + " is not in the file")
        }
        return range
    }

    /// The exported symbol of this name, or nil.
    ///
    /// - Throws: ``PluginImageError`` with `malformed` when a chain leaves its table or does not
    ///   end, or when two exported symbols have this name.
    func exported(_ name: String, in bytes: RawSpan) throws(PluginImageError) -> ElfSymbol? {
        let utf8 = Array(name.utf8)
        var found: ElfSymbol?
        var walk = try hash.start(of: utf8, in: bytes)
        while let index = try walk.next(in: bytes) {
            guard let at = symbols.entry(UInt64(index), size: ElfSymbol.size) else {
                throw .malformed(
                    "the file's hash table leads to symbol \(grouped(UInt64(index))), past its"
                        + " symbol table")
            }
            let nameIndex = UInt64(try bytes.load(UInt32.self, at: at))
            guard try strings.holds(utf8, at: nameIndex, in: bytes) else { continue }
            let symbol = try self.symbol(at: index, in: bytes)
            guard symbol.isExported else { continue }
            guard found == nil else {
                throw .malformed("the file exports two symbols named \(quoted(name))")
            }
            found = symbol
        }
        return found
    }

    private func symbol(at index: UInt32, in bytes: RawSpan) throws(PluginImageError) -> ElfSymbol {
        guard let at = symbols.entry(UInt64(index), size: ElfSymbol.size) else {
            throw .malformed("the file's symbol \(grouped(UInt64(index))) is past its symbol table")
        }
        var version: UInt16 = 0
        if let versions {
            guard let entry = versions.entry(UInt64(index), size: 2) else {
                throw .malformed(
                    "the file's symbol \(grouped(UInt64(index))) is past its table of versions")
            }
            version = try bytes.load(UInt16.self, at: entry)
        }
        return try ElfSymbol(bytes: bytes, at: at, version: version)
    }

    /// How many symbols there are, the null entry included.
    private func count(in bytes: RawSpan) throws(PluginImageError) -> UInt32 {
        let count = try hash.symbolCount(in: bytes)
        guard count <= UInt32(ElfLimits.symbols) else {
            throw .malformed(
                "the file has \(grouped(UInt64(count))) symbols, more than"
                    + " \(grouped(ElfLimits.symbols))")
        }
        return count
    }

    private func name(at index: UInt32, in bytes: RawSpan) throws(PluginImageError) -> [UInt8] {
        let at = symbols.offset + UInt64(index) * ElfSymbol.size
        return try strings.name(at: UInt64(try bytes.load(UInt32.self, at: at)), in: bytes)
    }

    /// Hands every symbol with its name to `body`, in table order, without its null entry.
    func forEach(
        in bytes: RawSpan, _ body: (ElfSymbol, [UInt8]) -> Void
    ) throws(PluginImageError) {
        for index in 0..<(try count(in: bytes)) where index > 0 {
            let symbol = try self.symbol(at: index, in: bytes)
            body(symbol, try name(at: index, in: bytes))
        }
    }

    /// The names are read only while there is room for them.
    func exports(in bytes: RawSpan) throws(PluginImageError) -> ExportList {
        var list = ExportList()
        for index in 0..<(try count(in: bytes)) where index > 0 {
            let symbol = try self.symbol(at: index, in: bytes)
            guard symbol.isExported else { continue }
            list.count += 1
            if list.hasRoom { list.append(symbol, try name(at: index, in: bytes)) }
        }
        return list
    }
}
