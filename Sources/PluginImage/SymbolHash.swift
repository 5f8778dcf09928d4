/// Either hash table over the dynamic symbols.
enum SymbolHash: Sendable {
    case gnu(GnuHash)
    case systemV(SystemVHash)

    /// The symbols that may bear this name, one by one.
    func start(of name: [UInt8], in bytes: RawSpan) throws(PluginImageError) -> SymbolWalk {
        switch self {
        case .gnu(let table): .gnu(try table.start(of: name, in: bytes))
        case .systemV(let table): .systemV(try table.start(of: name, in: bytes))
        }
    }

    /// How many symbols the table accounts for, the null symbol included.
    func symbolCount(in bytes: RawSpan) throws(PluginImageError) -> UInt32 {
        switch self {
        case .gnu(let table): try table.symbolCount(in: bytes)
        case .systemV(let table): table.symbolCount
        }
    }
}

/// A walk along one chain of a hash table.
///
/// Ends after ``ElfLimits/symbols`` steps at most.
enum SymbolWalk {
    case gnu(GnuHash.Walk)
    case systemV(SystemVHash.Walk)

    mutating func next(in bytes: RawSpan) throws(PluginImageError) -> UInt32? {
        switch self {
        case .gnu(var walk):
            let index = try walk.next(in: bytes)
            self = .gnu(walk)
            return index
        case .systemV(var walk):
            let index = try walk.next(in: bytes)
            self = .systemV(walk)
            return index
        }
    }
}

/// DT_GNU_HASH: header, Bloom filter, buckets, chains whose last entry has bit 0 set.
struct GnuHash: Sendable {
    private let firstSymbol: UInt32
    private let filterShift: UInt32
    private let filter: FileRange
    private let buckets: FileRange
    private let chains: FileRange

    init(
        bytes: RawSpan, address: UInt64, segments: [ElfSegment]
    ) throws(PluginImageError) {
        guard let table = segments.fileRange(from: address), table.count >= 16 else {
            throw .malformed("the file's DT_GNU_HASH table is not in the file")
        }
        let bucketCount = try bytes.load(UInt32.self, at: table.offset)
        firstSymbol = try bytes.load(UInt32.self, at: table.offset + 4)
        let filterWords = try bytes.load(UInt32.self, at: table.offset + 8)
        filterShift = try bytes.load(UInt32.self, at: table.offset + 12)
        // glibc divides by the first and masks with the second.
        guard bucketCount > 0, filterWords > 0, filterWords & (filterWords - 1) == 0,
            filterShift < 32
        else {
            throw .malformed(
                "the file's DT_GNU_HASH table has \(grouped(UInt64(bucketCount))) buckets,"
                    + " \(grouped(UInt64(filterWords))) filter words and shift \(filterShift)")
        }
        let filterSize = UInt64(filterWords) * 8
        let bucketSize = UInt64(bucketCount) * 4
        guard let chains = table.dropping(16 + filterSize + bucketSize) else {
            throw .malformed(
                "the file's DT_GNU_HASH table needs \(grouped(16 + filterSize + bucketSize)) bytes,"
                    + " its segment has \(grouped(table.count))")
        }
        filter = FileRange(offset: table.offset + 16, count: filterSize)
        buckets = FileRange(offset: filter.offset + filterSize, count: bucketSize)
        self.chains = chains
    }

    static func hash(_ name: [UInt8]) -> UInt32 {
        name.reduce(5381) { $0 &* 33 &+ UInt32($1) }
    }

    func start(of name: [UInt8], in bytes: RawSpan) throws(PluginImageError) -> Walk {
        let hash = Self.hash(name)
        let none = Walk(table: self, hash: hash, index: nil)
        let words = filter.count / 8
        guard let word = filter.entry(UInt64(hash / 64) % words, size: 8) else { return none }
        let mask: UInt64 = 1 << UInt64(hash % 64) | 1 << UInt64((hash >> filterShift) % 64)
        guard try bytes.load(UInt64.self, at: word) & mask == mask else { return none }
        let slot = UInt64(hash) % (buckets.count / 4)
        guard let bucket = buckets.entry(slot, size: 4) else { return none }
        let index = try bytes.load(UInt32.self, at: bucket)
        return Walk(table: self, hash: hash, index: index == 0 ? nil : index)
    }

