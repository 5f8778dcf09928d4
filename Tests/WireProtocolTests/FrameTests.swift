import Testing
import WireProtocol

struct FrameTests {
    private func frames(_ count: Int) throws -> [Frame] {
        try (0..<count).map {
            try Frame(
                kind: UInt16($0), sequence: UInt32($0), payload: Array(repeating: 7, count: $0))
        }
    }

    @Test func theHeaderIsAsDocumented() throws {
        let frame = try Frame(kind: 0x0102, sequence: 0x0A0B_0C0D, payload: [0xEE])
        #expect(
            frame.bytes == [
                0x42, 0x41, 0x48, 0x57, 1, 0, 0x02, 0x01, 1, 0, 0, 0, 0x0D, 0x0C, 0x0B, 0x0A, 0xEE,
            ])
    }

    @Test func framesComeOutHoweverTheStreamIsCut() throws {
        let frames = try frames(5)
        let stream = frames.flatMap(\.bytes)
        for size in 1...stream.count {
            var reader = FrameReader()
            var found: [Frame] = []
            var rest = stream[...]
            while !rest.isEmpty {
                reader.feed(rest.prefix(size))
                rest = rest.dropFirst(size)
                while let frame = try reader.next() { found.append(frame) }
            }
            #expect(found == frames)
            #expect(reader.pendingBytes == 0)
        }
    }

    @Test func aPayloadIsGoodAtItsBoundAndNotPast() throws {
        let longest = [UInt8](repeating: 1, count: WireBound.payloadBytes)
        let frame = try Frame(kind: 1, sequence: 0, payload: longest)
        var reader = FrameReader()
        reader.feed(frame.bytes[...])
        #expect(try reader.next() == frame)
        #expect(throws: WireError(.tooLong, "frame")) {
            try Frame(kind: 1, sequence: 0, payload: longest + [1])
        }
    }

    @Test func aLengthPastTheBoundIsRefusedFromTheHeaderAlone() throws {
        var bytes = try Frame(kind: 1, sequence: 0, payload: []).bytes
        bytes[10] = 0x10
        #expect(throws: Never.self) { try Self.first(of: bytes) }
        bytes[8] = 1
        #expect(throws: WireError(.tooLong, "frame")) { try Self.first(of: bytes) }
    }

    @Test(
        arguments: [(0, .badMagic), (3, .badMagic), (4, .badVersion), (5, .badVersion)]
            as [(Int, WireError.Code)])
    func aForeignHeaderIsRefused(place: Int, code: WireError.Code) throws {
        var bytes = try Frame(kind: 1, sequence: 0, payload: []).bytes
        bytes[place] ^= 0x80
        #expect(throws: WireError(code, "frame")) { try Self.first(of: bytes) }
    }

    @Test func fifteenBytesAreNoHeader() throws {
        let bytes = try Frame(kind: 1, sequence: 0, payload: []).bytes
        #expect(try Self.first(of: bytes.dropLast()) == nil)
        #expect(try Self.first(of: bytes) != nil)
    }

    private static func first(of bytes: [UInt8]) throws -> Frame? {
        var reader = FrameReader()
        reader.feed(bytes[...])
        return try reader.next()
    }

    /// A plugin that writes to the descriptor by itself can send this many in one read.
    @Test func manySmallFramesInOneFeedAllComeOut() throws {
        let one = try Frame(kind: 1, sequence: 0, payload: []).bytes
        let stream = Array(repeatElement(one, count: 4096).joined())
        var reader = FrameReader()
        reader.feed(stream[...])
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 4096)
        #expect(reader.pendingBytes == 0)
    }
}

struct EvidenceRecordTests {
    private var full: EvidenceRecord {
        var record = EvidenceRecord(kind: .processRefused)
        record.signal = 31
        record.signalCode = -6
        record.faultAddress = 0x0102_0304_0506_0708
        record.stackLow = 2
        record.stackHigh = 3
        record.systemCall = -1
        record.askedBytes = 4
        record.leftBytes = .max
        record.text = "posix_spawn"
        return record
    }

    @Test func aRecordComesBack() {
        #expect(EvidenceRecord(untrusted: full.bytes[...]) == full)
    }

    @Test func theLayoutIsTheOneOfTheHandler() {
        let bytes = full.bytes
        #expect(bytes.count == 128)
        #expect(Array(bytes[0..<8]) == [0x42, 0x45, 0x56, 0x44, 4, 0, 0, 0])
        #expect(Array(bytes[8..<16]) == [31, 0, 0, 0, 0xFA, 0xFF, 0xFF, 0xFF])
        #expect(Array(bytes[16..<24]) == [8, 7, 6, 5, 4, 3, 2, 1])
        #expect(bytes[24] == 2)
        #expect(bytes[32] == 3)
        #expect(Array(bytes[40..<48]) == [UInt8](repeating: 0xFF, count: 8))
        #expect(bytes[48] == 4)
        #expect(Array(bytes[56..<64]) == [UInt8](repeating: 0xFF, count: 8))
        #expect(Array(bytes[64..<76]) == Array("posix_spawn".utf8) + [0])
    }

    @Test(arguments: [0, 127, 129, 256])
    func anotherLengthIsNoRecord(count: Int) {
        let bytes = (full.bytes + full.bytes).prefix(count)
        #expect(EvidenceRecord(untrusted: bytes) == nil)
    }

    @Test(arguments: [0, 5] as [UInt8])
    func anUnknownKindIsNoRecord(kind: UInt8) {
        var bytes = full.bytes
        bytes[4] = kind
        #expect(EvidenceRecord(untrusted: bytes[...]) == nil)
    }

    @Test func anotherMagicIsNoRecord() {
        var bytes = full.bytes
        bytes[0] = 0
        #expect(EvidenceRecord(untrusted: bytes[...]) == nil)
    }

    @Test func aTextWithControlCharactersIsLeftOut() {
        var bytes = full.bytes
        bytes[65] = 0x1B
        #expect(EvidenceRecord(untrusted: bytes[...])?.text == "")
    }

    @Test func aTextIsCutSoThatItEnds() {
        var record = full
        record.text = String(repeating: "x", count: 100)
        #expect(EvidenceRecord(untrusted: record.bytes[...])?.text.utf8.count == 63)
    }

    @Test func aRecordMayLieAnywhereInASlice() {
        let bytes = [0, 0, 0] + full.bytes
        #expect(EvidenceRecord(untrusted: bytes[3...]) == full)
    }

    @Test func aTextThatFillsItsPlaceIsNone() {
        let bytes = full.bytes.prefix(64) + [UInt8](repeating: UInt8(ascii: "x"), count: 64)
        #expect(EvidenceRecord(untrusted: bytes)?.text == "")
        let ended = bytes.dropLast() + [0]
        #expect(EvidenceRecord(untrusted: ended)?.text.utf8.count == 63)
    }
}
