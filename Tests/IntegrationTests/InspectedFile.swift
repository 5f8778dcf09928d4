import Foundation
import TestSupport
import Testing

/// The part of an inspection's record that tests look at.
struct InspectedFile: Decodable {
    struct Image: Decodable {
        let machine: String
        let soname: String?
        let needs: [Need]
        let runPaths: [String]
        let symbolVersions: [SymbolVersion]
        let segments: [Segment]
        let stack: String
    }

    struct Need: Decodable {
        let library: String
        let origin: String
    }

    struct SymbolVersion: Decodable {
        let library: String
        let version: String
        let isWeak: Bool
    }

    struct Segment: Decodable, Hashable {
        let address: UInt64
        let memoryBytes: UInt64
        let fileOffset: UInt64
        let fileBytes: UInt64
        let alignment: UInt64
        let access: String
    }

    struct Export: Decodable {
        let name: String
        let kind: String
    }

    struct Tag: Decodable {
        let name: String
        let version: String
        let usesSwift: Bool
        let toolchain: String
    }

    struct Memory: Decodable {
        let writableBytes: UInt64?
        let readOnlyBytes: UInt64?
        let holeBytes: UInt64?
    }

    struct Refusal: Decodable {
        let code: String
        let sentence: String
    }

    let file: String
    let result: String
    let detail: String?
    let kind: String?
    let image: Image?
    let tag: Tag?
    let entryPoints: [String]
    let exportCount: Int
    let exports: [Export]
    let memory: Memory
    let refusals: [Refusal]
    let oddities: [String]

    var codes: [String] { refusals.map(\.code) }
}

extension RunFixture {
    /// One record for each line that was printed.
    func inspect(
        _ words: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (result: ProgramResult, files: [InspectedFile]) {
        let result = try runPlain(["inspect", "--json"] + words)
        expectNoProcess(sourceLocation: sourceLocation)
        let files = try result.lines.map {
            try JSONDecoder().decode(InspectedFile.self, from: Data($0.utf8))
        }
        return (result, files)
    }
}

/// The same facts by another reader: `readelf(1)`.
struct ReadelfFacts {
    let machine: String
    let needed: [String]
    let soname: String?
    let runPaths: [String]
    let versions: [String]
    let segments: [InspectedFile.Segment]
    let stack: String
    let exports: [String]

    /// Keeps of the symbols those that `dlsym` finds by their name: defined, global, visible and
    /// of no old version.
    private static let filter = #"""
        readelf -hdlW --dyn-syms -V "$1" | awk '
        $1 ~ /^[0-9]+:$/ && NF >= 8 && length($2) == 16 {
            if ($7 == "UND" || $5 !~ /GLOBAL|WEAK|UNIQUE/ || $6 !~ /DEFAULT|PROTECTED/) next
            name = $8
            if (name ~ /@@/) sub(/@@.*/, "", name); else if (name ~ /@/) next
            print "export", name
        }
        /Machine:|\((NEEDED|SONAME|RPATH|RUNPATH)\)|^ +(LOAD|GNU_STACK) |Name:.*Flags:.*Version:/'
        """#

    init(_ path: String) throws {
        let result = try runProgram(
            "/bin/sh", ["-c", Self.filter, "sh", path], environment: ["LC_ALL": "C"])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.lines.map { $0.split(separator: " ").map(String.init) }
        func first(_ word: String) -> [[String]] { lines.filter { $0.first == word } }
        func bracketed(_ word: String) -> [String] {
            result.lines.filter { $0.contains("(\(word))") }.compactMap { line in
                guard let start = line.firstIndex(of: "["), let end = line.lastIndex(of: "]")
                else { return nil }
                return String(line[line.index(after: start)..<end])
            }
        }
        machine = first("Machine:").contains { $0.last == "X86-64" } ? "x86-64" : "aarch64"
        needed = bracketed("NEEDED")
        soname = bracketed("SONAME").first
        runPaths = bracketed("RPATH") + bracketed("RUNPATH")
        versions = lines.filter { $0.count == 7 && $0[1] == "Name:" }.map { $0[2] }
        segments = first("LOAD").map(Self.segment)
        let stacks = first("GNU_STACK").map { $0[6...].dropLast().joined() }
        stack = stacks.last.map { $0.contains("E") ? "executable" : "notExecutable" } ?? "unsaid"
        exports = first("export").compactMap { $0.last }
    }

    /// `LOAD 0x000000 0x0000000000000000 0x0000000000000000 0x01000 0x01000 R E 0x1000`.
    private static func segment(_ fields: [String]) -> InspectedFile.Segment {
        func number(_ index: Int) -> UInt64 { UInt64(fields[index].dropFirst(2), radix: 16) ?? 0 }
        let flags = fields[6...].dropLast().joined()
        let access =
            (flags.contains("R") ? "r" : "-") + (flags.contains("W") ? "w" : "-")
            + (flags.contains("E") ? "x" : "-")
        return InspectedFile.Segment(
            address: number(2), memoryBytes: number(5), fileOffset: number(1),
            fileBytes: number(4), alignment: number(fields.count - 1), access: access)
    }

    /// By pages: what can be written, what cannot, and what lies between.
    var memory: (writable: UInt64, readOnly: UInt64, holes: UInt64) {
        var sums = (writable: UInt64(0), readOnly: UInt64(0), holes: UInt64(0))
        var last: UInt64?
        for segment in segments {
            let start = segment.address / 4_096 * 4_096
            let end = (segment.address + segment.memoryBytes + 4_095) / 4_096 * 4_096
            if segment.access.contains("w") {
                sums.writable += end - start
            } else {
                sums.readOnly += end - start
            }
            sums.holes += start - (last ?? start)
            last = end
        }
        return sums
    }
}
