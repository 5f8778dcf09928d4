extension PluginFacts {
    func write(to encoder: inout WireEncoder) {
        encoder.put(kind)
        encoder.put(byteCount)
        encoder.put(optional: image) { $1.write(to: &$0) }
        encoder.put(optional: tag) { $1.write(to: &$0) }
        encoder.put(list: entryPoints) { $0.put($1) }
        encoder.put(list: exports) { output, export in
            output.put(export.kind.rawValue)
            output.put(export.name)
        }
        encoder.put(exportCount)
        encoder.put(list: refusals) { output, refusal in
            output.put(refusal.code)
            output.put(refusal.sentence)
        }
        encoder.put(list: oddities) { $0.put($1) }
    }

    init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        kind = try decoder.text(atMost: 128, "facts.kind")
        byteCount = try decoder.uint64("facts.bytes")
        image = try decoder.optional("facts.image") { input throws(WireError) in
            try ImageFacts(from: &input)
        }
        tag = try decoder.optional("facts.tag") { input throws(WireError) in
            try TagFacts(from: &input)
        }
        entryPoints = try decoder.list(atMost: 16, "facts.entryPoints") {
            input throws(WireError) in
            try input.text(atMost: 64, "facts.entryPoints")
        }
        exports = try decoder.list(atMost: WireBound.exportCount, "facts.exports") {
            input throws(WireError) in
            let kind: ExportKind = try input.word("facts.exports")
            let name = try input.text(atMost: WireBound.exportBytes, "facts.exports")
            return ExportFacts(name: name, kind: kind)
        }
        exportCount = try decoder.uint32("facts.exportCount")
        refusals = try decoder.list(atMost: WireBound.refusalCount, "facts.refusals") {
            input throws(WireError) in
            let code = try input.text(atMost: 64, "facts.refusals")
            let sentence = try input.text(atMost: WireBound.sentenceBytes, "facts.refusals")
            return RefusalFacts(code: code, sentence: sentence)
        }
        oddities = try decoder.list(atMost: WireBound.oddityCount, "facts.oddities") {
            input throws(WireError) in
            try input.text(atMost: WireBound.sentenceBytes, "facts.oddities")
        }
    }
}

extension TagFacts {
    fileprivate func write(to encoder: inout WireEncoder) {
        encoder.put(structSize)
        encoder.put(abiMajor)
        encoder.put(abiMinor)
        encoder.put(requiredFeatures)
        encoder.put(flags)
        encoder.put(registersByMain)
        encoder.put(usesSwift)
        encoder.put(name)
        encoder.put(version)
        encoder.put(toolchain)
    }

    fileprivate init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        structSize = try decoder.uint32("tag.size")
        abiMajor = try decoder.uint16("tag.major")
        abiMinor = try decoder.uint16("tag.minor")
        requiredFeatures = try decoder.uint64("tag.features")
        flags = try decoder.uint64("tag.flags")
        registersByMain = try decoder.flag("tag.main")
        usesSwift = try decoder.flag("tag.swift")
        name = try decoder.text(atMost: 64, "tag.name")
        version = try decoder.text(atMost: 32, "tag.version")
        toolchain = try decoder.text(atMost: 32, "tag.toolchain")
    }
}

extension ImageFacts {
    fileprivate func write(to encoder: inout WireEncoder) {
        encoder.put(machine)
        encoder.put(optional: soname) { $0.put($1) }
        encoder.put(list: needs) { output, need in
            output.put(need.origin.rawValue)
            output.put(need.name)
        }
        encoder.put(list: filters) { $0.put($1) }
        encoder.put(list: runPaths) { $0.put($1) }
        encoder.put(list: versions) { $1.write(to: &$0) }
        encoder.put(list: segments) { $1.write(to: &$0) }
        for number in [
            readOnlyBytes, holeBytes, writableBytes, alignmentBytes, relocationCount,
            compactRelocationWords,
        ] { encoder.put(number) }
        encoder.put(stack.rawValue)
        encoder.put(hasTextRelocations)
        encoder.put(needsSwiftRuntime)
    }

    fileprivate init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        machine = try decoder.text(atMost: 64, "image.machine")
        soname = try decoder.optional("image.soname") { input throws(WireError) in
            try input.name("image.soname")
        }
        try readLists(from: &decoder)
        readOnlyBytes = try decoder.uint64("image.readOnly")
        holeBytes = try decoder.uint64("image.holes")
        writableBytes = try decoder.uint64("image.writable")
        alignmentBytes = try decoder.uint64("image.alignment")
        relocationCount = try decoder.uint64("image.relocations")
        compactRelocationWords = try decoder.uint64("image.relocations")
        stack = try decoder.word("image.stack")
        hasTextRelocations = try decoder.flag("image.textRelocations")
        needsSwiftRuntime = try decoder.flag("image.swift")
    }

    private mutating func readLists(from decoder: inout WireDecoder) throws(WireError) {
        needs = try decoder.list(atMost: WireBound.listCount, "image.needs") {
            input throws(WireError) in
            let origin: NeedOrigin = try input.word("image.needs")
            return NeedFacts(name: try input.name("image.needs"), origin: origin)
        }
        filters = try decoder.list(atMost: WireBound.listCount, "image.filters") {
            input throws(WireError) in
            try input.name("image.filters")
        }
        runPaths = try decoder.list(atMost: 16, "image.runPaths") { input throws(WireError) in
            try input.name("image.runPaths")
        }
        versions = try decoder.list(atMost: WireBound.listCount, "image.versions") {
            input throws(WireError) in
            try VersionFacts(from: &input)
        }
        segments = try decoder.list(atMost: WireBound.segmentCount, "image.segments") {
            input throws(WireError) in
            try SegmentFacts(from: &input)
        }
    }
}

extension VersionFacts {
    fileprivate func write(to encoder: inout WireEncoder) {
        encoder.put(library)
        encoder.put(list: versions) { output, version in
            output.put(version.name)
            output.put(version.isWeak)
        }
    }

    fileprivate init(from decoder: inout WireDecoder) throws(WireError) {
        let library = try decoder.name("image.versions")
        let versions = try decoder.list(atMost: WireBound.versionCount, "image.versions") {
            input throws(WireError) in
            let name = try input.name("image.versions")
            return Version(name: name, isWeak: try input.flag("image.versions"))
        }
        self.init(library: library, versions: versions)
    }
}

extension SegmentFacts {
    fileprivate func write(to encoder: inout WireEncoder) {
        for number in [address, memoryBytes, fileOffset, fileBytes, alignment] {
            encoder.put(number)
        }
        encoder.put(isReadable)
        encoder.put(isWritable)
        encoder.put(isExecutable)
    }

    fileprivate init(from decoder: inout WireDecoder) throws(WireError) {
        self.init()
        address = try decoder.uint64("segment.address")
        memoryBytes = try decoder.uint64("segment.memory")
        fileOffset = try decoder.uint64("segment.offset")
        fileBytes = try decoder.uint64("segment.file")
        alignment = try decoder.uint64("segment.alignment")
        isReadable = try decoder.flag("segment.readable")
        isWritable = try decoder.flag("segment.writable")
        isExecutable = try decoder.flag("segment.executable")
    }
}

extension WireDecoder {
    /// A name out of a file's string table.
    fileprivate mutating func name(_ subject: String) throws(WireError) -> String {
        try text(atMost: WireBound.pathBytes, subject)
    }
}
