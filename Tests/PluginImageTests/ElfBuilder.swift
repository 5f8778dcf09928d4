/// Writes small shared objects from scratch, so that a test can put any number anywhere.
///
/// Addresses equal file offsets. Segment 0 holds headers, tag and all tables (read only),
/// segment 1 one page of code, segment 2, when asked for, is writable.
struct ElfBuilder {
    struct Symbol {
        var name: String
        var address: UInt64
        var size: UInt64 = 0
        /// Binding in the high half, type in the low: 0x11 is a global object, 0x12 a function.
        var info: UInt8 = 0x12
        var visibility: UInt8 = 0
        var section: UInt16 = 1
    }
    enum HashStyle { case gnu, systemV, none }

    var machine: UInt16 = PluginSource.hostMachineNumber
    var needed = ["libc.so.6"]
    var runPaths: [String] = []
    var extraDynamic: [(tag: UInt64, value: UInt64)] = []
    var tag = PluginSource.goodTag
    var tagSymbol = Symbol(name: "bahost_plugin", address: 0, size: 192, info: 0x11)
    var symbols: [Symbol] = [Symbol(name: "bahost_install", address: 0)]
    var hashStyle = HashStyle.gnu
    /// Changes the finished hash table.
    var patchHash: (inout [UInt32]) -> Void = { _ in }
    var versions: [(file: String, names: [String])] = []
    var versionFlags: UInt16 = 0
    var relocations: [(offset: UInt64, kind: UInt64)] = []
    var relatives: [UInt64] = []
    var stackFlags: UInt32? = 6
    var writableMemory: UInt64 = 0
    var spareHeaders = 0
    /// Zero bytes behind the tables, still in segment 0.
    var tail = 0
    /// Symbols that are all zero, behind the others.
    var spareSymbols = 0

    private var bytes: [UInt8] = []
    private var strings: [UInt8] = [0]
    private var dynamic: [(tag: UInt64, value: UInt64)] = []

    var headerCount: Int {
        3 + (writableMemory > 0 ? 1 : 0) + (stackFlags == nil ? 0 : 1) + spareHeaders
    }
    /// Where the tag lies, in file and memory: right behind the headers.
    var tagAddress: UInt64 { UInt64(64 + 56 * headerCount) }

    func build() -> [UInt8] {
        var copy = self
        return copy.write()
    }

    private mutating func write() -> [UInt8] {
        bytes = [UInt8](repeating: 0, count: Int(tagAddress)) + tag
        writeNames()
        writeSymbols()
        writeVersions()
        writeRelocations()
        let stringStart = append(strings)
        dynamic += [(5, stringStart), (10, UInt64(strings.count))]
        dynamic += extraDynamic + [(0, 0)]
        let dynamicStart = append(dynamic.flatMap { little($0.tag) + little($0.value) })
        bytes += [UInt8](repeating: 0, count: tail)
        let tableEnd = UInt64(bytes.count)
        pad(to: 4_096)
        let code = UInt64(bytes.count)
        bytes += [UInt8](repeating: 0xc3, count: 4_096)
        relocateFunctions(to: code)
        writeHeaders(dynamicStart: dynamicStart, tableEnd: tableEnd, code: code)
        return bytes
    }

    private mutating func writeNames() {
        dynamic = needed.map { (1, intern($0)) } + runPaths.map { (29, intern($0)) }
    }

    private var allSymbols: [Symbol] {
        var tagSymbol = tagSymbol
        if tagSymbol.address == 0 { tagSymbol.address = tagAddress }
        return (tagSymbol.name.isEmpty ? [] : [tagSymbol]) + symbols
    }

    private mutating func writeSymbols() {
        var table = [UInt8](repeating: 0, count: 24)
        for symbol in allSymbols {
            table += little(UInt32(intern(symbol.name))) + [symbol.info, symbol.visibility]
            table += little(symbol.section) + little(symbol.address) + little(symbol.size)
        }
        table += [UInt8](repeating: 0, count: 24 * spareSymbols)
        symbolStart = append(table)
        dynamic += [(6, symbolStart), (11, 24)]
        var hash = hashWords()
        patchHash(&hash)
        switch hashStyle {
        case .gnu: dynamic.append((0x6fff_fef5, append(hash.flatMap(little))))
        case .systemV: dynamic.append((4, append(hash.flatMap(little))))
        case .none: break
        }
    }
    private var symbolStart: UInt64 = 0

