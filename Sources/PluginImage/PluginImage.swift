/// A shared object with a readable tag: everything the worker must know before it loads it.
///
/// Says what the file is, not whether it may run: that is ``LoadRules``. Holds no view of the
/// bytes it was read from.
package struct PluginImage: Sendable {
    package let elf: ElfFile
    package let tag: PluginTag
    /// Those of the names asked for that the file exports as functions, in the order asked.
    package let entryPoints: [String]
    package let exportsMain: Bool

    /// Reads a plugin.
    ///
    /// - Parameters:
    ///   - bytes: The whole file, see ``ElfFile``.
    ///   - machine: What it must be made for; nil accepts both.
    ///   - names: The entry points to look for.
    ///   - pageSize: The page size to round by.
    /// - Throws: ``PluginImageError``: what ``ElfFile`` throws, and `noTag`, `tagMalformed` or
    ///   `tagTooShort`.
    package init(
        bytes: RawSpan, expecting machine: Machine?, lookingFor names: [String],
        pageSize: UInt64 = 4_096
    ) throws(PluginImageError) {
        let elf = try ElfFile(bytes: bytes, expecting: machine, pageSize: pageSize)
        tag = try PluginTag(bytes: bytes, elf: elf)
        var found: [String] = []
        for name in names where try elf.exportsFunction(name, in: bytes) { found.append(name) }
        entryPoints = found
        exportsMain = try elf.exportsFunction("main", in: bytes)
        self.elf = elf
    }

    /// What an ``ImageDescription`` has read without a fault.
    init(elf: ElfFile, tag: PluginTag, entryPoints: [String], exportsMain: Bool) {
        self.elf = elf
        self.tag = tag
        self.entryPoints = entryPoints
        self.exportsMain = exportsMain
    }

    package var needed: [String] { elf.needed }
    package var runPaths: [String] { elf.runPaths }
    package var symbolVersions: [NeededVersions] { elf.symbolVersions }
    package var loadNeed: LoadNeed { elf.loadNeed }

    /// True when it uses the Swift runtime of the system rather than one linked into it.
    package var needsSwiftRuntime: Bool {
        elf.needsSwiftRuntime
    }

    /// True when a Swift runtime is linked into it.
    package var hasOwnSwiftRuntime: Bool { tag.usesSwift && !needsSwiftRuntime }
}
