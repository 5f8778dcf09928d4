/// The processors a plugin can be made for.
package enum Machine: String, Hashable, Sendable, CaseIterable {
    case x86_64 = "x86-64"
    case aarch64 = "aarch64"

    /// What this program runs on.
    package static var host: Machine {
        #if arch(x86_64)
            .x86_64
        #elseif arch(arm64)
            .aarch64
        #else
            #error("bahost runs on x86-64 and aarch64")
        #endif
    }

    /// `e_machine`, elf(5).
    init?(number: UInt16) {
        switch number {
        case 62: self = .x86_64
        case 183: self = .aarch64
        default: return nil
        }
    }
}

/// The bounds of the reader; whatever is past one is `malformed`.
package enum ElfLimits {
    package static let programHeaders = 128
    package static let dynamicEntries = 1_024
    package static let needed = 256
    package static let runPaths = 16
    package static let neededVersions = 1_024
    package static let nameLength = 4_096
    /// Bytes of all names together that are kept, so that facts fit any memory limit.
    package static let keptNames = 262_144
    package static let symbols = 262_144
    package static let relocations = 1_048_576
    /// One past the highest address a segment may end at: user space of both machines.
    package static let addressEnd: UInt64 = 1 << 47
}

/// The file header: `Elf64_Ehdr` of elf(5), as far as a loader reads it.
struct ElfHeader {
    static let size: UInt64 = 64
    static let programHeaderSize: UInt64 = 56

    let machine: Machine
    let programHeaders: FileRange

    init(bytes: RawSpan, expecting expected: Machine?) throws(PluginImageError) {
        try Self.checkIdentification(bytes)
        machine = try Self.readMachine(bytes, expecting: expected)
        try Self.checkType(bytes)
        programHeaders = try Self.findProgramHeaders(bytes)
    }

    private static func checkIdentification(_ bytes: RawSpan) throws(PluginImageError) {
        guard bytes.byteCount > 0 else { throw PluginImageError(.notELF, "the file is empty") }
        let magic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]
        for (index, expected) in magic.prefix(bytes.byteCount).enumerated()
        where try bytes.load(UInt8.self, at: UInt64(index)) != expected {
            throw PluginImageError(
                .notELF, "the file is not an ELF file: it does not start with 7f 45 4c 46")
        }
        guard bytes.length >= size else {
            throw .truncated("its ELF header", endingAt: size, of: bytes.length)
        }
        let fileClass = try bytes.load(UInt8.self, at: 4)
        guard fileClass == 2 else {
            throw PluginImageError(
                .wrongClass,
                fileClass == 1
                    ? "the file is a 32-bit ELF file (class 1), 64-bit (class 2) is needed"
                    : "the file has the unknown ELF class \(fileClass), 64-bit (2) is needed")
        }
        let order = try bytes.load(UInt8.self, at: 5)
        guard order == 1 else {
            throw PluginImageError(
                .wrongByteOrder,
                order == 2
                    ? "the file is big-endian (data encoding 2), little-endian (1) is needed"
                    : "the file has the unknown data encoding \(order), little-endian (1) is needed"
            )
        }
        let version = try bytes.load(UInt8.self, at: 6)
        guard version == 1 else {
            throw .malformed("the file has the unknown ELF version \(version), 1 is needed")
        }
    }

    private static func readMachine(
        _ bytes: RawSpan, expecting expected: Machine?
    ) throws(PluginImageError) -> Machine {
        // 0 is System V, 3 is GNU/Linux; glibc opens no other (elf/dl-load.c).
        let system = try bytes.load(UInt8.self, at: 7)
        guard system == 0 || system == 3 else {
            throw PluginImageError(
                .wrongMachine,
                "the file is made for another operating system (ELF OS ABI \(system))")
        }
        let number = try bytes.load(UInt16.self, at: 18)
        guard let machine = Machine(number: number) else {
            throw PluginImageError(
                .wrongMachine,
                "the file is made for ELF machine \(number),"
                    + " not for \(expected?.rawValue ?? "x86-64 or aarch64")")
        }
        if let expected, expected != machine {
            throw .otherMachine(machine, than: expected)
        }
        return machine
    }

    private static func checkType(_ bytes: RawSpan) throws(PluginImageError) {
        let type = try bytes.load(UInt16.self, at: 16)
        let found: String
        switch type {
        case 3: return
        case 1: found = "an object file not yet linked (ELF type 1)"
        case 2: found = "a program (ELF type 2)"
        case 4: found = "a core dump (ELF type 4)"
        default: found = "of the unknown ELF type \(type)"
        }
        throw PluginImageError(.notSharedObject, "the file is \(found), not a shared object")
    }

    private static func findProgramHeaders(
        _ bytes: RawSpan
    ) throws(PluginImageError) -> FileRange {
        let offset = try bytes.load(UInt64.self, at: 32)
        let entrySize = try bytes.load(UInt16.self, at: 54)
        let count = try bytes.load(UInt16.self, at: 56)
        guard entrySize == programHeaderSize else {
            throw .malformed(
                "the file says its program headers are \(entrySize) bytes each,"
                    + " \(programHeaderSize) is right")
        }
        guard (1...ElfLimits.programHeaders).contains(Int(count)) else {
            throw .malformed(
                "the file has \(grouped(UInt64(count))) program headers,"
                    + " 1 to \(ElfLimits.programHeaders) are accepted")
        }
        let total = UInt64(count) * programHeaderSize
        let (end, overflow) = offset.addingReportingOverflow(total)
        guard !overflow else {
            throw .malformed(
                "the file says its program headers are at byte \(grouped(offset)), past any file")
        }
        guard end <= bytes.length else {
            throw .truncated("its program header table", endingAt: end, of: bytes.length)
        }
        return FileRange(offset: offset, count: total)
    }
}
