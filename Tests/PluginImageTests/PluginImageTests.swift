import PluginImage
import Testing

@Suite struct PluginImageTests {
    private let good: [UInt8]

    init() throws { good = try PluginSource.good.get() }

    @Test func readsAPluginMadeByTheCompiler() throws {
        let image = try read(good)
        #expect(image.entryPoints == ["bahost_install", "bahost_update"])
        #expect(!image.exportsMain)
        #expect(image.needed.contains { $0.hasPrefix("libc.so") })
        #expect(
            image.symbolVersions.contains { $0.versions.contains { $0.name.hasPrefix("GLIBC_") } })
        #expect(image.elf.stack == .notExecutable)
        #expect(image.elf.machine == .host)
        #expect(!image.needsSwiftRuntime)
        #expect(image.loadNeed.writableBytes > 0)
        #expect(image.loadNeed.writableBytes.isMultiple(of: 4_096))
    }

    @Test func readsEveryFieldOfTheTag() throws {
        let tag = try read(good).tag
        #expect(tag.structSize == 192)
        #expect(tag.abiMajor == 0)
        #expect(tag.abiMinor == 1)
        #expect(tag.requiredFeatures == 0)
        #expect(tag.flags == 0)
        #expect(tag.name == "Example")
        #expect(tag.version == "1.2.3")
        #expect(tag.toolchain.isEmpty)
        #expect(Array(good[tag.fileOffset..<tag.fileOffset + 192]) == PluginSource.goodTag)
    }

    @Test func readsABuiltFileLikeACompiledOne() throws {
        for style in [ElfBuilder.HashStyle.gnu, .systemV] {
            var builder = ElfBuilder()
            builder.hashStyle = style
            builder.runPaths = ["$ORIGIN", "/usr/lib"]
            builder.versions = [
                ("libc.so.6", ["GLIBC_2.2.5", "GLIBC_2.34"]), ("libm.so.6", ["X"]),
            ]
            builder.symbols.append(.init(name: "main", address: 0))
            let image = try read(builder.build())
            #expect(image.entryPoints == ["bahost_install"])
            #expect(image.exportsMain)
            #expect(image.needed == ["libc.so.6"])
            #expect(image.runPaths == ["$ORIGIN", "/usr/lib"])
            #expect(image.symbolVersions.map(\.file) == ["libc.so.6", "libm.so.6"])
            #expect(image.symbolVersions[0].versions.map(\.name) == ["GLIBC_2.2.5", "GLIBC_2.34"])
            #expect(image.tag.address == builder.tagAddress)
        }
    }

    @Test(.enabled(if: PluginSource.hasAarch64Compiler))
    func readsAPluginForTheOtherMachine() throws {
        let bytes = try PluginSource.forAarch64.get()
        let image = try read(bytes, expecting: .aarch64)
        #expect(image.elf.machine == .aarch64)
        #expect(image.entryPoints == ["bahost_install", "bahost_update"])
        #expect(throws: PluginImageError.self) { try read(bytes, expecting: .x86_64) }
        #expect(try read(bytes, expecting: nil).elf.machine == .aarch64)
    }

    @Test func refusesEveryPrefixThatCutsASegment() throws {
        let segments = try read(good).elf.segments
        let needed = Int(segments.map(\.fileEnd).max() ?? 0)
        let steps = Array(0..<min(1_200, needed)) + Array(stride(from: 1_200, to: needed, by: 7))
        for length in steps + [needed - 1] {
            let error = refusal(Array(good.prefix(length)))
            #expect(error?.code == (length == 0 ? .notELF : .truncated), "\(length) bytes")
            #expect(error?.isOneLine == true)
            #expect(error?.isMismatch == false)
        }
        #expect(refusal(Array(good.prefix(needed))) == nil)
    }

    @Test func namesTheNumbersOfATruncatedFile() throws {
        let segment = try #require(try read(good).elf.segments.last)
        let error = refusal(Array(good.prefix(4_100)))
        #expect(
            error?.sentence.hasPrefix("the file is 4,100 bytes long but its segment") == true)
        #expect(error?.sentence.hasSuffix(": it is truncated") == true)
        #expect(segment.fileEnd > 4_100)
    }

    @Test(arguments: [
        (0, 0x4d as UInt8, PluginImageError.Code.notELF), (4, 1, .wrongClass), (4, 9, .wrongClass),
        (5, 2, .wrongByteOrder), (5, 7, .wrongByteOrder), (6, 2, .malformed),
        (7, 9, .wrongMachine), (18, 3, .wrongMachine), (16, 2, .notSharedObject),
        (16, 1, .notSharedObject), (16, 4, .notSharedObject), (54, 32, .malformed),
        (56, 0, .malformed), (56, 129, .malformed), (39, 0xff, .truncated),
    ])
    func refusesAHeaderByte(offset: Int, value: UInt8, code: PluginImageError.Code) {
        var forged = ForgedFile(good)
        forged.bytes[offset] = value
        let error = refusal(forged.bytes)
        #expect(error?.code == code)
        #expect(error?.isOneLine == true)
        #expect(error?.isMismatch == false)
    }

    @Test func refusesTheOtherMachineByName() {
        var forged = ForgedFile(good)
        forged.put(UInt16(Machine.host == .x86_64 ? 183 : 62), at: 18)
        let other = Machine.host == .x86_64 ? "aarch64" : "x86-64"
        #expect(
            refusal(forged.bytes)?.sentence
                == "the file is made for \(other), not for \(Machine.host.rawValue)")
    }

    @Test func refusesProgramHeadersPastAnyFile() {
        var forged = ForgedFile(good)
        forged.put(UInt64.max - 100, at: 32)
        #expect(refusal(forged.bytes)?.code == .malformed)
    }

    @Test func refusesAProgramThatCanMove() throws {
        for flag in [0x0800_0000 as UInt64, 0x40] {
            var builder = ElfBuilder()
            builder.extraDynamic = [(0x6fff_fffb, flag)]
            #expect(refusal(builder.build())?.code == .notSharedObject)
        }
    }

    @Test(
        arguments: [
            (8, UInt64.max - 1), (32, UInt64.max - 1), (16, UInt64.max - 1), (40, UInt64.max - 1),
            (40, 0), (48, 0), (48, 1), (48, 3), (48, 12_288), (16, 0x1001), (40, 1 << 47),
        ] as [(Int, UInt64)])
    func refusesASegmentThatCannotBeMapped(field: Int, value: UInt64) {
        var forged = ForgedFile(good)
        forged.put(value, at: forged.headers(1)[1] + field)
        let error = refusal(forged.bytes)
        #expect(
            [.malformed, .truncated, .unorderedSegments, .overlappingSegments]
                .contains(error?.code))
        #expect(error?.isOneLine == true)
    }

    @Test func refusesSegmentsOutOfOrder() {
        var forged = ForgedFile(good)
        let loads = forged.headers(1)
        let first = Array(forged.bytes[loads[0]..<loads[0] + 56])
        let second = Array(forged.bytes[loads[1]..<loads[1] + 56])
        forged.bytes.replaceSubrange(loads[0]..<loads[0] + 56, with: second)
        forged.bytes.replaceSubrange(loads[1]..<loads[1] + 56, with: first)
        #expect(refusal(forged.bytes)?.code == .unorderedSegments)
    }

    @Test func refusesSegmentsThatShareAPage() throws {
        var forged = ForgedFile(good)
        let loads = forged.headers(1)
        let end = forged.word(at: loads[1] + 16)
        // Up to the page boundary is right, one byte past it is not.
        forged.put(end, at: loads[0] + 40)
        #expect(refusal(forged.bytes) == nil)
        forged.put(end + 1, at: loads[0] + 40)
        #expect(refusal(forged.bytes)?.code == .overlappingSegments)
    }

    @Test func refusesAFileWithoutDynamicSection() {
        var forged = ForgedFile(good)
        forged.put(UInt32(0), at: forged.headers(2)[0])
        let error = refusal(forged.bytes)
        #expect(error?.code == .malformed)
        #expect(error?.sentence.contains("no dynamic section") == true)
    }

    @Test func refusesTwoDynamicSections() {
        var builder = ElfBuilder()
        builder.spareHeaders = 1
        var forged = ForgedFile(builder.build())
        forged.put(UInt32(2), at: 64 + 56 * (builder.headerCount - 1))
        #expect(refusal(forged.bytes)?.sentence.contains("two dynamic sections") == true)
    }

    @Test func refusesADynamicSectionThatIsElsewhereInMemory() {
        var forged = ForgedFile(good)
        let header = forged.headers(2)[0]
        forged.put(forged.word(at: header + 8) + 16, at: header + 8)
        #expect(refusal(forged.bytes)?.sentence.contains("by its address") == true)
    }

    @Test func refusesADynamicSectionWithoutEnd() {
        var forged = ForgedFile(ElfBuilder().build())
        let header = forged.headers(2)[0]
        forged.put(forged.word(at: header + 32) - 16, at: header + 32)
        #expect(refusal(forged.bytes)?.sentence.contains("has no end") == true)
    }

    @Test(arguments: [5, 10, 6, 11, 0x6fff_fef5] as [UInt64])
    func refusesATableThatIsNotInTheFile(tag: UInt64) throws {
        var forged = ForgedFile(good)
        let at = try #require(forged.dynamicValue(tag))
        for value in [UInt64.max, UInt64.max - 7, 1 << 40] {
            forged.put(value, at: at)
            #expect(refusal(forged.bytes)?.code == .malformed)
        }
    }

    @Test(arguments: [5, 6, 10] as [UInt64])
    func refusesATagThatStandsTwice(tag: UInt64) {
        var builder = ElfBuilder()
        builder.extraDynamic = [(tag, 0)]
        #expect(refusal(builder.build())?.sentence.contains(" 2 times") == true)
    }

    @Test func refusesAStringWithoutNUL() throws {
        var forged = ForgedFile(good)
        let size = try #require(forged.dynamicValue(10))
        let needed = try #require(forged.dynamicValue(1))
        // The table now ends inside the name of the needed library.
        forged.put(forged.word(at: needed) + 3, at: size)
        let error = refusal(forged.bytes)
        #expect(error?.code == .malformed)
        #expect(error?.sentence.contains("does not end") == true)
    }

    @Test func refusesANameThatIsNotUTF8() throws {
        var forged = ForgedFile(good)
        let strings = try #require(forged.dynamicValue(5))
        let needed = try #require(forged.dynamicValue(1))
        // The first segment starts at 0 in file and memory.
        forged.bytes[Int(forged.word(at: strings) + forged.word(at: needed))] = 0xff
        #expect(refusal(forged.bytes)?.sentence.contains("not UTF-8") == true)
    }

    @Test func refusesAFunctionOutsideTheCode() {
        var builder = ElfBuilder()
        builder.symbols[0].address = 0x40
        #expect(refusal(builder.build())?.sentence.contains("executable segment") == true)
    }

    @Test func countsOnlyExportedFunctions() throws {
        var builder = ElfBuilder()
        builder.symbols = [
            .init(name: "bahost_install", address: 0, info: 0x11),
            .init(name: "bahost_update", address: 0, visibility: 2),
            .init(name: "bahost_download_finished", address: 0, section: 0),
            .init(name: "main", address: 0, info: 0x02),
        ]
        let image = try read(builder.build())
        #expect(image.entryPoints.isEmpty)
        #expect(!image.exportsMain)
    }

    @Test func readsAMappingWithoutCopyingIt() throws {
        let image = try unsafe good.withUnsafeBytes { buffer in
            try unsafe PluginImage(
                bytes: buffer.bytes, expecting: .host, lookingFor: PluginSource.entryPoints)
        }
        #expect(image.tag.name == "Example")
    }
}
