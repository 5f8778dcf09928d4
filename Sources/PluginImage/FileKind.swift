/// What kind of file some bytes are, in a few words for people.
///
/// elf(5); for the others the first bytes, as magic(5) lists them.
enum FileKind {
    private static let others: [(magic: [UInt8], words: String)] = [
        (Array("!<arch>\n".utf8), "archive of object files (a static library)"),
        (Array("!<thin>\n".utf8), "archive of object files (a static library)"),
        (Array("#!".utf8), "script"),
        (Array("MZ".utf8), "Windows program or library"),
        ([0xcf, 0xfa, 0xed, 0xfe], "macOS program or library (Mach-O)"),
        ([0xca, 0xfe, 0xba, 0xbe], "macOS universal binary or Java class"),
        ([0x00, 0x61, 0x73, 0x6d], "WebAssembly module"),
        ([0x42, 0x43, 0xc0, 0xde], "LLVM bitcode"),
        (Array("PK\u{3}\u{4}".utf8), "zip archive"),
        ([0x1f, 0x8b], "gzip data"),
        ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "xz data"),
        ([0x28, 0xb5, 0x2f, 0xfd], "zstd data"),
        (Array("/* GNU ld script".utf8), "linker script"),
    ]

    private static let types: [UInt16: String] = [
        1: "object file, not yet linked", 2: "program", 3: "shared object", 4: "core dump",
    ]

    private static let machines: [UInt16: String] = [
        3: "32-bit x86", 8: "MIPS", 20: "PowerPC", 21: "64-bit PowerPC", 22: "S/390",
        40: "32-bit ARM", 62: "x86-64", 183: "aarch64", 243: "RISC-V", 258: "LoongArch",
    ]

    /// `ELF shared object, 64-bit, little-endian, for x86-64`, `script`, `text`.
    static func words(for bytes: RawSpan) -> String {
        guard bytes.byteCount > 0 else { return "empty file" }
        let start = head(bytes, atMost: 512)
        if start.starts(with: [0x7f, 0x45, 0x4c, 0x46]) { return elfWords(start) }
        if let other = others.first(where: { start.starts(with: $0.magic) }) { return other.words }
        let isText = start.allSatisfy { (0x20..<0x7f).contains($0) || (0x09...0x0d).contains($0) }
        return isText ? "text" : "data of no kind known here"
    }

    private static func head(_ bytes: RawSpan, atMost count: Int) -> [UInt8] {
        var head: [UInt8] = []
        for offset in 0..<UInt64(min(bytes.byteCount, count)) {
            guard let byte = try? bytes.load(UInt8.self, at: offset) else { break }
            head.append(byte)
        }
        return head
    }

    private static func elfWords(_ start: [UInt8]) -> String {
        guard start.count >= 20 else { return "ELF file, cut off in its header" }
        let isBig = start[5] == 2
        let type = number(start, 16, isBig)
        let machine = number(start, 18, isBig)
        return "ELF " + (types[type] ?? "file of type \(type)")
            + [1: ", 32-bit", 2: ", 64-bit"][start[4], default: ", of unknown class"]
            + [1: ", little-endian", 2: ", big-endian"][start[5], default: ", of unknown order"]
            + ", for " + (machines[machine] ?? "ELF machine \(machine)")
    }

    private static func number(_ start: [UInt8], _ at: Int, _ isBig: Bool) -> UInt16 {
        let pair = (UInt16(start[at]), UInt16(start[at + 1]))
        return isBig ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
    }
}
