import Foundation
import Glibc
import TestSupport
import Testing

/// `bahost inspect` on files that are broken on purpose: a sentence, no crash, no hang.
struct ForgedFileTests {
    struct Forgery: Sendable, CustomTestStringConvertible {
        let name: String
        let code: String
        let part: String
        let forge: @Sendable (inout [UInt8]) -> Void

        var testDescription: String { name }
    }

    private static let forgeries: [Forgery] = [
        Forgery(name: "empty", code: "notELF", part: "is empty") { $0 = [] },
        Forgery(name: "ones", code: "notELF", part: "not an ELF file") {
            $0 = Array(repeating: 0xff, count: 65_536)
        },
        Forgery(name: "cut in its header", code: "truncated", part: "its ELF header") {
            $0.removeSubrange(40...)
        },
        Forgery(name: "cut in a segment", code: "truncated", part: "it is truncated") {
            $0.removeSubrange(($0.count / 4)...)
        },
        Forgery(name: "32 bits", code: "wrongClass", part: "a 32-bit ELF file") { $0[4] = 1 },
        Forgery(name: "big-endian", code: "wrongByteOrder", part: "big-endian") { $0[5] = 2 },
        Forgery(name: "RISC-V", code: "wrongMachine", part: "ELF machine 243") { $0[18] = 243 },
        Forgery(name: "a program", code: "notSharedObject", part: "a program") { $0[16] = 2 },
        Forgery(name: "65,535 headers", code: "malformed", part: "65,535 program headers") {
            $0.replaceSubrange(56..<58, with: [0xff, 0xff])
        },
        Forgery(name: "headers past the end", code: "truncated", part: "program header table") {
            $0.put(UInt64.max / 2, at: 32)
        },
        Forgery(name: "unordered", code: "unorderedSegments", part: "ascending order") {
            let loads = $0.headers(of: 1)
            let first = Array($0[loads[0]..<loads[0] + 56])
            let second = Array($0[loads[1]..<loads[1] + 56])
            $0.replaceSubrange(loads[0]..<loads[0] + 56, with: second)
            $0.replaceSubrange(loads[1]..<loads[1] + 56, with: first)
        },
        Forgery(name: "overlapping", code: "overlappingSegments", part: "overlaps") {
            let first = $0.headers(of: 1)[0]
            $0.put(UInt64(1 << 20), at: first + 40)
        },
        Forgery(name: "a segment past memory", code: "malformed", part: "user memory") {
            let last = $0.headers(of: 1).last ?? 64
            $0.put(UInt64.max / 2, at: last + 40)
        },
        Forgery(name: "a dynamic section elsewhere", code: "malformed", part: "dynamic section") {
            $0.put(UInt64(0x7fff_ffff), at: $0.headers(of: 2)[0] + 16)
        },
        Forgery(name: "an executable stack", code: "executableStack", part: "executable stack") {
            $0[$0.headers(of: 0x6474_e551)[0] + 4] = 7
        },
        Forgery(name: "a short tag", code: "tagTooShort", part: "159 bytes") {
            $0.putTag(159, at: 8)
        },
        Forgery(name: "a long tag", code: "tagMalformed", part: "only") {
            $0.putTag(1 << 30, at: 8)
        },
        Forgery(name: "another ABI", code: "abiMajorMismatch", part: "plugin ABI") {
            $0.putTag(0x0007_0007, at: 12)
        },
        Forgery(name: "an endless chain", code: "malformed", part: "the file") {
            $0.endChainsNever()
        },
    ]

