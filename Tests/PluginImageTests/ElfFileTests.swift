import Foundation
import PluginImage
import Testing

/// The facts of a file, tag or no tag.
func facts(
    _ bytes: [UInt8], expecting machine: Machine? = .host
) throws(PluginImageError) -> ElfFile {
    // SAFETY: bytes of integers, all initialised.
    try unsafe ElfFile(bytes: bytes.span.bytes, expecting: machine)
}

/// Held against what `readelf` of binutils says about libraries of this system.
@Suite struct ElfFileTests {
    private static let folders = [
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
    ]
    /// Up to 24 libraries: the C and C++ runtimes and whatever else comes first.
    private static let libraries: [String] = {
        let preferred = ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"]
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let shared = names.filter { $0.contains(".so.") }.sorted()
            guard shared.contains("libc.so.6") else { continue }
            let others = shared.filter { !preferred.contains($0) }.prefix(20)
            return (preferred.filter(shared.contains) + others).map { "\(folder)/\($0)" }
        }
        return []
    }()
    private static let hasReadelf = FileManager.default.isExecutableFile(atPath: "/usr/bin/readelf")

    @Test(.enabled(if: hasReadelf), arguments: libraries)
    func readsTheDynamicSectionLikeReadelf(path: String) throws {
        let elf = try facts([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
        let lines = try PluginSource.output(of: "readelf", ["-dW", path]).split(separator: "\n")
        func values(_ tags: [String]) -> [String] {
            lines.compactMap { line in
                guard tags.contains(where: { line.contains("(\($0))") }),
                    let start = line.firstIndex(of: "["), let end = line.lastIndex(of: "]")
                else { return nil }
                return String(line[line.index(after: start)..<end])
            }
        }
        #expect(elf.needed == values(["NEEDED"]))
        #expect(elf.runPaths == values(["RPATH", "RUNPATH"]))
        #expect([elf.soname].compactMap(\.self) == values(["SONAME"]))
    }

    @Test(.enabled(if: hasReadelf), arguments: libraries)
    func readsTheSymbolsLikeReadelf(path: String) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        let elf = try facts(bytes)
        var mine: [String: UInt64] = [:]
        // SAFETY: bytes of integers, all initialised.
        try unsafe elf.forEachSymbol(in: bytes.span.bytes) { symbol, name in
            if symbol.isExported { mine[String(decoding: name, as: UTF8.self)] = symbol.address }
        }
        let theirs = try Self.exports(path)
        #expect(mine == theirs)
        for (name, address) in theirs {
            // SAFETY: as above.
            let found = try unsafe elf.exportedSymbol(name, in: bytes.span.bytes)
            #expect(found?.address == address, "\(name)")
        }
        for name in ["", "no such symbol", "bahost_plugin"] where theirs[name] == nil {
            // SAFETY: as above.
            #expect(try unsafe elf.exportedSymbol(name, in: bytes.span.bytes) == nil)
        }
    }

    /// Defined, visible, default version: name and address.
    private static func exports(_ path: String) throws -> [String: UInt64] {
        var result: [String: UInt64] = [:]
        let text = try PluginSource.output(of: "readelf", ["--dyn-syms", "-W", path])
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count >= 8, fields[0].hasSuffix(":"),
                ["GLOBAL", "WEAK", "UNIQUE"].contains(fields[4]),
                ["DEFAULT", "PROTECTED"].contains(fields[5]), fields[6] != "UND",
                let address = UInt64(fields[1], radix: 16)
            else { continue }
            // "name@@V" is the default version, "name@V" an old one.
            let parts = fields[7].split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count != 2 else { continue }
            result[String(parts[0])] = address
        }
        return result
    }

    @Test(.enabled(if: hasReadelf), arguments: libraries)
    func readsTheNeededVersionsLikeReadelf(path: String) throws {
        let elf = try facts([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
        var theirs: [String: [String]] = [:]
        var file = ""
        let text = try PluginSource.output(of: "readelf", ["-VW", path])
        let needs = text.range(of: "Version needs section").map { text[$0.upperBound...] } ?? ""
        for line in needs.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if let at = words.firstIndex(of: "File:") {
                file = words[at + 1]
                theirs[file] = []
            } else if let at = words.firstIndex(of: "Name:") {
                theirs[file, default: []].append(words[at + 1])
            }
        }
        let mine = Dictionary(
            uniqueKeysWithValues: elf.symbolVersions.map { ($0.file, $0.versions.map(\.name)) })
        #expect(mine == theirs)
    }

    @Test func addsUpWhatLoadingNeeds() throws {
        var builder = ElfBuilder()
        builder.writableMemory = 5_000
        var forged = ForgedFile(builder.build())
        let need = try facts(forged.bytes).loadNeed
        #expect(need.nonWritableBytes == 8_192)
        #expect(need.holeBytes == 0)
        #expect(need.writableBytes == 8_192)
        #expect(need.addressSpaceBytes == 8_192)
        #expect(need.alignmentBytes == 0)
        let writable = forged.headers(1)[2]
        // Nothing of it is in the file, so it does not matter that its place is past the end.
        forged.put(UInt64(2 << 20 + 0x2000), at: writable + 8)
        forged.put(UInt64(2 << 20), at: writable + 48)
        forged.put(UInt64(32 << 20 + 0x2000), at: writable + 16)
        let spread = try facts(forged.bytes).loadNeed
        #expect(spread.holeBytes == 32 << 20)
        #expect(spread.alignmentBytes == 2 << 20)
        #expect(spread.addressSpaceBytes == 32 << 20 + 8_192)
    }

    @Test func roundsByThePageSizeItIsGiven() throws {
        let bytes = ElfBuilder().build()
        for (size, need) in [(4_096, 8_192), (0, 8_192), (1_000, 8_192), (UInt64.max, 8_192)]
            as [(UInt64, UInt64)]
        {
            // SAFETY: bytes of integers, all initialised.
            let elf = try unsafe ElfFile(bytes: bytes.span.bytes, expecting: nil, pageSize: size)
            #expect(elf.loadNeed.nonWritableBytes == need)
        }
        #expect(throws: PluginImageError.self) {
            // SAFETY: as above. The alignment of 4,096 is below a page then.
            try unsafe ElfFile(bytes: bytes.span.bytes, expecting: nil, pageSize: 16_384)
        }
    }
}
