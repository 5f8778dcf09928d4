/// One part of the file that the loader maps: a program header of type PT_LOAD, elf(5).
package struct ElfSegment: Hashable, Sendable {
    /// Its place in the program header table, for messages.
    package let index: Int
    package let fileOffset: UInt64
    package let fileSize: UInt64
    package let address: UInt64
    package let memorySize: UInt64
    package let alignment: UInt64
    package let isReadable: Bool
    package let isWritable: Bool
    package let isExecutable: Bool

    /// Where its file bytes end, in the file: checked not to overflow.
    package var fileEnd: UInt64 { fileOffset + fileSize }
    /// Where it ends in memory: at most ``ElfLimits/addressEnd``.
    package var memoryEnd: UInt64 { address + memorySize }
}

/// What loading the file costs, in bytes rounded to pages (docs/threat-model.md).
package struct LoadNeed: Hashable, Sendable {
    /// Segments that cannot be written.
    package let nonWritableBytes: UInt64
    /// Address space between segments.
    package let holeBytes: UInt64
    /// Segments that can be written, with their zero-filled tails: paid from the memory limit.
    package let writableBytes: UInt64
    /// Address space the loader needs for a moment to align the first segment; 0 when no
    /// alignment is over a page.
    package let alignmentBytes: UInt64

    package init(
        nonWritableBytes: UInt64, holeBytes: UInt64, writableBytes: UInt64, alignmentBytes: UInt64
    ) {
        self.nonWritableBytes = nonWritableBytes
        self.holeBytes = holeBytes
        self.writableBytes = writableBytes
        self.alignmentBytes = alignmentBytes
    }

    /// What `RLIMIT_AS` gets on top of baseline and limit.
    package var addressSpaceBytes: UInt64 { nonWritableBytes + holeBytes }
}

/// The program header table, read and checked.
struct ElfSegments {
    private(set) var loads: [ElfSegment] = []
    private(set) var dynamic: (fileOffset: UInt64, address: UInt64, size: UInt64)?
    private(set) var stack = ElfStack.unsaid

    private let pageSize: UInt64

    /// - Throws: ``PluginImageError`` with `malformed`, `truncated`, `unorderedSegments` or
    ///   `overlappingSegments`.
    init(
        bytes: RawSpan, table: FileRange, pageSize: UInt64
    ) throws(PluginImageError) {
        self.pageSize = pageSize
        for index in 0..<table.count / ElfHeader.programHeaderSize {
            let at = table.offset + index * ElfHeader.programHeaderSize
            try read(bytes, at: at, index: Int(index))
        }
        guard !loads.isEmpty else {
            throw .malformed("the file has no segment to load")
        }
        try checkOrder()
    }

    private mutating func read(
        _ bytes: RawSpan, at offset: UInt64, index: Int
    ) throws(PluginImageError) {
        let flags = try bytes.load(UInt32.self, at: offset + 4)
        switch try bytes.load(UInt32.self, at: offset) {
        case 1:
            let segment = ElfSegment(
                index: index,
                fileOffset: try bytes.load(UInt64.self, at: offset + 8),
                fileSize: try bytes.load(UInt64.self, at: offset + 32),
                address: try bytes.load(UInt64.self, at: offset + 16),
                memorySize: try bytes.load(UInt64.self, at: offset + 40),
                alignment: try bytes.load(UInt64.self, at: offset + 48),
                isReadable: flags & 4 != 0, isWritable: flags & 2 != 0,
                isExecutable: flags & 1 != 0)
            try check(segment, fileLength: bytes.length)
            loads.append(segment)
        case 2:
            guard dynamic == nil else {
                throw .malformed("the file has two dynamic sections (PT_DYNAMIC)")
            }
            dynamic = (
                try bytes.load(UInt64.self, at: offset + 8),
                try bytes.load(UInt64.self, at: offset + 16),
                try bytes.load(UInt64.self, at: offset + 32)
            )
        case 0x6474_e551:  // PT_GNU_STACK; the loader takes the last, we take the worst.
            if stack != .executable { stack = flags & 1 != 0 ? .executable : .notExecutable }
        default: break
        }
    }

