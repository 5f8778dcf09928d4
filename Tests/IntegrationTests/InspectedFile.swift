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

    init(_ path: String) throws {
        let result = try runProgram(
            "/usr/bin/readelf", ["-hdlW", "--dyn-syms", "-V", path], environment: ["LC_ALL": "C"])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        let machines = lines.compactMap { $0.firstMatch(of: /^ +Machine: +(.*)$/)?.1 }
        machine = machines.first?.contains("X86-64") == true ? "x86-64" : "aarch64"
        needed = lines.compactMap { $0.firstMatch(of: /\(NEEDED\) .*\[(.*)\]$/)?.1 }.map(String.init)
        soname = lines.compactMap { $0.firstMatch(of: /\(SONAME\) .*\[(.*)\]$/)?.1 }.first
            .map(String.init)
        runPaths = lines.compactMap { $0.firstMatch(of: /\(R(UN)?PATH\) .*\[(.*)\]$/)?.2 }
            .map(String.init)
        versions = lines.compactMap {
            $0.firstMatch(of: /^ +0x[0-9a-f]+: +Name: (\S+) +Flags: .* +Version: [0-9]+$/)?.1
        }.map(String.init)
        segments = lines.compactMap(Self.segment)
        let stacks = lines.compactMap { $0.firstMatch(of: /^ +GNU_STACK( +\S+){5} (...) +0x/)?.2 }
        stack = stacks.last.map { $0.contains("E") ? "executable" : "notExecutable" } ?? "unsaid"
        exports = lines.compactMap(Self.export)
    }

    /// `LOAD 0x000000 0x0000000000000000 0x0000000000000000 0x01000 0x01000 R E 0x1000`.
    private static func segment(_ line: Substring) -> InspectedFile.Segment? {
        let pattern =
            /^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+) (.)(.)(.) 0x(\w+)$/
        guard let found = line.firstMatch(of: pattern)?.output else { return nil }
        let access =
            (found.5 == "R" ? "r" : "-") + (found.6 == "W" ? "w" : "-")
            + (found.7 == "E" ? "x" : "-")
        return InspectedFile.Segment(
            address: UInt64(found.2, radix: 16) ?? 0, memoryBytes: UInt64(found.4, radix: 16) ?? 0,
            fileOffset: UInt64(found.1, radix: 16) ?? 0, fileBytes: UInt64(found.3, radix: 16) ?? 0,
            alignment: UInt64(found.8, radix: 16) ?? 0, access: access)
    }

    /// Defined, global, visible and of no old version: what `dlsym` finds by its name.
    private static func export(_ line: Substring) -> String? {
        let fields = line.split(separator: " ")
        guard fields.count >= 8, fields[0].hasSuffix(":"), Int(fields[0].dropLast()) != nil,
            fields[1].count == 16, fields[6] != "UND",
            ["GLOBAL", "WEAK", "UNIQUE"].contains(fields[4]),
            ["DEFAULT", "PROTECTED"].contains(fields[5])
        else { return nil }
        guard let at = fields[7].firstIndex(of: "@") else { return String(fields[7]) }
        return fields[7][at...].hasPrefix("@@") ? String(fields[7][..<at]) : nil
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
