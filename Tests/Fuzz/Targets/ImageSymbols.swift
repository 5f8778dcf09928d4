import PluginImage

/// The symbols of a file: looked up by name, and walked.
struct ImageSymbols {
    let elf: ElfFile
    let names: [String]

    func check(_ bytes: RawSpan) throws(BrokenPromise) {
        guard let walked = walk(bytes) else { return }
        try expect(walked.count <= ElfLimits.symbols, "more symbols than are read")
        let exported = walked.filter(\.symbol.isExported).prefix(16)
        for name in names + [PluginTag.symbolName] + exported.compactMap(\.text) {
            try checkLookup(name, walked, bytes)
        }
    }

    private struct Walked {
        let symbol: ElfSymbol
        let name: [UInt8]
        var text: String? { String(validating: name, as: UTF8.self) }
    }

    /// Nil when the table is malformed.
    private func walk(_ bytes: RawSpan) -> [Walked]? {
        var walked: [Walked] = []
        do throws(PluginImageError) {
            try elf.forEachSymbol(in: bytes) { walked.append(Walked(symbol: $0, name: $1)) }
        } catch { return nil }
        return walked
    }

    /// What a look-up finds is in the table, under this name, and alone.
    private func checkLookup(
        _ name: String, _ walked: [Walked], _ bytes: RawSpan
    ) throws(BrokenPromise) {
        guard let found = try? elf.exportedSymbol(name, in: bytes) else { return }
        try expect(found.isExported, "a symbol that is not exported is found")
        try expect(
            walked.contains { $0.symbol == found && $0.name.elementsEqual(name.utf8) },
            "a symbol is found that the table does not hold")
        guard let isFunction = try? elf.exportsFunction(name, in: bytes), isFunction else { return }
        let home = elf.segments.first {
            $0.address <= found.address && found.address < $0.address + $0.fileSize
        }
        try expect(home?.isExecutable == true, "a function lies outside code")
    }
}
