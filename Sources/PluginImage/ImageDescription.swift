/// Whatever can be read of a file, plugin or not, and all that stood in the way.
///
/// Where ``PluginImage`` stops at the first fault, this goes on as long as there is sense in it.
package struct ImageDescription: Sendable {
    /// What kind of file it is, in a few words: see ``FileKind``.
    package let kind: String

    /// Nil when it is not a shared object of a machine that a plugin can be made for, or broken.
    package private(set) var elf: ElfFile?

    /// Nil when there is none that can be read.
    package private(set) var tag: PluginTag?

    /// Those of the names asked for that the file exports as functions, in the order asked.
    package private(set) var entryPoints: [String] = []
    package private(set) var exportsMain = false
    package private(set) var exports = ExportList()

    /// Faults found while reading.
    package private(set) var faults: [PluginImageError] = []

    /// Reads what can be read.
    ///
    /// - Parameters:
    ///   - bytes: The whole file, see ``ElfFile``.
    ///   - machine: What it must be made for; another one is a fault, and is read all the same.
    ///   - names: The entry points to look for.
    ///   - pageSize: The page size to round by.
    package init(
        bytes: RawSpan, expecting machine: Machine, lookingFor names: [String],
        pageSize: UInt64 = 4_096
    ) {
        kind = FileKind.words(for: bytes)
        guard
            let elf = attempt({ () throws(PluginImageError) in
                try ElfFile(describing: bytes, expecting: nil, pageSize: pageSize)
            })
        else { return }
        self.elf = elf
        if elf.machine != machine { faults.append(.otherMachine(elf.machine, than: machine)) }
        tag = attempt { () throws(PluginImageError) in try PluginTag(bytes: bytes, elf: elf) }
        for name in names {
            let isThere = attempt { () throws(PluginImageError) in
                try elf.exportsFunction(name, in: bytes)
            }
            if isThere == true { entryPoints.append(name) }
        }
        exportsMain =
            attempt { () throws(PluginImageError) in
                try elf.exportsFunction("main", in: bytes)
            } ?? false
        exports =
            attempt { () throws(PluginImageError) in try elf.exports(in: bytes) } ?? ExportList()
    }

    /// Nil without a tag that can be read.
    var image: PluginImage? {
        guard let elf, let tag else { return nil }
        return PluginImage(elf: elf, tag: tag, entryPoints: entryPoints, exportsMain: exportsMain)
    }

    private mutating func attempt<Result>(
        _ body: () throws(PluginImageError) -> Result
    ) -> Result? {
        do { return try body() } catch {
            // One broken table is found by everyone who reads it.
            if !faults.contains(error) { faults.append(error) }
            return nil
        }
    }
}

extension LoadRules {
    /// Every reason not to load this file: what was found while reading comes first.
    ///
    /// - Parameter description: The file.
    /// - Returns: At most ``mostRefusals`` reasons; none when it would be loaded.
    package func refusals(of description: ImageDescription) -> [PluginImageError] {
        var list = RefusalList(atMost: Self.mostRefusals)
        list.add(description.faults)
        if let image = description.image {
            list.add(refusals(of: image))
        } else if let elf = description.elf {
            list.add(refusals(of: elf))
        }
        return list.refusals
    }
}
