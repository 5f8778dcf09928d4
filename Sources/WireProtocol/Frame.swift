/// One frame: a 16-byte little-endian header and a payload of at most 1 MiB.
///
/// Header: magic `BAHW` (u32), version (u16), kind (u16), payload length (u32), sequence (u32).
package struct Frame: Hashable, Sendable {
    package static let headerBytes = 16
    package static let magic: UInt32 = 0x5748_4142
    package static let version: UInt16 = 1

    package let kind: UInt16

    /// Pairs a reply with its call; 0 where no reply is expected.
    package let sequence: UInt32
    package let payload: [UInt8]

    package init(kind: UInt16, sequence: UInt32, payload: [UInt8]) throws(WireError) {
        guard payload.count <= WireBound.payloadBytes else { throw WireError(.tooLong, "frame") }
        self.kind = kind
        self.sequence = sequence
        self.payload = payload
    }

    package var bytes: [UInt8] {
        var encoder = WireEncoder()
        encoder.reserve(Frame.headerBytes + payload.count)
        encoder.put(Frame.magic)
        encoder.put(Frame.version)
        encoder.put(kind)
        encoder.put(UInt32(truncatingIfNeeded: payload.count))
        encoder.put(sequence)
        return encoder.bytes + payload
    }
}

/// Cuts a byte stream into frames; the length is judged before anything is kept.
package struct FrameReader: Sendable {
    private var buffer: [UInt8] = []

    package init() {}

    /// Bytes fed and not yet taken as frames.
    package var pendingBytes: Int { buffer.count }

    package mutating func feed(_ bytes: ArraySlice<UInt8>) {
        buffer.append(contentsOf: bytes)
    }

    /// The next whole frame, or nil until more is fed.
    package mutating func next() throws(WireError) -> Frame? {
        guard buffer.count >= Frame.headerBytes else { return nil }
        var decoder = WireDecoder(buffer[0..<Frame.headerBytes])
        guard try decoder.uint32("frame") == Frame.magic else {
            throw WireError(.badMagic, "frame")
        }
        guard try decoder.uint16("frame") == Frame.version else {
            throw WireError(.badVersion, "frame")
        }
        let kind = try decoder.uint16("frame")
        let length = Int(try decoder.uint32("frame"))
        let sequence = try decoder.uint32("frame")
        guard length <= WireBound.payloadBytes else { throw WireError(.tooLong, "frame") }
        let end = Frame.headerBytes + length
        guard buffer.count >= end else { return nil }
        let frame = try Frame(
            kind: kind, sequence: sequence, payload: Array(buffer[Frame.headerBytes..<end]))
        buffer.removeFirst(end)
        return frame
    }
}
