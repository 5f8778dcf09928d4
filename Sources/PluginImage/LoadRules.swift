/// A version of two numbers, such as a glibc's or a Swift toolchain's.
package struct MajorMinor: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: Int
    package let minor: Int

    package init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads `2.36`, `2.2.5` or `6.3.1`: two or three decimal numbers below 100,000; what is after
    /// the second is ignored.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...5).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            numbers.append(part.reduce(0) { $0 * 10 + Int($1) - 0x30 })
        }
        self.init(numbers[0], numbers[1])
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var description: String { "\(major).\(minor)" }
}

/// What this host opens: facts of the host held against facts of a file (docs/threat-model.md,
/// SDK/ABI.md).
///
/// Pure: no file is opened and no path followed. Paths are compared component by component after
/// `.` and `..` are taken out of the text; symbolic links are the sandbox's business.
package struct LoadRules: Sendable {
    package var abiMajor: UInt16
    package var abiMinor: UInt16
    /// The feature bits of SDK/ABI.md that the host has.
    package var features: UInt64
    /// The most that writable segments may take.
    package var writableLimitBytes: UInt64
    /// The folder of the plugin, absolute.
    package var pluginFolder: String
    /// The folder that `$ORIGIN` stands for in a library that the plugin brings; nil is the plugin's.
    package var originFolder: String?
    /// Absolute folders that libraries may come from besides.
    package var libraryFolders: [String]
    /// Nil when the host has no runtime to compare with, or the plugin is to run on its own.
    package var swiftRuntime: MajorMinor?
    /// True for a plugin with a Swift runtime in its own folder, which then may be of any version.
    package var bringsSwiftRuntime = false
    /// Nil leaves needed versions to the loader.
    package var glibc: MajorMinor?

    /// The largest alignment of a segment.
    package static let largestAlignment: UInt64 = 2 << 20

    /// The most reasons that are listed of one file.
    package static let mostRefusals = 48

    package init(
        abiMajor: UInt16, abiMinor: UInt16, features: UInt64, writableLimitBytes: UInt64,
        pluginFolder: String, libraryFolders: [String], swiftRuntime: MajorMinor?,
        glibc: MajorMinor?
    ) {
        self.abiMajor = abiMajor
        self.abiMinor = abiMinor
        self.features = features
        self.writableLimitBytes = writableLimitBytes
        self.pluginFolder = pluginFolder
        self.libraryFolders = libraryFolders
        self.swiftRuntime = swiftRuntime
        self.glibc = glibc
    }

    /// The first reason not to load this plugin, or nil; mismatches of version come first.
    package func refusal(of image: PluginImage) -> PluginImageError? {
        refusals(of: image, atMost: 1).first
    }

    /// The first reason not to load this file, plugin or library that a plugin brings, or nil.
    package func refusal(of elf: ElfFile) -> PluginImageError? {
        refusals(of: elf, atMost: 1).first
    }

    /// Every reason not to load this plugin, in the order of ``refusal(of:)-(PluginImage)``.
    ///
    /// - Parameters:
    ///   - image: The plugin.
    ///   - count: The most reasons to look for.
    /// - Returns: The reasons; none when it would be loaded.
    package func refusals(
        of image: PluginImage, atMost count: Int = LoadRules.mostRefusals
    ) -> [PluginImageError] {
        var list = RefusalList(atMost: count)
        judge(image.tag, &list)
        judgeToolchain(of: image, &list)
        judgeEntryPoints(of: image, &list)
        judge(image.elf, hasOwnSwiftRuntime: image.hasOwnSwiftRuntime, &list)
        return list.refusals
    }

    /// Every reason not to load this file, tag or no tag.
    ///
    /// - Parameters:
    ///   - elf: The plugin, or a library that a plugin brings.
    ///   - count: The most reasons to look for.
    /// - Returns: The reasons; none when it would be loaded.
    package func refusals(
        of elf: ElfFile, atMost count: Int = LoadRules.mostRefusals
    ) -> [PluginImageError] {
        var list = RefusalList(atMost: count)
        judge(elf, hasOwnSwiftRuntime: false, &list)
        return list.refusals
    }

    private func judge(_ elf: ElfFile, hasOwnSwiftRuntime: Bool, _ list: inout RefusalList) {
        list.add(elf.openingRefusal)
        judgeMapping(of: elf, &list)
        judgeWritable(of: elf, hasOwnSwiftRuntime: hasOwnSwiftRuntime, &list)
        judgeNeeded(of: elf, &list)
        judgeRunPaths(of: elf, &list)
        judgeSymbolVersions(of: elf, &list)
    }

    private func judgeMapping(of elf: ElfFile, _ list: inout RefusalList) {
        if elf.stack == .executable {
            list.add(
                .executableStack,
                "the file asks for an executable stack (link with -z noexecstack)")
        } else if elf.stack == .unsaid, elf.machine == .x86_64 {
            list.add(
                .executableStack,
                "the file asks for an executable stack by saying nothing of it: it has no"
                    + " PT_GNU_STACK header (link with -z noexecstack)")
        }
        if elf.hasTextRelocations {
            list.add(
                .textRelocations,
                "the file has relocations in segments that cannot be written (DT_TEXTREL):"
                    + " compile it with -fPIC")
        }
        for segment in elf.segments where segment.alignment > Self.largestAlignment {
            list.add(
                .alignmentTooLarge,
                "the file's segment \(segment.index) has the alignment"
                    + " \(grouped(segment.alignment)), at most"
                    + " \(grouped(Self.largestAlignment)) is accepted")
        }
    }

    private func judgeWritable(
        of elf: ElfFile, hasOwnSwiftRuntime: Bool, _ list: inout RefusalList
    ) {
        let writable = elf.loadNeed.writableBytes
        guard writable > writableLimitBytes else { return }
        list.add(
            .writableOverLimit,
            "the file's writable segments take \(grouped(writable)) bytes, the memory limit is"
                + " \(grouped(writableLimitBytes))"
                + (hasOwnSwiftRuntime ? ": link the Swift runtime dynamically" : ""))
    }

    /// The newest version of glibc that it needs decides.
    private func judgeSymbolVersions(of elf: ElfFile, _ list: inout RefusalList) {
        guard let glibc else { return }
        var worst: (version: MajorMinor, name: String, file: String)?
        for library in elf.symbolVersions {
            for version in library.versions where !version.isWeak {
                guard version.name.utf8.starts(with: "GLIBC_".utf8),
                    let number = MajorMinor(version.name.dropFirst("GLIBC_".count)),
                    number > (worst?.version ?? glibc)
                else { continue }
                worst = (number, version.name, library.file)
            }
        }
        guard let worst else { return }
        list.add(
            .missingSymbolVersion,
            "the file needs \(worst.name) from \(quoted(worst.file)), this system's glibc is"
                + " \(glibc)")
    }
}