    private func check(
        _ segment: ElfSegment, fileLength: UInt64
    ) throws(PluginImageError) {
        let name = "the file's segment \(segment.index)"
        let (fileEnd, fileOverflow) =
            segment.fileOffset.addingReportingOverflow(segment.fileSize)
        let (memoryEnd, memoryOverflow) =
            segment.address.addingReportingOverflow(segment.memorySize)
        guard !fileOverflow else {
            throw .malformed(
                "\(name) starts at byte \(grouped(segment.fileOffset)) and has"
                    + " \(grouped(segment.fileSize)) bytes, past any file")
        }
        guard segment.fileSize == 0 || fileEnd <= fileLength else {
            throw .truncated("its segment \(segment.index)", endingAt: fileEnd, of: fileLength)
        }
        guard !memoryOverflow, memoryEnd <= ElfLimits.addressEnd else {
            throw .malformed(
                "\(name) starts at address \(hexadecimal(segment.address)) and has"
                    + " \(grouped(segment.memorySize)) bytes, past the end of user memory")
        }
        guard segment.fileSize <= segment.memorySize else {
            throw .malformed(
                "\(name) has \(grouped(segment.fileSize)) bytes in the file but only"
                    + " \(grouped(segment.memorySize)) in memory")
        }
        try checkAlignment(of: segment, name: name)
    }

    private func checkAlignment(
        of segment: ElfSegment, name: String
    ) throws(PluginImageError) {
        let alignment = segment.alignment
        guard alignment >= pageSize, alignment & (alignment - 1) == 0 else {
            throw .malformed(
                "\(name) has the alignment \(grouped(alignment)), a power of two of at least a"
                    + " page (\(grouped(pageSize))) is needed")
        }
        guard (segment.address &- segment.fileOffset) & (alignment - 1) == 0 else {
            throw .malformed(
                "\(name) at byte \(grouped(segment.fileOffset)) does not fit its address"
                    + " \(hexadecimal(segment.address)) under alignment \(grouped(alignment))")
        }
    }

    /// Segments must ascend and share no page: two on one page would mean that memory is not what
    /// the file says at the first one's address.
    private func checkOrder() throws(PluginImageError) {
        for (previous, next) in zip(loads, loads.dropFirst()) {
            guard previous.address <= next.address else {
                throw PluginImageError(
                    .unorderedSegments,
                    "the file's segment \(next.index) at \(hexadecimal(next.address)) comes after"
                        + " segment \(previous.index) at \(hexadecimal(previous.address)):"
                        + " segments must be in ascending order")
            }
            guard pageEnd(of: previous) <= pageStart(of: next) else {
                throw PluginImageError(
                    .overlappingSegments,
                    "the file's segment \(previous.index), which ends at"
                        + " \(hexadecimal(previous.memoryEnd)), overlaps segment \(next.index),"
                        + " which starts at \(hexadecimal(next.address)),"
                        + " or shares a page with it")
            }
        }
    }

    private func pageStart(of segment: ElfSegment) -> UInt64 {
        segment.address & ~(pageSize - 1)
    }

    private func pageEnd(of segment: ElfSegment) -> UInt64 {
        (segment.memoryEnd + (pageSize - 1)) & ~(pageSize - 1)
    }

    var loadNeed: LoadNeed {
        var writable: UInt64 = 0
        var nonWritable: UInt64 = 0
        var holes: UInt64 = 0
        var previousEnd: UInt64?
        for segment in loads {
            let start = pageStart(of: segment)
            let end = pageEnd(of: segment)
            if segment.isWritable { writable += end - start } else { nonWritable += end - start }
            if let previousEnd { holes += start - previousEnd }
            previousEnd = end
        }
        let alignment = loads.lazy.map(\.alignment).max() ?? 0
        return LoadNeed(
            nonWritableBytes: nonWritable, holeBytes: holes, writableBytes: writable,
            alignmentBytes: alignment > pageSize ? alignment : 0)
    }
}

/// What the file says about the stack of the process that loads it (PT_GNU_STACK).
package enum ElfStack: Hashable, Sendable {
    case notExecutable, executable
    /// Nothing said: glibc then makes the stack executable on x86-64, not on aarch64.
    case unsaid
}

extension [ElfSegment] {
    /// The segment that holds this address among its file bytes.
    func containing(_ address: UInt64) -> ElfSegment? {
        first { address >= $0.address && address - $0.address < $0.fileSize }
    }

    /// Where `count` bytes at this address lie in the file.
    ///
    /// Nil when they are not wholly inside the file bytes of one segment. No bytes at all are
    /// nowhere.
    func fileRange(of address: UInt64, count: UInt64) -> FileRange? {
        guard count > 0, let rest = fileRange(from: address), count <= rest.count else {
            return nil
        }
        return FileRange(offset: rest.offset, count: count)
    }

    /// The file bytes from this address to the end of its segment.
    func fileRange(from address: UInt64) -> FileRange? {
        guard let segment = containing(address) else { return nil }
        let skipped = address - segment.address
        return FileRange(
            offset: segment.fileOffset + skipped, count: segment.fileSize - skipped)
    }
}