    @Test(arguments: forgeries)
    func aForgedPluginIsRefusedInOneSentence(_ forgery: Forgery) throws {
        let fixture = try RunFixture()
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: fixture.plugin("HelloDownload"))))
        forgery.forge(&bytes)
        let path = "\(fixture.scratch.path)/forged.so"
        try Data(bytes).write(to: URL(filePath: path))
        let (result, files) = try fixture.inspect([path])
        #expect(result.status == 1, "\(result.errors)")
        let file = try #require(files.first)
        #expect(file.result == "refused", "\(file.detail ?? "")")
        let sentence = file.refusals.first { $0.code == forgery.code }?.sentence
        #expect(sentence?.contains(forgery.part) == true, "\(file.refusals)")
        #expect(file.refusals.allSatisfy { !$0.sentence.contains("\n") })
        #expect(result.duration < .seconds(20))
    }

    /// A plugin with gigabytes of nothing behind it.
    @Test(arguments: [(1 << 31, nil), (1 << 31 + 1, "2.0 GiB"), (1 << 42, "4.0 TiB")])
    func aGiantFileIsReadUpToABound(size: Int, named: String?) throws {
        let fixture = try RunFixture()
        let path = "\(fixture.scratch.path)/giant.so"
        try FileManager.default.copyItem(
            atPath: fixture.plugin("HelloDownload"), toPath: path)
        // Not every file system has files as large.
        guard unsafe truncate(path, size) == 0 else { return }
        let (result, files) = try fixture.inspect([path])
        let file = try #require(files.first)
        guard let named else {
            #expect(result.status == 0, "\(file.refusals) \(file.detail ?? "")")
            return
        }
        #expect(result.status == 1)
        #expect(
            file.refusals.map(\.sentence) == [
                "the file is \(named) long, at most 2.0 GiB is read"
            ], "\(file.detail ?? "")")
    }

    @Test func whatIsNoRegularFileIsRefusedWithoutWaiting() throws {
        let fixture = try RunFixture()
        let fifo = "\(fixture.scratch.path)/fifo.so"
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        let (result, files) = try fixture.inspect([fifo, fixture.scratch.path, "/dev/zero"])
        #expect(result.status == 1)
        let sentences = files.compactMap(\.refusals.first?.sentence)
        for (sentence, part) in zip(sentences, ["a FIFO", "a directory", "a device"]) {
            #expect(sentence.contains(part), "\(sentence)")
        }
        #expect(sentences.count == 3)
        #expect(result.duration < .seconds(20))
    }

    /// Bytes changed at random: every file is described or refused, and none is the end of a worker.
    @Test func changedBytesNeverEndTheWorker() throws {
        let fixture = try RunFixture()
        let good = try [UInt8](Data(contentsOf: URL(filePath: fixture.plugin("HelloDownload"))))
        var random = SeededGenerator(seed: 20_260)
        var paths: [String] = []
        for number in 0..<60 {
            var bytes = good
            for _ in 0...Int.random(in: 0...40, using: &random) {
                // Most of what is read lies in the first pages.
                let place = Int.random(in: 0..<min(bytes.count, 4_096), using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let path = "\(fixture.scratch.path)/\(number).so"
            try Data(bytes).write(to: URL(filePath: path))
            paths.append(path)
        }
        let (result, files) = try fixture.inspect(paths)
        #expect(result.status == 1, "\(result.errors)")
        #expect(files.count == paths.count)
        for file in files {
            #expect(file.result != "unread", "\(file.file): \(file.detail ?? "")")
        }
    }
}

extension [UInt8] {
    fileprivate mutating func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        for index in 0..<Number.bitWidth / 8 {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> (index * 8))
        }
    }

    fileprivate func number(at offset: Int, bytes: Int) -> Int {
        (0..<bytes).reduce(0) { $0 | Int(self[offset + $1]) << ($1 * 8) }
    }

    /// Where the program headers of a type start.
    fileprivate func headers(of type: Int) -> [Int] {
        (0..<number(at: 56, bytes: 2)).map { number(at: 32, bytes: 8) + 56 * $0 }
            .filter { number(at: $0, bytes: 4) == type }
    }

    fileprivate mutating func putTag(_ number: UInt32, at offset: Int) {
        guard let tag = firstRange(of: Array("BAHOSTP\0".utf8))?.lowerBound else { return }
        put(number, at: tag + offset)
    }

    /// Makes no entry of the hash table the last of its chain, up to the end of its segment.
    fileprivate mutating func endChainsNever() {
        let dynamic = number(at: headers(of: 2)[0] + 8, bytes: 8)
        for entry in stride(from: dynamic, to: count - 16, by: 16)
        where number(at: entry, bytes: 8) == 0x6fff_fef5 {
            let table = number(at: entry + 8, bytes: 8)
            let chains =
                table + 16 + 8 * number(at: table + 8, bytes: 4) + 4 * number(at: table, bytes: 4)
            // Bloom filter: everything passes.
            for place in table + 16..<table + 16 + 8 * number(at: table + 8, bytes: 4) {
                self[place] = 0xff
            }
            for place in stride(from: chains, to: headersEnd(after: chains), by: 4) {
                self[place] &= 0xfe
            }
            return
        }
    }

    private func headersEnd(after place: Int) -> Int {
        for header in headers(of: 1) {
            let end = number(at: header + 8, bytes: 8) + number(at: header + 32, bytes: 8)
            if place < end { return end - 3 }
        }
        return count - 3
    }
}
