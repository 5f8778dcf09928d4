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
        versionRefusal(of: image.tag)
            ?? tagRefusal(of: image.tag)
            ?? toolchainRefusal(of: image)
            ?? entryPointRefusal(of: image)
            ?? refusal(
                of: image.elf,
                hasOwnSwiftRuntime: image.tag.usesSwift && !image.needsSwiftRuntime)
    }

    /// The first reason not to load this file, plugin or library that a plugin brings, or nil.
    package func refusal(of elf: ElfFile) -> PluginImageError? {
        refusal(of: elf, hasOwnSwiftRuntime: false)
    }

    private func refusal(of elf: ElfFile, hasOwnSwiftRuntime: Bool) -> PluginImageError? {
        mappingRefusal(of: elf)
            ?? writableRefusal(of: elf, hasOwnSwiftRuntime: hasOwnSwiftRuntime)
            ?? neededRefusal(of: elf)
            ?? runPathRefusal(of: elf)
            ?? symbolVersionRefusal(of: elf)
    }

    private func versionRefusal(of tag: PluginTag) -> PluginImageError? {
        guard tag.abiMajor == abiMajor else {
            return PluginImageError(
                .abiMajorMismatch,
                "the file is made for plugin ABI \(tag.abiMajor).\(tag.abiMinor),"
                    + " this host has \(abiMajor).\(abiMinor): another major version")
        }
        guard tag.abiMinor <= abiMinor else {
            return PluginImageError(
                .abiMinorMismatch,
                "the file is made for plugin ABI \(tag.abiMajor).\(tag.abiMinor),"
                    + " this host has only \(abiMajor).\(abiMinor)")
        }
        let unknown = tag.requiredFeatures & ~features
        guard unknown == 0 else {
            return PluginImageError(
                .unknownRequiredFeature,
                "the file requires feature bit \(unknown.trailingZeroBitCount)"
                    + " (required_features is \(hexadecimal(tag.requiredFeatures))),"
                    + " this host has \(hexadecimal(features))")
        }
        return nil
    }

    private func tagRefusal(of tag: PluginTag) -> PluginImageError? {
        if let defect = tag.defect { return defect }
        if tag.isInExecutableSegment {
            return PluginImageError(
                .tagMalformed,
                "the file's tag at \(hexadecimal(tag.address)) is in an executable segment"
                    + " (link with -z separate-code, or --rosegment for gold)")
        }
        let unknown = tag.flags & ~(PluginTag.registersByMain | PluginTag.usesSwift)
        guard unknown != 0 else { return nil }
        return PluginImageError(
            .tagMalformed,
            "the file's tag has the unknown flag bit \(unknown.trailingZeroBitCount)"
                + " (flags is \(hexadecimal(tag.flags)))")
    }

    /// Judges only a plugin that shares the system's Swift runtime; one that carries its own fits.
    private func toolchainRefusal(of image: PluginImage) -> PluginImageError? {
        let toolchain = image.tag.toolchain
        guard toolchain.utf8.starts(with: "swift-".utf8) else { return nil }
        guard let built = MajorMinor(toolchain.dropFirst("swift-".count)) else {
            return PluginImageError(
                .tagMalformed,
                "the file's tag names the toolchain \(quoted(toolchain)), swift-MAJOR.MINOR is"
                    + " expected")
        }
        guard let swiftRuntime, image.needsSwiftRuntime, built != swiftRuntime,
            !bringsSwiftRuntime
        else { return nil }
        return PluginImageError(
            .toolchainMismatch,
            "the file is built with Swift \(built) and this host's runtime is Swift"
                + " \(swiftRuntime)")
    }

    private func entryPointRefusal(of image: PluginImage) -> PluginImageError? {
        if image.entryPoints.isEmpty {
            return PluginImageError(
                .noEntryPoint, "the file has a tag but exports none of the entry points")
        }
        if image.tag.registersByMain, !image.exportsMain {
            return PluginImageError(
                .noEntryPoint,
                "the file's tag says that it registers by main but it exports no function main")
        }
        return nil
    }

    private func mappingRefusal(of elf: ElfFile) -> PluginImageError? {
        if elf.stack == .executable || (elf.stack == .unsaid && elf.machine == .x86_64) {
            return PluginImageError(
                .executableStack,
                elf.stack == .executable
                    ? "the file asks for an executable stack (link with -z noexecstack)"
                    : "the file asks for an executable stack by saying nothing of it: it has no"
                        + " PT_GNU_STACK header (link with -z noexecstack)")
        }
        if elf.hasTextRelocations {
            return PluginImageError(
                .textRelocations,
                "the file has relocations in segments that cannot be written (DT_TEXTREL):"
                    + " compile it with -fPIC")
        }
        for segment in elf.segments where segment.alignment > Self.largestAlignment {
            return PluginImageError(
                .alignmentTooLarge,
                "the file's segment \(segment.index) has the alignment"
                    + " \(grouped(segment.alignment)), at most"
                    + " \(grouped(Self.largestAlignment)) is accepted")
        }
        return nil
    }

    private func writableRefusal(
        of elf: ElfFile, hasOwnSwiftRuntime: Bool
    ) -> PluginImageError? {
        let writable = elf.loadNeed.writableBytes
        guard writable > writableLimitBytes else { return nil }
        return PluginImageError(
            .writableOverLimit,
            "the file's writable segments take \(grouped(writable)) bytes, the memory limit is"
                + " \(grouped(writableLimitBytes))"
                + (hasOwnSwiftRuntime ? ": link the Swift runtime dynamically" : ""))
    }

    private func symbolVersionRefusal(of elf: ElfFile) -> PluginImageError? {
        guard let glibc else { return nil }
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
        guard let worst else { return nil }
        return PluginImageError(
            .missingSymbolVersion,
            "the file needs \(worst.name) from \(quoted(worst.file)), this system's glibc is"
                + " \(glibc)")
    }
}
