import PluginImage
import Testing

@Suite struct ImageDescriptionTests {
    private static let names = ["bahost_install", "bahost_update"]

    private func describe(
        _ bytes: [UInt8], expecting machine: Machine = .host
    ) -> ImageDescription {
        unsafe bytes.withUnsafeBytes { buffer in
            ImageDescription(
                bytes: unsafe buffer.bytes, expecting: machine, lookingFor: Self.names)
        }
    }

    private func describe(_ change: (inout ElfBuilder) -> Void) -> ImageDescription {
        var builder = ElfBuilder()
        change(&builder)
        return describe(builder.build())
    }

    private func codes(_ description: ImageDescription) -> [PluginImageError.Code] {
        LoadRules.forTests.refusals(of: description).map(\.code)
    }

    @Test func aGoodPluginHasNoFaultAndNoRefusal() throws {
        let description = describe(try PluginSource.good.get())
        #expect(description.faults.isEmpty)
        #expect(codes(description).isEmpty)
        #expect(description.tag?.name == "Example")
        #expect(description.entryPoints == Self.names)
        #expect(description.exports.exports.map(\.name).contains("bahost_counter"))
        #expect(description.exports.count == description.exports.exports.count)
    }

    @Test func everyReasonIsListed() {
        let description = describe {
            $0.tag.replaceSubrange(14..<16, with: little(UInt16(9)))
            $0.tag.replaceSubrange(24..<32, with: little(UInt64(4)))
            $0.needed = ["/abs/lib.so", "$LIB.so", "libc.so.6"]
            $0.runPaths = ["relative:/elsewhere"]
            $0.stackFlags = 7
            $0.writableMemory = 7 << 20
            $0.versions = [("libc.so.6", ["GLIBC_2.99"])]
            $0.symbols = []
        }
        #expect(
            codes(description) == [
                .abiMinorMismatch, .tagMalformed, .noEntryPoint, .executableStack,
                .writableOverLimit, .forbiddenNeeded, .forbiddenNeeded, .forbiddenRunPath,
                .forbiddenRunPath, .missingSymbolVersion,
            ])
    }

    /// The first of the list is what a run is refused for.
    @Test func theFirstReasonIsTheOneOfARun() throws {
        var builder = ElfBuilder()
        builder.needed = ["/a", "/b"]
        builder.runPaths = ["relative"]
        let image = try read(builder.build())
        let rules = LoadRules.forTests
        #expect(rules.refusals(of: image).count == 3)
        #expect(rules.refusal(of: image) == rules.refusals(of: image).first)
        #expect(rules.refusals(of: image, atMost: 2) == Array(rules.refusals(of: image).prefix(2)))
    }

    @Test(arguments: [47, 48, 49, 2_000])
    func reasonsAreListedUpToABound(count: Int) {
        let description = describe {
            $0.runPaths = [Array(repeating: "a", count: count).joined(separator: ":")]
        }
        #expect(codes(description).count == min(count, LoadRules.mostRefusals))
    }

    @Test func aSharedObjectWithoutATagIsDescribed() {
        let description = describe { $0.tagSymbol.name = "" }
        #expect(description.elf?.needed == ["libc.so.6"])
        #expect(description.tag == nil)
        #expect(codes(description) == [.noTag])
    }

    @Test func aProgramIsDescribedAndRefused() {
        let description = describe { $0.extraDynamic = [(0x6fff_fffb, 0x0800_0000)] }
        #expect(description.elf != nil)
        #expect(description.tag != nil)
        #expect(codes(description) == [.notSharedObject])
    }

    @Test func aFileForAnotherMachineIsDescribedAndRefused() throws {
        let other: Machine = Machine.host == .x86_64 ? .aarch64 : .x86_64
        let description = describe(try PluginSource.good.get(), expecting: other)
        #expect(description.tag?.name == "Example")
        #expect(codes(description) == [.wrongMachine])
    }

    /// The same broken table is found by everyone who looks a name up in it.
    @Test func oneFaultIsToldOnce() {
        let description = describe { $0.patchHash = { $0[6] = 99 } }
        #expect(description.faults.count == Set(description.faults).count)
        #expect(!description.faults.isEmpty)
    }

    @Test(arguments: [4_094, 4_095, 4_096])
    func exportsAreKeptUpToABound(count: Int) {
        let description = describe {
            $0.symbols = (0..<count).map { ElfBuilder.Symbol(name: "f\($0)", address: 0) }
        }
        // The tag is one of them.
        #expect(description.exports.count == count + 1)
        #expect(description.exports.exports.count == min(count + 1, ExportList.mostNames))
    }

    @Test(arguments: [(4_095, 64, 4_095), (4_095, 65, 4_032), (66, 4_000, 65)])
    func theBytesOfExportsAreBounded(count: Int, length: Int, expected: Int) {
        let description = describe {
            $0.tagSymbol.name = ""
            $0.symbols = (0..<count).map { index in
                let number = String(index)
                let filling = String(repeating: "x", count: length - number.count)
                return ElfBuilder.Symbol(name: filling + number, address: 0)
            }
        }
        #expect(description.exports.exports.count == expected)
        #expect(description.exports.count == count)
    }

    @Test(
        arguments: [
            ([], "empty file"), (Array("#!/bin/sh\n".utf8), "script"),
            (Array("!<arch>\nabc".utf8), "archive of object files (a static library)"),
            (Array("/* GNU ld script */".utf8), "linker script"), (Array("hello\n".utf8), "text"),
            ([0xff, 0xff, 0xff], "data of no kind known here"), ([0x1f, 0x8b, 8], "gzip data"),
            ([0x7f, 0x45, 0x4c, 0x46, 2], "ELF file, cut off in its header"),
        ] as [([UInt8], String)])
    func whatIsNotELFIsNamed(bytes: [UInt8], words: String) {
        let description = describe(bytes)
        #expect(description.kind == words)
        #expect(description.elf == nil)
        #expect(codes(description).count == 1)
    }

    @Test(
        arguments: [
            (4, 1, "ELF shared object, 32-bit, little-endian, for x86-64"),
            (16, 1, "ELF object file, not yet linked, 64-bit, little-endian, for x86-64"),
            (18, 243, "ELF shared object, 64-bit, little-endian, for RISC-V"),
            (18, 250, "ELF shared object, 64-bit, little-endian, for ELF machine 250"),
        ] as [(Int, UInt8, String)])
    func otherELFFilesAreNamed(offset: Int, value: UInt8, words: String) {
        var builder = ElfBuilder()
        builder.machine = 62
        var bytes = builder.build()
        bytes[offset] = value
        #expect(describe(bytes).kind == words)
    }

    @Test func oddThingsAreNamed() {
        let description = describe {
            $0.tag.replaceSubrange(24..<32, with: little(UInt64(2)))
            $0.symbols = ["bahost_instal", "main", "bahost_install"].map {
                ElfBuilder.Symbol(name: $0, address: 0)
            }
            $0.writableMemory = 4 << 20
        }
        let sentences = description.oddities(
            entryPoints: Self.names, memoryLimitBytes: 6 << 20)
        for part in [
            "a runtime of its own", "names no toolchain", "exports main",
            "\"bahost_instal\", which is no entry point", "more than half of the memory limit",
        ] {
            #expect(sentences.contains { $0.contains(part) }, "\(part)")
        }
        #expect(sentences.count == 5)
        let nameless = describe {
            $0.tag.replaceSubrange(32..<96, with: PluginSource.padded("", 64))
        }
        #expect(
            nameless.oddities(entryPoints: Self.names, memoryLimitBytes: 6 << 20)
                == ["the file's tag has no name"])
        let plain = describe { _ in }
        #expect(plain.oddities(entryPoints: Self.names, memoryLimitBytes: 6 << 20).isEmpty)
    }
}
