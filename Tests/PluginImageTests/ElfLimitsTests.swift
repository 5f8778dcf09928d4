import PluginImage
import Testing

/// Every bound of the reader, at the bound and one past it.
@Suite struct ElfLimitsTests {
    private func error(_ change: (inout ElfBuilder) -> Void) -> PluginImageError? {
        var builder = ElfBuilder()
        change(&builder)
        let found = refusal(builder.build())
        #expect(found?.isOneLine != false)
        return found
    }

    @Test func boundsProgramHeaders() {
        let others = ElfBuilder().headerCount
        #expect(error { $0.spareHeaders = ElfLimits.programHeaders - others } == nil)
        let found = error { $0.spareHeaders = ElfLimits.programHeaders - others + 1 }
        #expect(found?.sentence.contains("129 program headers") == true)
    }

    @Test func boundsDynamicEntries() {
        // One needed, DT_SYMTAB, SYMENT, GNU_HASH, STRTAB and STRSZ are there already.
        func entries(_ count: Int) -> PluginImageError? {
            error {
                $0.extraDynamic = Array(repeating: (0x6000_0000, 0), count: count - 6)
            }
        }
        #expect(entries(ElfLimits.dynamicEntries) == nil)
        #expect(entries(ElfLimits.dynamicEntries + 1)?.code == .malformed)
    }

    @Test func boundsNeededLibraries() throws {
        var builder = ElfBuilder()
        builder.needed = (0..<ElfLimits.needed).map { "lib\($0).so" }
        #expect(try read(builder.build()).needed == builder.needed)
        builder.needed.append("one-too-many.so")
        #expect(refusal(builder.build())?.sentence.contains("DT_NEEDED") == true)
    }

    @Test func boundsRunPaths() {
        #expect(error { $0.runPaths = Array(repeating: "/", count: ElfLimits.runPaths) } == nil)
        let found = error { $0.runPaths = Array(repeating: "/", count: ElfLimits.runPaths + 1) }
        #expect(found?.code == .malformed)
    }

    @Test func boundsNames() {
        let longest = String(repeating: "n", count: ElfLimits.nameLength)
        #expect(error { $0.needed = [longest] } == nil)
        let found = error { $0.needed = [longest + "n"] }
        #expect(found?.sentence.contains("does not end within 4,096 bytes") == true)
    }

    @Test func boundsAllKeptNamesTogether() {
        // 64 names of 4,096 bytes, the last shorter by the name of one library.
        func kept(_ last: Int) -> PluginImageError? {
            error {
                let longest = String(repeating: "n", count: ElfLimits.nameLength)
                $0.needed = Array(repeating: longest, count: 63) + ["libc.so.6"]
                $0.runPaths = [String(repeating: "p", count: last)]
            }
        }
        let rest = ElfLimits.keptNames - 63 * ElfLimits.nameLength - "libc.so.6".utf8.count
        #expect(kept(rest) == nil)
        #expect(kept(rest + 1)?.sentence.contains("262,144 bytes") == true)
    }

    @Test func boundsNeededVersions() {
        func versions(_ count: Int) -> PluginImageError? {
            error { $0.versions = [("libc.so.6", Array(repeating: "V", count: count))] }
        }
        #expect(versions(ElfLimits.neededVersions) == nil)
        #expect(versions(ElfLimits.neededVersions + 1)?.code == .malformed)
        func libraries(_ count: Int) -> PluginImageError? {
            error { $0.versions = (0..<count).map { ("lib\($0)", ["V"]) } }
        }
        #expect(libraries(ElfLimits.needed) == nil)
        #expect(libraries(ElfLimits.needed + 1)?.code == .malformed)
    }

    @Test func boundsRelocations() {
        func packed(_ count: Int) -> PluginImageError? {
            error { $0.relatives = Array(repeating: 0, count: count) }
        }
        #expect(packed(ElfLimits.relocations) == nil)
        #expect(packed(ElfLimits.relocations + 1)?.sentence.contains("more than") == true)
    }

    @Test func boundsSymbols() throws {
        // DT_HASH states the count.
        func stated(_ count: UInt32) -> PluginImageError? {
            var builder = ElfBuilder()
            builder.hashStyle = .systemV
            builder.patchHash = { $0[1] = count }
            // The chain entries need to be there, not to lead anywhere.
            builder.tail = ElfLimits.symbols * 4 + 4
            builder.spareSymbols = ElfLimits.symbols
            let bytes = builder.build()
            do throws(PluginImageError) {
                var seen = 0
                let elf = try facts(bytes)
                // SAFETY: bytes of integers, all initialised.
                try unsafe elf.forEachSymbol(in: bytes.span.bytes) { _, _ in seen += 1 }
                #expect(seen == ElfLimits.symbols - 1)
                return nil
            } catch {
                return error
            }
        }
        #expect(stated(UInt32(ElfLimits.symbols)) == nil)
        #expect(
            stated(UInt32(ElfLimits.symbols) + 1)?.sentence.contains("262,145 symbols") == true)
    }

    /// Word 4 is what follows symbol 1, word 5 what follows symbol 2.
    @Test(arguments: [(4, 1), (5, 2), (5, 1)] as [(Int, UInt32)])
    func endsACyclicChain(word: Int, next: UInt32) {
        let found = error {
            $0.hashStyle = .systemV
            $0.patchHash = { $0[word] = next }
        }
        #expect(found?.code == .malformed)
    }

    @Test func saysThatAChainDoesNotEnd() {
        let found = error {
            $0.hashStyle = .systemV
            $0.tagSymbol.name = ""
            $0.patchHash = { $0[4] = 1 }
            $0.symbols[0].name = "neither"
        }
        #expect(found?.sentence.contains("chain that does not end") == true)
    }

    @Test func refusesAChainThatLeavesItsTable() {
        for (style, word) in [(ElfBuilder.HashStyle.gnu, 6), (.systemV, 2)] {
            let found = error {
                $0.hashStyle = style
                $0.patchHash = { $0[word] = 0x7fff_ffff }
            }
            #expect(found?.sentence.contains("leads to symbol 2,147,483,647") == true)
        }
        // Into zeros: no entry there has the bit that ends a chain.
        let endless = error {
            $0.patchHash = { $0[6] = 1_000 }
            $0.tail = 64 << 10
        }
        #expect(endless?.sentence.contains("which it does not hold") == true)
    }

    @Test(arguments: [0, 2, 3] as [Int])
    func refusesAHashTableWithHugeCounts(word: Int) {
        for value in [0, .max, 0x4000_0000] as [UInt32] where !(word == 3 && value == 0) {
            #expect(error { $0.patchHash = { $0[word] = value } }?.code == .malformed)
        }
    }

    @Test func refusesASystemVTableWithHugeCounts() {
        for word in [0, 1] {
            let found = error {
                $0.hashStyle = .systemV
                $0.patchHash = { $0[word] = .max }
            }
            #expect(found?.code == .malformed)
        }
        let empty = error {
            $0.hashStyle = .systemV
            $0.patchHash = { $0[0] = 0 }
        }
        #expect(empty?.code == .malformed)
    }

    @Test func refusesSymbolsWithoutHashTable() {
        #expect(error { $0.hashStyle = .none }?.sentence.contains("DT_GNU_HASH") == true)
    }
}
