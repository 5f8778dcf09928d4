import Foundation
import PluginImage

/// A good plugin built with `cc`, and what is known of it.
enum PluginSource {
    static let entryPoints = ["bahost_install", "bahost_update", "bahost_download_finished"]

    static var hostMachineNumber: UInt16 { Machine.host == .x86_64 ? 62 : 183 }

    /// The tag of SDK/ABI.md, byte by byte.
    static let goodTag: [UInt8] =
        Array("BAHOSTP\0".utf8) + little(UInt32(192)) + little(UInt16(0)) + little(UInt16(1))
        + little(UInt64(0)) + little(UInt64(0)) + padded("Example", 64) + padded("1.2.3", 32)
        + padded("", 32) + [UInt8](repeating: 0, count: 32)

    static func padded(_ text: String, _ size: Int) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: 0, count: size - text.utf8.count)
    }

    static let text = """
        #include <stdint.h>
        #include <unistd.h>
        #ifndef PLACE
        #define PLACE
        #endif
        struct tag {
            char magic[8]; uint32_t struct_size; uint16_t abi_major, abi_minor;
            uint64_t required_features, flags;
            char name[64], version[32], toolchain[32]; uint8_t reserved[32];
        };
        _Static_assert(sizeof(struct tag) == 192, "SDK/ABI.md");
        __attribute__((visibility("default"), used, aligned(8))) PLACE
        const struct tag bahost_plugin = {
            .magic = "BAHOSTP", .struct_size = 192, .abi_minor = 1,
            .name = "Example", .version = "1.2.3",
        };
        static int counter = 7;
        int *bahost_counter = &counter;
        int bahost_install(const void *host) { return host ? (int)getpid() : counter; }
        int bahost_update(const void *host) { return bahost_install(host); }
        """

    static let good = Result { try build() }
    static let forAarch64 = Result {
        try build(compiler: aarch64Compiler, ["-Wl,-z,separate-code"])
    }
    static let aarch64Compiler = "aarch64-linux-gnu-gcc"
    static let hasAarch64Compiler = FileManager.default.isExecutableFile(
        atPath: "/usr/bin/\(aarch64Compiler)")

    /// The finished file's bytes; nothing is left on disk.
    static func build(compiler: String = "cc", _ options: [String] = []) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "bahost-image-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appending(path: "plugin.c")
        let product = folder.appending(path: "plugin.so")
        try text.write(to: source, atomically: false, encoding: .utf8)
        _ = try output(
            of: compiler,
            ["-shared", "-fPIC", "-O1", "-o", product.path, source.path] + options)
        return try [UInt8](Data(contentsOf: product))
    }

    struct ToolFailed: Error { let message: String }

    /// What a program on the search path prints.
    static func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment
            .merging(["LC_ALL": "C"]) { $1 }
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ToolFailed(message: "\(program) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A copy of a file to break in one place.
struct ForgedFile {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func put(_ number: some FixedWidthInteger, at offset: Int) {
        bytes.replaceSubrange(offset..<offset + number.bitWidth / 8, with: little(number))
    }

    func word(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << ($1 * 8) }
    }

    /// Where the program headers of a type start.
    func headers(_ type: UInt32) -> [Int] {
        let count = Int(bytes[56]) | Int(bytes[57]) << 8
        return (0..<count).map { Int(word(at: 32)) + $0 * 56 }
            .filter { UInt32(truncatingIfNeeded: word(at: $0)) == type }
    }

    /// Where the value of a dynamic tag stands.
    func dynamicValue(_ tag: UInt64) -> Int? {
        guard let header = headers(2).first else { return nil }
        let start = Int(word(at: header + 8))
        return stride(from: start, to: start + Int(word(at: header + 32)), by: 16)
            .first { word(at: $0) == tag }.map { $0 + 8 }
    }
}

/// The way through the reader that every test takes.
func read(
    _ bytes: [UInt8], expecting machine: Machine? = .host
) throws(PluginImageError) -> PluginImage {
    // SAFETY: bytes of integers, all initialised.
    try unsafe PluginImage(
        bytes: bytes.span.bytes, expecting: machine, lookingFor: PluginSource.entryPoints)
}

/// The error the reader ends with; nil when it reads the file.
func refusal(_ bytes: [UInt8]) -> PluginImageError? {
    do throws(PluginImageError) {
        _ = try read(bytes)
        return nil
    } catch {
        return error
    }
}

extension PluginImageError {
    /// What every sentence must be, whatever the file held.
    var isOneLine: Bool {
        sentence.hasPrefix("the file") && sentence.utf8.count < 2_000 && !sentence.hasSuffix(".")
            && sentence.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
