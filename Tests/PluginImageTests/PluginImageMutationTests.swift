import PluginImage
import TestSupport
import Testing

@Suite struct PluginImageMutationTests {
    private static let interesting: [UInt8] = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xfe, 0xff]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func survivesRandomChanges(seed: UInt64) throws {
        print("PluginImageMutationTests: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let good = seed == 4 ? try Self.rich() : try PluginSource.good.get()
        let hot = Self.hotRanges(good)
        var bytes = good
        var readable = 0
        for round in 0..<5_000 {
            var changed: [Int] = []
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let range = hot.randomElement(using: &generator) ?? 0..<good.count
                let at = Int.random(in: range, using: &generator)
                changed.append(at)
                bytes[at] =
                    Bool.random(using: &generator)
                    ? Self.interesting.randomElement(using: &generator) ?? 0
                    : UInt8.random(in: .min ... .max, using: &generator)
            }
            let label = "seed \(seed), round \(round), bytes \(changed)"
            if check(bytes, walksSymbols: round.isMultiple(of: 4), label) { readable += 1 }
            for at in changed { bytes[at] = good[at] }
        }
        #expect(readable > 0)
        #expect(readable < 5_000)
    }

    /// A built file with everything in it that the compiled one lacks.
    private static func rich() throws -> [UInt8] {
        var builder = ElfBuilder()
        builder.hashStyle = .systemV
        builder.runPaths = ["$ORIGIN", "/usr/lib"]
        builder.versions = [("libc.so.6", ["GLIBC_2.2.5", "GLIBC_2.34"]), ("libm.so.6", ["X"])]
        builder.relocations = [(0x1000, 8), (0x1008, 36)]
        builder.relatives = [0x1000, 0xff]
        builder.writableMemory = 4_096
        let bytes = builder.build()
        _ = try read(bytes)
        return bytes
    }

    /// Headers and tables are hit more often than the rest.
    private static func hotRanges(_ bytes: [UInt8]) -> [Range<Int>] {
        let forged = ForgedFile(bytes)
        var ranges = [0..<64, 64..<640, 0..<bytes.count]
        for header in forged.headers(2) {
            let start = Int(forged.word(at: header + 8))
            ranges.append(start..<start + Int(forged.word(at: header + 32)))
        }
        for tag in [5, 6, 4, 7, 36, 0x6fff_fef5, 0x6fff_fffe] as [UInt64] {
            guard let at = forged.dynamicValue(tag) else { continue }
            let start = Int(forged.word(at: at))
            if start < bytes.count { ranges.append(start..<min(start + 256, bytes.count)) }
        }
        return ranges
    }

    /// True when the file was readable; whatever came out must be within the bounds.
    private func check(_ bytes: [UInt8], walksSymbols: Bool, _ label: String) -> Bool {
        do throws(PluginImageError) {
            let image = try read(bytes)
            #expect(isBounded(image, in: bytes.count), "\(label)")
            #expect(LoadRules.forTests.refusal(of: image)?.isOneLine != false, "\(label)")
            guard walksSymbols else { return true }
            // SAFETY: bytes of integers, all initialised.
            try unsafe image.elf.forEachSymbol(in: bytes.span.bytes) { _, _ in }
            return true
        } catch {
            #expect(error.isOneLine, "\(label)")
            return false
        }
    }

    private func isBounded(_ image: PluginImage, in count: Int) -> Bool {
        let names =
            image.needed + image.runPaths + image.elf.filters
            + image.symbolVersions.flatMap { [$0.file] + $0.versions.map(\.name) }
        let need = image.loadNeed
        return image.needed.count <= ElfLimits.needed
            && image.runPaths.count <= ElfLimits.runPaths
            && image.symbolVersions.count <= ElfLimits.needed
            && names.allSatisfy { $0.utf8.count <= ElfLimits.nameLength }
            && image.elf.segments.allSatisfy { $0.fileSize == 0 || $0.fileEnd <= UInt64(count) }
            && image.elf.segments.count <= ElfLimits.programHeaders
            && need.addressSpaceBytes + need.writableBytes <= ElfLimits.addressEnd
            && image.tag.fileOffset + Int(image.tag.structSize) <= count
            && image.tag.structSize >= PluginTag.shortestSize
            && image.tag.name.utf8.count < 64 && image.tag.version.utf8.count < 32
            && image.tag.toolchain.utf8.count < 32
    }
}