    /// One bucket with everything in it, and a filter that lets everything through.
    private func hashWords() -> [UInt32] {
        let allSymbols = self.allSymbols
        let count = UInt32(allSymbols.count)
        guard hashStyle == .gnu else {
            return [1, count + 1, count > 0 ? 1 : 0, 0]
                + (1..<count + 1).map { $0 < count ? $0 + 1 : 0 }
        }
        var words: [UInt32] = [1, 1, 1, 6, .max, .max, count > 0 ? 1 : 0]
        for (index, symbol) in allSymbols.enumerated() {
            let hash = symbol.name.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) }
            words.append(index + 1 == allSymbols.count ? hash | 1 : hash & ~1)
        }
        return words
    }

    private mutating func writeVersions() {
        guard !versions.isEmpty else { return }
        var table: [UInt8] = []
        for (index, library) in versions.enumerated() {
            let size = UInt32(16 + 16 * library.names.count)
            table += little(UInt16(1)) + little(UInt16(truncatingIfNeeded: library.names.count))
            table += little(UInt32(intern(library.file))) + little(UInt32(16))
            table += little(index + 1 == versions.count ? 0 : size)
            for (position, name) in library.names.enumerated() {
                table += little(UInt32(0)) + little(versionFlags) + little(UInt16(2))
                table += little(UInt32(intern(name)))
                table += little(UInt32(position + 1 == library.names.count ? 0 : 16))
            }
        }
        dynamic += [(0x6fff_fffe, append(table)), (0x6fff_ffff, UInt64(versions.count))]
    }

    private mutating func writeRelocations() {
        if !relocations.isEmpty {
            let start = append(
                relocations.flatMap { little($0.offset) + little($0.kind) + little(UInt64(0)) })
            dynamic += [(7, start), (8, UInt64(relocations.count * 24)), (9, 24)]
        }
        if !relatives.isEmpty {
            let start = append([UInt8](repeating: 0, count: relatives.count * 8))
            for (index, word) in relatives.enumerated() where word != 0 {
                bytes.replaceSubrange(
                    Int(start) + index * 8..<Int(start) + index * 8 + 8, with: little(word))
            }
            dynamic += [(36, start), (35, UInt64(relatives.count * 8)), (37, 8)]
        }
    }

    /// Functions with no address of their own go to the code page.
    private mutating func relocateFunctions(to code: UInt64) {
        for (index, symbol) in allSymbols.enumerated() where symbol.address == 0 {
            let at = Int(symbolStart) + 24 * (index + 1) + 8
            bytes.replaceSubrange(at..<at + 8, with: little(code))
        }
    }

    private mutating func writeHeaders(dynamicStart: UInt64, tableEnd: UInt64, code: UInt64) {
        var headers = header(1, 4, 0, tableEnd, tableEnd) + header(1, 5, code, 4_096, 4_096)
        if writableMemory > 0 { headers += header(1, 6, code + 4_096, 0, writableMemory) }
        let dynamicSize = UInt64(dynamic.count * 16)
        headers += header(2, 6, dynamicStart, dynamicSize, dynamicSize)
        if let stackFlags { headers += header(0x6474_e551, stackFlags, 0, 0, 0) }
        headers += [UInt8](repeating: 0, count: 56 * spareHeaders)
        var start: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
        start += little(UInt16(3)) + little(machine) + little(UInt32(1)) + little(UInt64(0))
        start += little(UInt64(64)) + little(UInt64(0)) + little(UInt32(0)) + little(UInt16(64))
        start += little(UInt16(56)) + little(UInt16(headerCount)) + [0, 0, 0, 0, 0, 0]
        bytes.replaceSubrange(0..<Int(tagAddress), with: start + headers)
    }

    private func header(
        _ type: UInt32, _ flags: UInt32, _ offset: UInt64, _ fileSize: UInt64, _ memory: UInt64
    ) -> [UInt8] {
        little(type) + little(flags) + little(offset) + little(offset) + little(offset)
            + little(fileSize) + little(memory) + little(UInt64(4_096))
    }

    private mutating func intern(_ text: String) -> UInt64 {
        strings += Array(text.utf8) + [0]
        return UInt64(strings.count - text.utf8.count - 1)
    }

    private mutating func append(_ blob: [UInt8]) -> UInt64 {
        pad(to: 8)
        bytes += blob
        return UInt64(bytes.count - blob.count)
    }

    private mutating func pad(to alignment: Int) {
        while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
    }
}

func little(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
