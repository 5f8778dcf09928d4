import PluginImage
import WireProtocol

/// ELF bytes with facts, tag, symbols, rules and budget.
enum ImageTarget {
    private static let entryPoints = ["bahost_install", "bahost_update", "bahost_download_failed"]

    private static let rules: LoadRules = {
        var rules = LoadRules(
            abiMajor: 0, abiMinor: 1, features: 3, writableLimitBytes: 6 << 20,
            pluginFolder: "/srv/plugins", libraryFolders: ["/usr/lib"],
            swiftRuntime: MajorMinor(6, 3), glibc: MajorMinor(2, 36))
        rules.originFolder = "/srv/plugins/lib"
        return rules
    }()

    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        // SAFETY: bytes of integers, all initialised.
        let bytes = unsafe input.span.bytes
        let elf = read { () throws(PluginImageError) in
            try ElfFile(bytes: bytes, expecting: nil)
        }
        let image = read { () throws(PluginImageError) in
            try PluginImage(bytes: bytes, expecting: nil, lookingFor: entryPoints)
        }
        switch elf {
        case .failure(let refusal):
            try checkRefusal(refusal, library: nil)
            try expect(image.failure == refusal, "a plugin is refused otherwise than its file")
        case .success(let elf):
            try checkFile(elf, bytes)
            try ImageSymbols(elf: elf, names: entryPoints).check(bytes)
            if let refusal = image.failure { try checkRefusal(refusal, library: nil) }
            guard case .success(let image) = image else { return }
            try checkTag(image, input)
            try checkRules(image)
        }
    }

    private static func read<Value>(
        _ body: () throws(PluginImageError) -> Value
    ) -> Result<Value, PluginImageError> {
        do throws(PluginImageError) { return .success(try body()) } catch { return .failure(error) }
    }

    /// A refusal can be told: it fits the message that carries it, of a plugin and of a library.
    private static func checkRefusal(
        _ refusal: PluginImageError, library: String?
    ) throws(BrokenPromise) {
        for told in [refusal] + (library.map { [refusal.ofLibrary($0)] } ?? []) {
            try expectPrintable(told.sentence, atMost: WireBound.sentenceBytes)
            try expect(told.isMismatch == refusal.isMismatch, "a library changes the verdict")
        }
    }

    private static func checkFile(_ elf: ElfFile, _ bytes: RawSpan) throws(BrokenPromise) {
        let count = UInt64(bytes.byteCount)
        try expect(elf.byteCount == bytes.byteCount, "the length is wrong")
        try expect((1...ElfLimits.programHeaders).contains(elf.segments.count), "segments")
        for segment in elf.segments {
            try expect(segment.fileSize <= segment.memorySize, "a segment loses file bytes")
            try expect(segment.memoryEnd <= ElfLimits.addressEnd, "a segment past user memory")
            try expect(
                segment.fileSize == 0 || segment.fileEnd <= count, "a segment past the file")
        }
        for (low, high) in zip(elf.segments, elf.segments.dropFirst()) {
            try expect(low.memoryEnd <= high.address, "two segments overlap")
        }
        let names =
            elf.needed + elf.filters + elf.runPaths
            + elf.symbolVersions.flatMap { [$0.file] + $0.versions.map(\.name) }
        try expect(names.allSatisfy { $0.utf8.count <= ElfLimits.nameLength }, "a long name")
        try expect(
            names.reduce(0) { $0 + $1.utf8.count } <= ElfLimits.keptNames, "too many names kept")
        try expect(
            elf.loadNeed.addressSpaceBytes + elf.loadNeed.writableBytes <= ElfLimits.addressEnd,
            "more address space than there is")
        try checkAgain(elf, bytes)
        if let refusal = rules.refusal(of: elf) {
            try checkRefusal(refusal, library: elf.needed.first ?? elf.soname ?? "")
        } else {
            try expect(
                rules.runFolders(of: elf).allSatisfy {
                    LoadRules.isInside($0, [rules.pluginFolder] + rules.libraryFolders)
                }, "a run path that leads outside is not refused")
        }
    }

    /// A second reading, under larger pages, finds the same or refuses.
    private static func checkAgain(_ elf: ElfFile, _ bytes: RawSpan) throws(BrokenPromise) {
        for pageSize in [4_096, 65_536] as [UInt64] {
            let again = read { () throws(PluginImageError) in
                try ElfFile(bytes: bytes, expecting: elf.machine, pageSize: pageSize)
            }
            guard case .success(let again) = again else {
                try expect(pageSize > 4_096, "a second reading refuses what the first accepts")
                continue
            }
            let isSame =
                again.segments == elf.segments && again.needed == elf.needed
                && again.filters == elf.filters && again.runPaths == elf.runPaths
                && again.symbolVersions == elf.symbolVersions && again.stack == elf.stack
                && again.soname == elf.soname && again.machine == elf.machine
                && again.hasTextRelocations == elf.hasTextRelocations
                && again.hasOldRunPath == elf.hasOldRunPath
                && (pageSize > 4_096 || again.loadNeed == elf.loadNeed)
            try expect(isSame, "a second reading finds other facts")
        }
    }

    private static func checkTag(_ image: PluginImage, _ input: [UInt8]) throws(BrokenPromise) {
        let tag = image.tag
        let end = tag.fileOffset + Int(tag.structSize)
        try expect(tag.fileOffset >= 0 && end <= input.count, "the tag is not in the file")
        try expect(tag.structSize >= PluginTag.shortestSize, "the tag is too short")
        let bytes = input[tag.fileOffset..<end]
        try expect(bytes.starts(with: "BAHOSTP\0".utf8), "the tag has no magic number")
        let major = UInt16(bytes[bytes.startIndex + 12]) | UInt16(bytes[bytes.startIndex + 13]) << 8
        try expect(tag.abiMajor == major, "the tag's version is read elsewhere")
        let home = image.elf.segments.first {
            $0.address <= tag.address && tag.address < $0.address + $0.fileSize
        }
        try expect(
            home.map { $0.fileOffset + (tag.address - $0.address) } == UInt64(tag.fileOffset),
            "the tag in memory is not the tag in the file")
        for text in [tag.name, tag.version, tag.toolchain] where !text.isEmpty {
            try expect(
                text.utf8.count < 64
                    && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
                "a text of the tag is not fit to show")
        }
    }

    private static func checkRules(_ image: PluginImage) throws(BrokenPromise) {
        if let refusal = rules.refusal(of: image) {
            return try checkRefusal(refusal, library: image.needed.first)
        }
        try expect(!image.entryPoints.isEmpty, "a plugin without entry points is loaded")
        try expect(image.elf.stack != .executable, "an executable stack is accepted")
        try expect(
            !image.needed.contains { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "/")) },
            "a library named by a path is accepted")
        var budget = LoadBudget(limitBytes: rules.writableLimitBytes)
        for _ in 0..<3 {
            do throws(PluginImageError) { try budget.add(image.loadNeed) } catch {
                return try checkRefusal(error, library: nil)
            }
        }
        try expect(budget.writableBytes <= budget.limitBytes, "a budget is overdrawn")
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
