/// The facts of a shared object that its loader would act on, tag or no tag.
///
/// 64-bit little-endian ELF for x86-64 and aarch64. Reads only what the loader reads (program
/// headers and the dynamic section, never section headers), by address as the loader does, and
/// keeps only small copies: the bytes may be a file mapping far larger than the memory limit.
/// Every list and name is bounded by ``ElfLimits``; no input traps. Layouts: elf(5), the generic
/// ABI (chapters 4 and 5), LSB Core for versions.
package struct ElfFile: Sendable {
    package let machine: Machine
    package let byteCount: Int
    /// The PT_LOAD segments, ascending, no two on one page.
    package let segments: [ElfSegment]
    package let stack: ElfStack
    package let loadNeed: LoadNeed
    /// Why `dlopen` does not open it, by a mark in the file; nil when nothing is marked.
    let openingRefusal: PluginImageError?
    /// True when loading would write over segments that cannot be written.
    package let hasTextRelocations: Bool
    package let soname: String?
    /// DT_NEEDED, in order.
    package let needed: [String]
    /// DT_FILTER and DT_AUXILIARY: libraries that glibc loads besides.
    package let filters: [String]
    /// DT_RPATH and DT_RUNPATH as they stand: lists with colons.
    package let runPaths: [String]
    /// True when there is a DT_RPATH, which the libraries it leads to inherit, or a second list.
    package let hasOldRunPath: Bool
    package let symbolVersions: [NeededVersions]

    private let symbols: SymbolTable?
    let relocations: Relocations

    /// Reads the facts.
    ///
    /// - Parameters:
    ///   - bytes: The whole file. A mapped file must not shrink meanwhile (SIGBUS).
    ///   - machine: What it must be made for; nil accepts both.
    ///   - pageSize: The page size to round by; anything but a power of two from 4,096 on is
    ///     taken as 4,096.
    /// - Throws: ``PluginImageError`` with a code of the first two groups but `alignmentTooLarge`,
    ///   `writableOverLimit`, `executableStack` and `textRelocations`: those are
    ///   ``LoadRules``'.
    package init(
        bytes: RawSpan, expecting machine: Machine?, pageSize: UInt64 = 4_096
    ) throws(PluginImageError) {
        try self.init(describing: bytes, expecting: machine, pageSize: pageSize)
        if let refusal = openingRefusal { throw refusal }
    }

    /// Reads the facts also of what `dlopen` does not open, see ``openingRefusal``.
    init(
        describing bytes: RawSpan, expecting machine: Machine?, pageSize: UInt64
    ) throws(PluginImageError) {
        let isPageSize = pageSize >= 4_096 && pageSize & (pageSize - 1) == 0
        let header = try ElfHeader(bytes: bytes, expecting: machine)
        let headers = try ElfSegments(
            bytes: bytes, table: header.programHeaders, pageSize: isPageSize ? pageSize : 4_096)
        let dynamic = try DynamicSection(bytes: bytes, segments: headers)
        var strings = try StringTable(dynamic: dynamic, segments: headers.loads)
        self.machine = header.machine
        byteCount = bytes.byteCount
        segments = headers.loads
        stack = headers.stack
        loadNeed = headers.loadNeed
        openingRefusal = try Self.openingRefusal(dynamic)
        hasTextRelocations = try Self.hasTextRelocations(dynamic)
        if let index = try dynamic.value(of: .soname) {
            soname = try strings.text(at: index, in: bytes)
        } else {
            soname = nil
        }
        needed = try Self.names(dynamic, [.needed], ElfLimits.needed, &strings, bytes)
        filters = try Self.names(
            dynamic, [.filter, .auxiliary], ElfLimits.needed, &strings, bytes)
        runPaths = try Self.names(
            dynamic, [.rpath, .runPath], ElfLimits.runPaths, &strings, bytes)
        hasOldRunPath = !dynamic.values(of: .rpath).isEmpty || runPaths.count > 1
        symbolVersions = try NeededVersionsReader.read(
            bytes: bytes, dynamic: dynamic, segments: headers.loads, strings: &strings)
        symbols = try SymbolTable(
            bytes: bytes, dynamic: dynamic, segments: headers.loads, strings: strings)
        relocations = try Relocations(
            machine: header.machine, dynamic: dynamic, segments: headers.loads)
    }

    /// DF_1_PIE and DF_1_NOOPEN: the two marks on which `dlopen` refuses.
    private static func openingRefusal(
        _ dynamic: DynamicSection
    ) throws(PluginImageError) -> PluginImageError? {
        let flags = try dynamic.value(of: .flags1) ?? 0
        if flags & 0x0800_0000 != 0 {
            return PluginImageError(
                .notSharedObject,
                "the file is a position-independent program (DF_1_PIE), not a shared object")
        }
        if flags & 0x40 != 0 {
            return PluginImageError(
                .notSharedObject, "the file forbids opening it at run time (DF_1_NOOPEN)")
        }
        return nil
    }

    private static func hasTextRelocations(
        _ dynamic: DynamicSection
    ) throws(PluginImageError) -> Bool {
        let flags = try dynamic.value(of: .flags) ?? 0
        return flags & 4 != 0 || !dynamic.values(of: .textRelocations).isEmpty
    }

    private static func names(
        _ dynamic: DynamicSection, _ tags: [DynamicTag], _ limit: Int,
        _ strings: inout StringTable, _ bytes: RawSpan
    ) throws(PluginImageError) -> [String] {
        var result: [String] = []
        for tag in tags {
            for index in dynamic.values(of: tag) {
                guard result.count < limit else {
                    throw .malformed("the file has more than \(limit) entries of \(tag.name)")
                }
                result.append(try strings.text(at: index, in: bytes))
            }
        }
        return result
    }

    /// True when it uses a Swift runtime that is not linked into it.
    package var needsSwiftRuntime: Bool {
        needed.contains { $0.utf8.elementsEqual("libswiftCore.so".utf8) }
    }

    /// Entries of DT_RELA and DT_JMPREL, 24 bytes each.
    package var relocationCount: UInt64 { relocations.entryCount }

    /// Words of DT_RELR, each of which stands for up to 63 relocations.
    package var compactRelocationWords: UInt64 { relocations.compactWords }

    /// The symbol that `dlsym` on this file alone would find.
    ///
    /// - Parameters:
    ///   - name: The symbol's name, compared by bytes.
    ///   - bytes: The same bytes that this value was read from.
    /// - Returns: The symbol, or nil when `dlsym` would find none.
    /// - Throws: ``PluginImageError`` with `malformed`.
    package func exportedSymbol(
        _ name: String, in bytes: RawSpan
    ) throws(PluginImageError) -> ElfSymbol? {
        try symbols?.exported(name, in: bytes)
    }

    /// Hands every dynamic symbol with its name (as bytes) to `body`, needed ones included.
    ///
    /// - Parameters:
    ///   - bytes: The same bytes that this value was read from.
    ///   - body: Called once per symbol, at most ``ElfLimits/symbols`` times.
    /// - Throws: ``PluginImageError`` with `malformed`.
    package func forEachSymbol(
        in bytes: RawSpan, _ body: (ElfSymbol, [UInt8]) -> Void
    ) throws(PluginImageError) {
        try symbols?.forEach(in: bytes, body)
    }

    /// The names that `dlsym` on this file alone would find, in table order, as many as fit.
    ///
    /// - Parameter bytes: The same bytes that this value was read from.
    /// - Returns: The names, and how many there are in all.
    /// - Throws: ``PluginImageError`` with `malformed`.
    func exports(in bytes: RawSpan) throws(PluginImageError) -> ExportList {
        try symbols?.exports(in: bytes) ?? ExportList()
    }

    /// Whether an exported function of this name lies in an executable segment's file bytes.
    ///
    /// - Parameters:
    ///   - name: The function's name, compared by bytes.
    ///   - bytes: The same bytes that this value was read from.
    /// - Returns: Whether there is one.
    /// - Throws: ``PluginImageError`` with `malformed` when a function of this name lies elsewhere.
    package func exportsFunction(
        _ name: String, in bytes: RawSpan
    ) throws(PluginImageError) -> Bool {
        guard let symbol = try exportedSymbol(name, in: bytes), symbol.kind == .function else {
            return false
        }
        guard symbol.isRelative, segments.containing(symbol.address)?.isExecutable == true else {
            throw .malformed(
                "the file's function \(name) at \(hexadecimal(symbol.address)) is not in an"
                    + " executable segment")
        }
        return true
    }
}