    /// The chain entry of a symbol.
    private func chainEntry(
        of index: UInt32, in bytes: RawSpan
    ) throws(PluginImageError) -> UInt32 {
        guard index >= firstSymbol,
            let at = chains.entry(UInt64(index - firstSymbol), size: 4)
        else {
            throw .malformed(
                "the file's DT_GNU_HASH table leads to symbol \(grouped(UInt64(index))),"
                    + " which it does not hold")
        }
        return try bytes.load(UInt32.self, at: at)
    }

    func symbolCount(in bytes: RawSpan) throws(PluginImageError) -> UInt32 {
        var last: UInt32 = 0
        var slot: UInt64 = 0
        while let at = buckets.entry(slot, size: 4) {
            last = max(last, try bytes.load(UInt32.self, at: at))
            slot += 1
        }
        guard last > 0 else { return firstSymbol }
        while try chainEntry(of: last, in: bytes) & 1 == 0 {
            guard last < UInt32(ElfLimits.symbols) else { break }
            last += 1
        }
        return last.addingReportingOverflow(1).overflow ? last : last + 1
    }

    struct Walk {
        let table: GnuHash
        let hash: UInt32
        var index: UInt32?
        var steps = 0

        mutating func next(in bytes: RawSpan) throws(PluginImageError) -> UInt32? {
            while let current = index {
                guard steps < ElfLimits.symbols else { throw endlessChain }
                steps += 1
                let entry = try table.chainEntry(of: current, in: bytes)
                let (following, overflow) = current.addingReportingOverflow(1)
                index = entry & 1 == 1 || overflow ? nil : following
                if entry | 1 == hash | 1 { return current }
            }
            return nil
        }
    }
}

/// DT_HASH: counts, buckets, and for each symbol the next one in its chain.
struct SystemVHash: Sendable {
    let symbolCount: UInt32
    private let buckets: FileRange
    private let chains: FileRange

    init(
        bytes: RawSpan, address: UInt64, segments: [ElfSegment]
    ) throws(PluginImageError) {
        guard let table = segments.fileRange(from: address), table.count >= 8 else {
            throw .malformed("the file's DT_HASH table is not in the file")
        }
        let bucketCount = try bytes.load(UInt32.self, at: table.offset)
        symbolCount = try bytes.load(UInt32.self, at: table.offset + 4)
        let bucketSize = UInt64(bucketCount) * 4
        let chainSize = UInt64(symbolCount) * 4
        guard bucketCount > 0, 8 + bucketSize + chainSize <= table.count else {
            throw .malformed(
                "the file's DT_HASH table with \(grouped(UInt64(bucketCount))) buckets and"
                    + " \(grouped(UInt64(symbolCount))) symbols does not fit the"
                    + " \(grouped(table.count)) bytes of its segment")
        }
        buckets = FileRange(offset: table.offset + 8, count: bucketSize)
        chains = FileRange(offset: buckets.offset + bucketSize, count: chainSize)
    }

    static func hash(_ name: [UInt8]) -> UInt32 {
        name.reduce(0) { previous, byte in
            let sum = (previous << 4) &+ UInt32(byte)
            let high = sum & 0xf000_0000
            return (sum ^ (high >> 24)) & ~high
        }
    }

    func start(of name: [UInt8], in bytes: RawSpan) throws(PluginImageError) -> Walk {
        let slot = UInt64(Self.hash(name)) % (buckets.count / 4)
        guard let bucket = buckets.entry(slot, size: 4) else { return Walk(table: self, index: 0) }
        return Walk(table: self, index: try bytes.load(UInt32.self, at: bucket))
    }

    struct Walk {
        let table: SystemVHash
        var index: UInt32
        var steps: UInt32 = 0

        mutating func next(in bytes: RawSpan) throws(PluginImageError) -> UInt32? {
            guard index != 0 else { return nil }
            guard steps < min(table.symbolCount, UInt32(ElfLimits.symbols)) else {
                throw endlessChain
            }
            steps += 1
            guard let at = table.chains.entry(UInt64(index), size: 4) else {
                throw .malformed(
                    "the file's DT_HASH table leads to symbol \(grouped(UInt64(index))) of"
                        + " \(grouped(UInt64(table.symbolCount)))")
            }
            let current = index
            index = try bytes.load(UInt32.self, at: at)
            return current
        }
    }
}

private let endlessChain = PluginImageError.malformed(
    "the file's symbol hash table has a chain that does not end")
