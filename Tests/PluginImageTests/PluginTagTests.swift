import PluginImage
import Testing

@Suite struct PluginTagTests {
    private func error(_ change: (inout ElfBuilder) -> Void) -> PluginImageError? {
        var builder = ElfBuilder()
        change(&builder)
        return refusal(builder.build())
    }

    @Test func refusesAFileWithoutTag() {
        #expect(error { $0.tagSymbol.name = "" }?.code == .noTag)
        #expect(error { $0.tagSymbol.name = "bahost_plugins" }?.code == .noTag)
        #expect(error { $0.tagSymbol.section = 0 }?.code == .noTag)
        #expect(error { $0.tagSymbol.visibility = 2 }?.code == .noTag)
        #expect(error { $0.tagSymbol.info = 0x01 }?.code == .noTag)
    }

    @Test func acceptsAWeakTag() {
        #expect(error { $0.tagSymbol.info = 0x21 } == nil)
    }

    @Test(arguments: [0x12, 0x10, 0xa1] as [UInt8])
    func refusesATagOfAnotherKind(info: UInt8) {
        #expect(error { $0.tagSymbol.info = info }?.code == .tagMalformed)
    }

    @Test func refusesATagThatIsProtectedOrNowhere() {
        #expect(error { $0.tagSymbol.visibility = 3 }?.code == .tagMalformed)
        #expect(error { $0.tagSymbol.section = 0xfff1 }?.code == .tagMalformed)
        #expect(error { $0.tagSymbol.address = 1 << 40 }?.code == .tagMalformed)
        #expect(error { $0.tagSymbol.size = 0 }?.code == .tagMalformed)
        #expect(error { $0.tagSymbol.size = 8 }?.code == .tagMalformed)
        #expect(error { $0.tagSymbol.size = .max }?.code == .tagMalformed)
    }

    @Test func refusesTwoTags() {
        let found = error { $0.symbols.append($0.tagSymbol) }
        #expect(found?.sentence.contains("two symbols named") == true)
    }

    @Test(arguments: [1, 2, 4] as [UInt64])
    func refusesATagThatIsNotAligned(shift: UInt64) {
        let found = error { $0.tagSymbol.address = $0.tagAddress + shift }
        #expect(found?.sentence.contains("not aligned") == true)
    }

    @Test func refusesATagInAnExecutableSegment() throws {
        let bytes = try PluginSource.build(["-DPLACE=__attribute__((section(\".text\")))"])
        let image = try read(bytes)
        #expect(image.tag.isInExecutableSegment)
        let found = LoadRules.forTests.refusal(of: image)
        #expect(found?.code == .tagMalformed)
        #expect(found?.isMismatch == false)
        #expect(found?.sentence.contains("executable segment") == true)
    }

    @Test func acceptsATagInAWritableSegment() throws {
        let bytes = try PluginSource.build(["-Dconst=", "-fdata-sections"])
        let image = try read(bytes)
        #expect(LoadRules.forTests.refusal(of: image) == nil)
        #expect(image.elf.segments.contains { $0.isWritable && $0.address <= image.tag.address })
    }

    @Test func refusesATagThatIsZeroFilled() throws {
        var builder = ElfBuilder()
        builder.writableMemory = 4_096
        builder.tagSymbol.address = 0x2000
        #expect(refusal(builder.build())?.sentence.contains("file bytes") == true)
    }

    @Test func refusesAnotherMagicNumber() {
        #expect(error { $0.tag[0] = 0x62 }?.code == .tagMalformed)
        #expect(error { $0.tag[7] = 0x31 }?.code == .tagMalformed)
    }

    @Test func readsATagFrom160BytesOn() {
        func short(_ size: UInt32) -> PluginImageError? {
            error { $0.tag.replaceSubrange(8..<12, with: little(size)) }
        }
        #expect(short(160) == nil)
        #expect(short(159)?.code == .tagTooShort)
        #expect(short(159)?.isMismatch == true)
        #expect(short(0)?.code == .tagTooShort)
        #expect(short(192) == nil)
        #expect(short(193)?.code == .tagMalformed)
        #expect(short(193)?.isMismatch == false)
        #expect(short(.max)?.code == .tagMalformed)
    }

    @Test func refusesASymbolShorterThanItsTag() {
        #expect(error { $0.tagSymbol.size = 191 }?.code == .tagMalformed)
        #expect(error { $0.tagSymbol.size = 100 }?.code == .tagMalformed)
    }

    /// Any kind of relocation but 0 writes.
    @Test(arguments: [(-8, false), (-7, true), (0, true), (184, true), (191, true), (192, false)])
    func refusesARelocationThatTouchesIt(shift: Int, touches: Bool) {
        func relocated(_ kind: UInt64) -> PluginImageError? {
            error {
                let target = UInt64(Int($0.tagAddress) + shift)
                $0.relocations = [(0x1000, 8), (target, kind), (0x1000, 8)]
            }
        }
        #expect(relocated(8)?.code == (touches ? .tagMalformed : nil))
        #expect(relocated(0) == nil)
    }

    @Test func refusesACopyThatCouldReachIt() {
        let copy: UInt64 = Machine.host == .x86_64 ? 5 : 1024
        #expect(error { $0.relocations = [(0, copy)] }?.code == .tagMalformed)
        #expect(error { $0.relocations = [($0.tagAddress + 192, copy)] } == nil)
    }

    @Test func refusesAPackedRelocationThatTouchesIt() {
        #expect(error { $0.relatives = [0x1000, $0.tagAddress + 8] }?.code == .tagMalformed)
        #expect(error { $0.relatives = [0x1000, 3] } == nil)
        // The word before the tag, then a bitmap: bit 1 is the tag's first word.
        #expect(error { $0.relatives = [$0.tagAddress - 8, 0b11] }?.code == .tagMalformed)
        #expect(error { $0.relatives = [$0.tagAddress - 16, 0b11] } == nil)
        #expect(error { $0.relatives = [$0.tagAddress - 16, 0b101] }?.code == .tagMalformed)
        for (bitmap, touches) in [(0b11, false), (0b101, true)] as [(UInt64, Bool)] {
            let found = error {
                $0.spareHeaders = 20
                $0.relatives = [$0.tagAddress - 16 - 63 * 8, 1, bitmap]
            }
            #expect(found?.code == (touches ? .tagMalformed : nil))
        }
        #expect(error { $0.relatives = [.max - 1, .max, .max, .max] } != nil)
    }

    @Test func refusesARelocationTableThatIsBroken() {
        for (tag, value) in [(8, 25), (9, 23), (35, 9), (37, 4), (20, 17)] as [(UInt64, UInt64)] {
            let found = error {
                $0.relocations = [(0x1000, 8)]
                $0.relatives = [0x1000]
                $0.extraDynamic = [(tag, value)]
            }
            #expect(found?.code == .malformed)
        }
        #expect(error { $0.extraDynamic = [(23, 1 << 40), (2, 24)] }?.code == .malformed)
        #expect(error { $0.extraDynamic = [(7, 0)] }?.code == .malformed)
    }
}
