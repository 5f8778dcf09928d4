package import WireProtocol

/// Finds records among the bytes of the evidence pipe, which a plugin can write to as well.
package struct EvidenceCollector: Hashable, Sendable {
    /// Bytes and records that are looked at; the rest is dropped.
    package static let byteBound = 4096
    package static let recordBound = 8

    private var rest: [UInt8] = []
    private var seenBytes = 0
    private var found = 0

    package init() {}

    /// Returns the records that are whole now.
    ///
    /// Bytes that begin none are skipped.
    package mutating func feed(_ bytes: ArraySlice<UInt8>) -> [EvidenceRecord] {
        let room = EvidenceCollector.byteBound - seenBytes
        rest.append(contentsOf: bytes.prefix(room))
        seenBytes += min(room, bytes.count)
        var records: [EvidenceRecord] = []
        var place = 0
        while place + EvidenceRecord.byteCount <= rest.count,
            found < EvidenceCollector.recordBound
        {
            if let record = EvidenceRecord(
                untrusted: rest[place..<(place + EvidenceRecord.byteCount)])
            {
                records.append(record)
                found += 1
                place += EvidenceRecord.byteCount
            } else {
                place += 1
            }
        }
        rest.removeFirst(place)
        return records
    }
}
