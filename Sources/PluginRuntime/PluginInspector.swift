internal import LinuxSystem
internal import PluginImage
internal import Sandbox
internal import WireProtocol

/// Reads a file and tells what is to be known of it.
///
/// Nothing of it runs, nothing of it is mapped to be run, and no library is loaded for it.
struct PluginInspector {
    private let setup: WorkerSetup
    private let paths: SandboxPaths
    private let memoryLimitBytes: UInt64
    private let rules: LoadRules

    /// - Parameters:
    ///   - setup: Of the worker that reads.
    ///   - paths: As this process sees them.
    ///   - memoryLimitBytes: What the file is held against.
    init(setup: WorkerSetup, paths: SandboxPaths, memoryLimitBytes: UInt64) {
        self.setup = setup
        self.paths = paths
        self.memoryLimitBytes = memoryLimitBytes
        var judged = setup
        judged.limits.memoryBytes = memoryLimitBytes
        rules = PluginReader.rules(judged, paths)
    }

    func facts() -> PluginFacts {
        var facts = PluginFacts()
        do throws(LoadRefusal) {
            let file = try PluginFile(paths.plugin)
            let names = EntryPoint.symbols
            let description = ImageDescription(
                bytes: unsafe file.bytes.bytes, expecting: Machine.host, lookingFor: names,
                pageSize: MemoryReading.pageBytes)
            facts.take(description)
            facts.byteCount = unsafe UInt64(file.bytes.count)
            facts.oddities = description.oddities(
                entryPoints: names, memoryLimitBytes: memoryLimitBytes
            ).prefix(WireBound.oddityCount).map { LogText.cut($0) }
            var refusals = judge(description)
            if let elf = description.elf, elf.machine == .host {
                refusals += judgeNeeds(of: elf, file.identity, &facts, after: refusals)
            }
            facts.refusals = refusals.prefix(WireBound.refusalCount).map(RefusalFacts.init)
        } catch {
            facts.refusals = [RefusalFacts(error)]
        }
        return facts
    }

    private func judge(_ description: ImageDescription) -> [LoadRefusal] {
        var rules = rules
        if let elf = description.elf {
            rules.bringsSwiftRuntime = PluginReader.bringsRuntime(elf, rules)
        }
        var refusals = rules.refusals(of: description).map { LoadRefusal($0) }
        let hasSwift = description.elf?.needsSwiftRuntime ?? false
        if let shortage = OwnNeed.shortage(of: memoryLimitBytes, hasSwift: hasSwift) {
            refusals.append(LoadRefusal("the \(shortage.sentence)", code: .needOverLimit))
        }
        return refusals
    }

    /// Looks for the libraries that would be loaded with it.
    private func judgeNeeds(
        of elf: ElfFile, _ identity: FileIdentity, _ facts: inout PluginFacts,
        after earlier: [LoadRefusal]
    ) -> [LoadRefusal] {
        var setup = setup
        setup.limits.memoryBytes = KernelShare.payable(memoryLimitBytes)
        var walk = LibraryWalk(elf, identity, setup: setup, paths: paths)
        var refusals: [LoadRefusal] = []
        // That the file alone takes too much has been said.
        let isTooLarge = earlier.contains { $0.code == .writableOverLimit }
        try? walk.run { refusal throws(LoadRefusal) in
            if isTooLarge, refusal.code == .writableOverLimit { return }
            refusals.append(refusal)
            guard refusals.count < LoadRules.mostRefusals else { throw refusal }
        }
        var search = LibrarySearch(
            runFolders: rules.runFolders(of: elf),
            runtimeFolders: elf.needsSwiftRuntime
                ? setup.runtimeFolders + paths.runtimeFolders : [])
        for index in (facts.image?.needs ?? []).indices {
            guard let name = facts.image?.needs[index].name else { continue }
            let origin = walk.brought.contains(name) ? NeedOrigin.plugin : search.origin(of: name)
            facts.image?.needs[index].origin = origin
            guard origin == .missing else { continue }
            refusals.append(
                LoadRefusal("the file's needed library \(name) is not there", code: .missingLibrary)
            )
        }
        return refusals
    }
}

extension RefusalFacts {
    fileprivate init(_ refusal: LoadRefusal) {
        self.init(
            code: refusal.code?.rawValue ?? "notReadable", sentence: LogText.cut(refusal.sentence))
    }
}

extension PluginFacts {
    fileprivate mutating func take(_ description: ImageDescription) {
        kind = description.kind
        image = description.elf.map { ImageFacts($0) }
        tag = description.tag.map { TagFacts($0) }
        entryPoints = description.entryPoints
        exports = description.exports.exports.map { export in
            let kind: ExportKind =
                switch export.kind {
                case _ where export.isAbsolute: .absolute
                case .function, .indirect: .function
                case .object: .object
                case .none, .other: .other
                }
            return ExportFacts(name: export.name, kind: kind)
        }
        exportCount = UInt32(clamping: description.exports.count)
    }
}

extension TagFacts {
    fileprivate init(_ tag: PluginTag) {
        self.init()
        structSize = tag.structSize
        abiMajor = tag.abiMajor
        abiMinor = tag.abiMinor
        requiredFeatures = tag.requiredFeatures
        flags = tag.flags
        registersByMain = tag.registersByMain
        usesSwift = tag.usesSwift
        name = tag.name
        version = tag.version
        toolchain = tag.toolchain
    }
}

extension ImageFacts {
    fileprivate init(_ elf: ElfFile) {
        self.init()
        machine = elf.machine.rawValue
        soname = elf.soname
        needs = elf.needed.map { NeedFacts(name: $0, origin: .unknown) }
        filters = elf.filters
        runPaths = elf.runPaths
        versions = elf.symbolVersions.map { library in
            VersionFacts(
                library: library.file,
                versions: library.versions.map { .init(name: $0.name, isWeak: $0.isWeak) })
        }
        segments = elf.segments.map { SegmentFacts($0) }
        readOnlyBytes = elf.loadNeed.nonWritableBytes
        holeBytes = elf.loadNeed.holeBytes
        writableBytes = elf.loadNeed.writableBytes
        alignmentBytes = elf.loadNeed.alignmentBytes
        stack =
            switch elf.stack {
            case .notExecutable: .notExecutable
            case .executable: .executable
            case .unsaid: .unsaid
            }
        hasTextRelocations = elf.hasTextRelocations
        relocationCount = elf.relocationCount
        compactRelocationWords = elf.compactRelocationWords
        needsSwiftRuntime = elf.needsSwiftRuntime
    }
}

extension SegmentFacts {
    fileprivate init(_ segment: ElfSegment) {
        self.init()
        address = segment.address
        memoryBytes = segment.memorySize
        fileOffset = segment.fileOffset
        fileBytes = segment.fileSize
        alignment = segment.alignment
        isReadable = segment.isReadable
        isWritable = segment.isWritable
        isExecutable = segment.isExecutable
    }
}
