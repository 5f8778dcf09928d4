import WireProtocol

/// A stream of frames with every decoder of messages behind it, and a record of evidence.
enum WireTarget {
    static func check(_ input: [UInt8]) throws(BrokenPromise) {
        try checkEvidence(input)
        let whole = read(input, piece: input.count)
        try expect(
            whole == read(input) { 1 + Int($0 & 0x3F) }, "pieces of a stream read differently")
        let joined = whole.frames.flatMap(\.bytes)
        try expect(input.starts(with: joined), "a frame is not the bytes that it was read from")
        if whole.fault == nil {
            try expect(
                whole.pending == input.count - joined.count, "bytes of a stream are lost")
        }
        if let fault = whole.fault { try expectPrintable("\(fault)", atMost: 256) }
        try checkMessage(input, whole)
        for frame in whole.frames { try checkFrame(frame) }
    }

    private struct Reading: Equatable {
        var frames: [Frame] = []
        var fault: WireError?
        /// Zero after a fault: how much was fed by then depends on the pieces.
        var pending = 0
    }

    private static func read(_ input: [UInt8], piece: Int) -> Reading {
        read(input) { _ in max(piece, 1) }
    }

    /// Feeds the input in pieces; the byte that a piece begins with decides how long it is.
    private static func read(_ input: [UInt8], piece: (UInt8) -> Int) -> Reading {
        var reading = Reading()
        var reader = FrameReader()
        var rest = input[...]
        while let first = rest.first {
            let taken = rest.prefix(piece(first))
            rest = rest.dropFirst(taken.count)
            reader.feed(taken)
            do throws(WireError) {
                while let frame = try reader.next() { reading.frames.append(frame) }
            } catch {
                reading.fault = error
                return reading
            }
        }
        reading.pending = reader.pendingBytes
        return reading
    }

    /// A message that is one frame is exactly what a stream with that frame and no more holds.
    private static func checkMessage(
        _ input: [UInt8], _ reading: Reading
    ) throws(BrokenPromise) {
        let frame = try? Frame(message: input[...])
        let isOne = reading.frames.count == 1 && reading.frames.first?.bytes.count == input.count
        try expect((frame != nil) == isOne, "a message and a stream are cut differently")
        try expect(frame == nil || frame == reading.frames.first, "a message is another frame")
    }

    private static func checkFrame(_ frame: Frame) throws(BrokenPromise) {
        let readings = [
            try outcome(frame) { frame throws(WireError) in
                try HostMessage(frame).frame(sequence: frame.sequence)
            },
            try outcome(frame) { frame throws(WireError) in
                try WorkerMessage(frame).frame(sequence: frame.sequence)
            },
            try outcome(frame) { frame throws(WireError) in try LauncherRequest(frame).frame() },
            try outcome(frame) { frame throws(WireError) in try LauncherReport(frame).frame() },
        ]
        try expect(
            readings.count(where: { $0 }) <= 1, "frame kind \(frame.kind) has two meanings")
    }

    /// True when the frame is a message; its encoding is then the very same payload.
    private static func outcome(
        _ frame: Frame, _ recode: (Frame) throws(WireError) -> Frame
    ) throws(BrokenPromise) -> Bool {
        let again: Frame
        do throws(WireError) {
            again = try recode(frame)
        } catch {
            try expectPrintable("\(error)", atMost: 256)
            return false
        }
        try expect(again.kind == frame.kind, "kind \(frame.kind) is written as \(again.kind)")
        try expect(again.payload == frame.payload, "kind \(frame.kind) is not written as read")
        return true
    }

    private static func checkEvidence(_ input: [UInt8]) throws(BrokenPromise) {
        guard let record = EvidenceRecord(untrusted: input[...]) else { return }
        try expect(input.count == EvidenceRecord.byteCount, "evidence of another length")
        try expect(
            EvidenceRecord(untrusted: record.bytes[...]) == record,
            "evidence is not written as read")
        try expect(
            record.text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "evidence names hidden text"
        )
    }
}
