/// What a dying worker's handler wrote about its end: 128 bytes, little-endian.
///
/// The worker's C half is `bah_evidence.h`; both sides assert the layout. A plugin can forge one,
/// which only changes what is said of itself.
package struct EvidenceRecord: Hashable, Sendable {
    package static let byteCount = 128
    package static let magic: UInt32 = 0x4456_4542
    package static let textBytes = 64

    package enum Kind: UInt32, Hashable, Sendable {
        /// A signal came.
        case signal = 1

        /// An allocation was refused at the memory limit.
        case memoryRefused = 2

        /// A thread was refused at the thread limit.
        case threadRefused = 3

        /// A call that starts a process; `text` names it.
        case processRefused = 4
    }

    package var kind: Kind
    package var signal: Int32 = 0
    package var signalCode: Int32 = 0
    package var faultAddress: UInt64 = 0

    /// The stack of the thread that was hit; 0 when unknown.
    package var stackLow: UInt64 = 0
    package var stackHigh: UInt64 = 0

    /// The refused system call's number, or -1.
    package var systemCall: Int64 = -1
    package var askedBytes: UInt64 = 0
    package var leftBytes: UInt64 = 0
    package var text = ""

    package init(kind: Kind) {
        self.kind = kind
    }

    /// Reads one record; nil when it is none.
    package init?(untrusted bytes: ArraySlice<UInt8>) {
        guard bytes.count == EvidenceRecord.byteCount else { return nil }
        var decoder = WireDecoder(bytes.prefix(EvidenceRecord.byteCount - EvidenceRecord.textBytes))
        guard (try? decoder.uint32("evidence")) == EvidenceRecord.magic,
            let number = try? decoder.uint32("evidence"), let kind = Kind(rawValue: number),
            let signal = try? decoder.int32("evidence"),
            let signalCode = try? decoder.int32("evidence"),
            let faultAddress = try? decoder.uint64("evidence"),
            let stackLow = try? decoder.uint64("evidence"),
            let stackHigh = try? decoder.uint64("evidence"),
            let systemCall = try? decoder.int64("evidence"),
            let askedBytes = try? decoder.uint64("evidence"),
            let leftBytes = try? decoder.uint64("evidence")
        else { return nil }
        self.kind = kind
        self.signal = signal
        self.signalCode = signalCode
        self.faultAddress = faultAddress
        self.stackLow = stackLow
        self.stackHigh = stackHigh
        self.systemCall = systemCall
        self.askedBytes = askedBytes
        self.leftBytes = leftBytes
        let tail = bytes.suffix(EvidenceRecord.textBytes).prefix { $0 != 0 }
        let isText =
            tail.count < EvidenceRecord.textBytes && tail.allSatisfy { (0x20...0x7e).contains($0) }
        text = isText ? String(decoding: tail, as: UTF8.self) : ""
    }

    package var bytes: [UInt8] {
        var encoder = WireEncoder()
        encoder.put(EvidenceRecord.magic)
        encoder.put(kind.rawValue)
        encoder.put(signal)
        encoder.put(signalCode)
        encoder.put(faultAddress)
        encoder.put(stackLow)
        encoder.put(stackHigh)
        encoder.put(systemCall)
        encoder.put(askedBytes)
        encoder.put(leftBytes)
        let tail = Array(text.utf8.prefix(EvidenceRecord.textBytes - 1))
        return encoder.bytes + tail
            + [UInt8](repeating: 0, count: EvidenceRecord.textBytes - tail.count)
    }
}
