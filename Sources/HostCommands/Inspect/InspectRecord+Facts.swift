package import ExtensionHost
internal import LinuxSystem
package import WireProtocol

extension InspectRecord {
    /// One line of JSON, see ``JSONLine``.
    package var line: String? { JSONLine.of(self) }

    /// A file that a worker has read, or died of.
    package init(_ file: String, _ result: InspectionResult, _ options: InspectOptions) {
        self.init(
            file: file, result: .unread,
            memoryLimitBytes: Int64(clamping: options.memory.bytes))
        guard let facts = result.facts else {
            detail = "\(result.outcome.verdict.rawValue): \(result.outcome.detail)"
            return
        }
        take(facts)
    }

    /// A directory, FIFO, socket or device, which no worker is started for.
    package init(_ file: String, irregular sentence: String, _ options: InspectOptions) {
        self.init(
            file: file, result: .refused,
            memoryLimitBytes: Int64(clamping: options.memory.bytes))
        refusals = [Refusal(code: "notReadable", sentence: sentence)]
    }

    package mutating func take(_ facts: PluginFacts) {
        result = facts.refusals.isEmpty ? .loads : .refused
        kind = facts.kind.isEmpty ? nil : facts.kind
        sizeBytes = facts.kind.isEmpty ? nil : Int64(clamping: facts.byteCount)
        image = facts.image.map { Image($0) }
        tag = facts.tag.map { Tag($0) }
        entryPoints = facts.entryPoints
        exportCount = Int64(facts.exportCount)
        exports = facts.exports.map { Export(name: $0.name, kind: "\($0.kind)") }
        if let image = facts.image {
            memory.writableBytes = Int64(clamping: image.writableBytes)
            memory.readOnlyBytes = Int64(clamping: image.readOnlyBytes)
            memory.holeBytes = Int64(clamping: image.holeBytes)
            memory.alignmentBytes = Int64(clamping: image.alignmentBytes)
        }
        refusals = facts.refusals.map { Refusal(code: $0.code, sentence: $0.sentence) }
        oddities = facts.oddities
    }
}

extension InspectRecord.Tag {
    init(_ tag: TagFacts) {
        name = tag.name
        version = tag.version
        abiMajor = Int(tag.abiMajor)
        abiMinor = Int(tag.abiMinor)
        toolchain = tag.toolchain
        registersByMain = tag.registersByMain
        usesSwift = tag.usesSwift
        flags = "0x" + String(tag.flags, radix: 16)
        requiredFeatures = "0x" + String(tag.requiredFeatures, radix: 16)
        structSizeBytes = Int64(tag.structSize)
    }
}

extension InspectRecord.Image {
    init(_ image: ImageFacts) {
        machine = image.machine
        needs = image.needs.map { .init(library: $0.name, origin: "\($0.origin)") }
        filters = image.filters
        runPaths = image.runPaths
        symbolVersions = image.versions.flatMap { needed in
            needed.versions.map {
                .init(library: needed.library, version: $0.name, isWeak: $0.isWeak)
            }
        }
        segments = image.segments.map { .init($0) }
        stack = "\(image.stack)"
        hasTextRelocations = image.hasTextRelocations
        needsSwiftRuntime = image.needsSwiftRuntime
        relocationCount = Int64(clamping: image.relocationCount)
        compactRelocationWords = Int64(clamping: image.compactRelocationWords)
        soname = image.soname
    }
}

extension InspectRecord.Segment {
    init(_ segment: SegmentFacts) {
        address = Int64(clamping: segment.address)
        memoryBytes = Int64(clamping: segment.memoryBytes)
        fileOffset = Int64(clamping: segment.fileOffset)
        fileBytes = Int64(clamping: segment.fileBytes)
        alignment = Int64(clamping: segment.alignment)
        access =
            (segment.isReadable ? "r" : "-") + (segment.isWritable ? "w" : "-")
            + (segment.isExecutable ? "x" : "-")
    }
}
