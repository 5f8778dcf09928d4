/// Measures the nesting of a binary property list by walking its references, which may form
/// cycles or name one object many times.
///
/// Layout: a magic, objects, a table of their offsets, and a trailer of 32 bytes at the end. The
/// format is described in swift-foundation, `BPlist.swift`, and in CoreFoundation's
/// `CFBinaryPList.c`.
struct BinaryPropertyListScan {
    static let magic = Array("bplist00".utf8)

    private let bytes: [UInt8]
    private var visited = 0
    private var payload: UInt64 = 0
    private var offsetSize = 0
    private var referenceSize = 0
    private var objectCount: UInt64 = 0
    private var tableOffset: UInt64 = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func check() throws(PropertyListScanError) {
        var scan = self
        guard bytes.count >= 8 + 32 else { throw BinaryPropertyListScan.damaged }
        let trailer = bytes.count - 32
        scan.offsetSize = Int(bytes[trailer + 6])
        scan.referenceSize = Int(bytes[trailer + 7])
        scan.objectCount = try number(at: UInt64(trailer + 8), size: 8)
        let top = try number(at: UInt64(trailer + 16), size: 8)
        scan.tableOffset = try number(at: UInt64(trailer + 24), size: 8)
        guard (1...8).contains(scan.offsetSize), (1...8).contains(scan.referenceSize),
            scan.objectCount <= UInt64(bytes.count), scan.tableOffset <= UInt64(trailer)
        else { throw BinaryPropertyListScan.damaged }
        try scan.visit(top, depth: 0)
    }

    private mutating func visit(_ object: UInt64, depth: Int) throws(PropertyListScanError) {
        guard object < objectCount else { throw BinaryPropertyListScan.damaged }
        visited += 1
        guard visited <= PropertyList.maximumValues else { throw .tooManyValues }
        let (marker, start) = try place(of: object)
        let perItem: UInt64
        switch marker >> 4 {
        case 0xA, 0xC: perItem = 1
        case 0xD: perItem = 2
        case 0x4...0x7: return try weigh(marker, at: start)
        default: return
        }
        guard depth < PropertyList.maximumDepth else { throw .tooDeep }
        try visitItems(of: marker, at: start, perItem: perItem, depth: depth)
    }

    /// Where an object begins, and its first byte.
    private func place(
        of object: UInt64
    ) throws(PropertyListScanError) -> (marker: UInt64, start: UInt64) {
        // No overflow: counts and sizes are bounded by 16 MiB and 8.
        let start = try number(
            at: tableOffset + object * UInt64(offsetSize), size: offsetSize)
        return (try number(at: start, size: 1), start)
    }

    private mutating func visitItems(
        of marker: UInt64, at start: UInt64, perItem: UInt64, depth: Int
    ) throws(PropertyListScanError) {
        let (count, first) = try count(of: marker, at: start)
        for item in 0..<(count * perItem) {
            let place = first + item * UInt64(referenceSize)
            try visit(try number(at: place, size: referenceSize), depth: depth + 1)
        }
        if perItem == 2 { try checkKeys(count: count, from: first) }
    }

    /// The keys come before the values; all of them have been visited.
    private func checkKeys(count: UInt64, from first: UInt64) throws(PropertyListScanError) {
        var keys: Set<String> = []
        for item in 0..<count {
            let place = first + item * UInt64(referenceSize)
            let object = try number(at: place, size: referenceSize)
            guard let key = try text(of: object) else { continue }
            guard keys.insert(key).inserted else { throw .keyTwice }
        }
    }

    /// Nil for what is no text.
    private func text(of object: UInt64) throws(PropertyListScanError) -> String? {
        let (marker, start) = try place(of: object)
        let kind = marker >> 4
        guard (0x5...0x7).contains(kind) else { return nil }
        let (count, first) = try count(of: marker, at: start)
        let size = kind == 0x6 ? count * 2 : count
        guard first <= UInt64(bytes.count), UInt64(bytes.count) - first >= size else {
            throw BinaryPropertyListScan.damaged
        }
        let raw = bytes[Int(first)..<Int(first + size)]
        guard kind == 0x6 else { return String(decoding: raw, as: UTF8.self) }
        let units = stride(from: raw.startIndex, to: raw.endIndex, by: 2).map { place in
            UInt16(raw[place]) << 8 | UInt16(raw[place + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Texts and data: together, repeats included, no more than a file may be large.
    private mutating func weigh(
        _ marker: UInt64, at start: UInt64
    ) throws(PropertyListScanError) {
        let (count, _) = try count(of: marker, at: start)
        payload += marker >> 4 == 0x6 ? count * 2 : count
        guard payload <= UInt64(PropertyList.maximumSize) else {
            throw PropertyListScanError(isDepth: true, message: "repeats too much text")
        }
    }

    /// How many items or bytes an object holds, at most the file's size, and where they begin.
    private func count(
        of marker: UInt64, at start: UInt64
    ) throws(PropertyListScanError) -> (count: UInt64, first: UInt64) {
        guard marker & 0xF == 0xF else { return (marker & 0xF, start + 1) }
        let kind = try number(at: start + 1, size: 1)
        guard kind >> 4 == 1, kind & 0xF <= 3 else { throw BinaryPropertyListScan.damaged }
        let size = 1 << Int(kind & 0xF)
        let count = try number(at: start + 2, size: size)
        guard count <= UInt64(bytes.count) else { throw BinaryPropertyListScan.damaged }
        return (count, start + 2 + UInt64(size))
    }

    /// A big-endian number.
    private func number(at place: UInt64, size: Int) throws(PropertyListScanError) -> UInt64 {
        guard place <= UInt64(bytes.count), UInt64(bytes.count) - place >= UInt64(size) else {
            throw BinaryPropertyListScan.damaged
        }
        let start = Int(place)
        return bytes[start..<(start + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static let damaged = PropertyListScanError.malformed(
        "is a damaged binary property list")
}
