import TestSupport
import Testing
import WireProtocol

struct MessageCodecTests {
    @Test(arguments: MessageSamples.host)
    func everyHostMessageComesBack(message: HostMessage) throws {
        let frame = try message.frame(sequence: 77)
        #expect(frame.sequence == 77)
        #expect(try HostMessage(frame) == message)
    }

    @Test(arguments: MessageSamples.worker)
    func everyWorkerMessageComesBack(message: WorkerMessage) throws {
        #expect(try WorkerMessage(message.frame()) == message)
    }

    @Test(arguments: MessageSamples.host)
    func aHostMessageCutAnywhereIsAnError(message: HostMessage) throws {
        let frame = try message.frame()
        for length in 0..<frame.payload.count {
            let cut = try Frame(
                kind: frame.kind, sequence: 0, payload: Array(frame.payload[..<length]))
            #expect(throws: WireError.self) { try HostMessage(cut) }
        }
    }

    @Test(arguments: MessageSamples.worker)
    func aWorkerMessageCutAnywhereIsAnError(message: WorkerMessage) throws {
        let frame = try message.frame()
        for length in 0..<frame.payload.count {
            let cut = try Frame(
                kind: frame.kind, sequence: 0, payload: Array(frame.payload[..<length]))
            #expect(throws: WireError.self) { try WorkerMessage(cut) }
        }
    }

    @Test func oneByteTooManyIsAnError() throws {
        for message in MessageSamples.host {
            let frame = try message.frame()
            let long = try Frame(kind: frame.kind, sequence: 0, payload: frame.payload + [0])
            #expect {
                try HostMessage(long)
            } throws: {
                ($0 as? WireError)?.code == .trailingBytes
            }
        }
        for message in MessageSamples.worker {
            let frame = try message.frame()
            let long = try Frame(kind: frame.kind, sequence: 0, payload: frame.payload + [0])
            #expect {
                try WorkerMessage(long)
            } throws: {
                ($0 as? WireError)?.code == .trailingBytes
            }
        }
    }

    @Test(arguments: [0, 5, 100, 101, 199, UInt16.max] as [UInt16])
    func anUnknownKindIsAnError(kind: UInt16) throws {
        let frame = try Frame(kind: kind, sequence: 0, payload: [])
        #expect(throws: WireError(.unknownKind, "host message \(kind)")) {
            try HostMessage(frame)
        }
        if kind != 101 {
            #expect(throws: WireError(.unknownKind, "worker message \(kind)")) {
                try WorkerMessage(frame)
            }
        }
    }

    /// Changed, cut and repeated bytes give a message or an error, and never a trap.
    @Test func mutatedMessagesNeverTrap() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let frames =
            try MessageSamples.host.map { try $0.frame() }
            + MessageSamples.worker.map { try $0.frame() }
        var decoded = 0
        for _ in 0..<20_000 {
            guard let frame = frames.randomElement(using: &random) else { continue }
            let payload = mutate(frame.payload, &random)
            let kind =
                Bool.random(using: &random)
                ? frame.kind : [1, 2, 3, 4, 101, 103, 105, 108].randomElement(using: &random) ?? 1
            let changed = try Frame(kind: kind, sequence: 0, payload: payload)
            if let message = try? HostMessage(changed) {
                decoded += 1
                #expect(try HostMessage(message.frame()) == message, "seed \(seed)")
            }
            if let message = try? WorkerMessage(changed) {
                decoded += 1
                #expect(try WorkerMessage(message.frame()) == message, "seed \(seed)")
            }
        }
        print("mutation seed \(seed): \(decoded) of 20000 still messages")
        #expect(decoded > 0, "seed \(seed)")
    }

    private func mutate(_ payload: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = payload
        for _ in 0...Int.random(in: 0...3, using: &random) {
            guard !bytes.isEmpty else { return [UInt8.random(in: 0...255, using: &random)] }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: bytes.removeSubrange(place...)
            case 3: bytes.insert(contentsOf: bytes[place...].prefix(8), at: place)
            default: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            }
        }
        return bytes
    }
}
