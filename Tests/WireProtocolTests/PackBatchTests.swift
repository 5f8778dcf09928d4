import Testing
import WireProtocol

struct PackBatchTests {
    private func packs(_ count: Int, userInfo: Int = 0) throws -> [AssetPackDescription] {
        try (0..<count).map { number in
            try AssetPackDescription(
                identifier: "pack-\(number)", userInfo: [UInt8](repeating: 32, count: userInfo))
        }
    }

    @Test func theSampleIsThere() {
        #expect(MessageSamples.batch?.packs.count == 2)
    }

    @Test func encodedBytesIsWhatTheWireTakes() throws {
        let batch = try #require(MessageSamples.batch)
        let payload = try HostMessage.call(.packs(batch)).frame().payload
        // The entry point's number and the count come before.
        #expect(payload.count == 5 + batch.packs.reduce(0) { $0 + $1.encodedBytes })
    }

    @Test(arguments: [(1, 1), (256, 256), (257, 256), (10_000, 256)])
    func aBatchStopsAt256(count: Int, taken: Int) throws {
        let packs = try packs(count)
        let batch = try #require(PackBatch(prefixOf: packs[...]))
        #expect(batch.packs == Array(packs.prefix(taken)))
    }

    /// No pack is lost or asked twice, whatever the sizes are.
    @Test(arguments: [0, 100, 8_000, WireBound.userInfoBytes])
    func splittingCoversAllInOrder(userInfo: Int) throws {
        let all = try packs(600, userInfo: userInfo)
        var rest = all[...]
        var seen: [AssetPackDescription] = []
        while let batch = PackBatch(prefixOf: rest) {
            seen += batch.packs
            rest = rest.dropFirst(batch.packs.count)
            let frame = try HostMessage.call(.packs(batch)).frame()
            #expect(frame.payload.count <= WireBound.payloadBytes)
            #expect(
                batch.packs.count == 1
                    || frame.payload.count <= WireBound.batchBytes + 5)
            #expect(try HostMessage(frame) == .call(.packs(batch)))
        }
        #expect(seen == all)
    }

    /// At the size and one byte past it.
    @Test(arguments: [(0, 2), (1, 1)])
    func aBatchStopsAtItsSize(more: Int, taken: Int) throws {
        let first = try AssetPackDescription(identifier: "a")
        let room = WireBound.batchBytes - first.encodedBytes - first.encodedBytes
        let second = try AssetPackDescription(
            identifier: "b", userInfo: [UInt8](repeating: 0, count: room + more))
        #expect(PackBatch(prefixOf: [first, second])?.packs.count == taken)
    }

    @Test func noPacksAreNoBatch() {
        #expect(PackBatch(prefixOf: []) == nil)
    }

    @Test func aPackThatFitsNoFrameCannotBeMade() throws {
        let longest = String(repeating: "a", count: 255)
        let most = [UInt8](repeating: 0, count: WireBound.userInfoBytes)
        #expect(try AssetPackDescription(identifier: longest).identifier == longest)
        #expect(try AssetPackDescription(identifier: "a", userInfo: most).userInfo == most)
        #expect(throws: WireError(.tooLong, "pack.identifier")) {
            try AssetPackDescription(identifier: longest + "a")
        }
        #expect(throws: WireError(.badValue, "pack.identifier")) {
            try AssetPackDescription(identifier: "")
        }
        #expect(throws: WireError(.badText, "pack.identifier")) {
            try AssetPackDescription(identifier: "a\0b")
        }
        #expect(throws: WireError(.tooLong, "pack.language")) {
            try AssetPackDescription(identifier: "a", language: longest + "a")
        }
        #expect(throws: WireError(.badText, "pack.language")) {
            try AssetPackDescription(identifier: "a", language: "\0")
        }
        #expect(throws: WireError(.tooLong, "pack.userInfo")) {
            try AssetPackDescription(identifier: "a", userInfo: most + [0])
        }
    }

    /// What a peer that keeps to no bound sends.
    private func payload(entry: UInt8, count: UInt32) -> [UInt8] {
        var encoder = WireEncoder()
        encoder.put(entry)
        encoder.put(count)
        return encoder.bytes
    }

    @Test func anEmptyBatchAndALongOneAreErrors() throws {
        let entry = EntryPoint.shouldDownload.rawValue
        let empty = try Frame(kind: 2, sequence: 0, payload: payload(entry: entry, count: 0))
        #expect(throws: WireError(.badValue, "call.packs")) { try HostMessage(empty) }
        let long = try Frame(kind: 2, sequence: 0, payload: payload(entry: entry, count: 257))
        #expect(throws: WireError(.tooLong, "call.packs")) { try HostMessage(long) }
    }

    @Test(arguments: [(0, false), (1, true), (256, true), (257, false)])
    func answersAreOneTo256(count: Int, isMessage: Bool) throws {
        let message = WorkerMessage.answered([Int32](repeating: 1, count: count))
        let frame = try message.frame()
        #expect(((try? WorkerMessage(frame)) == message) == isMessage)
    }
}
