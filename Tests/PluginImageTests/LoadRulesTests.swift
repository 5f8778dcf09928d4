import PluginImage
import Testing

extension LoadRules {
    static let forTests = LoadRules(
        abiMajor: 0, abiMinor: 1, features: 0b11, writableLimitBytes: 6 << 20,
        pluginFolder: "/opt/app/plugin", libraryFolders: ["/usr/lib", "/opt/swift/lib/"],
        swiftRuntime: MajorMinor(6, 3), glibc: MajorMinor(2, 36))
}

@Suite struct LoadRulesTests {
    private static let host = LoadRules.forTests

    private func refusal(
        rules: LoadRules = host, _ change: (inout ElfBuilder) -> Void
    ) throws -> PluginImageError? {
        var builder = ElfBuilder()
        change(&builder)
        let found = rules.refusal(of: try read(builder.build()))
        #expect(found?.isOneLine != false)
        return found
    }

    private func tag(_ offset: Int, _ value: [UInt8]) throws -> PluginImageError? {
        try refusal { $0.tag.replaceSubrange(offset..<offset + value.count, with: value) }
    }

    @Test func acceptsAPluginMadeByTheCompiler() throws {
        #expect(Self.host.refusal(of: try read(try PluginSource.good.get())) == nil)
        #expect(try refusal { _ in } == nil)
    }

    @Test func refusesAnotherMajorVersion() throws {
        let found = try tag(12, little(UInt16(1)))
        #expect(found?.code == .abiMajorMismatch)
        #expect(found?.isMismatch == true)
        #expect(found?.sentence.contains("plugin ABI 1.1, this host has 0.1") == true)
    }

    @Test func acceptsUpToTheHostsMinorVersion() throws {
        #expect(try tag(14, little(UInt16(0))) == nil)
        #expect(try tag(14, little(UInt16(1))) == nil)
        let found = try tag(14, little(UInt16(2)))
        #expect(found?.code == .abiMinorMismatch)
        #expect(found?.isMismatch == true)
    }

    @Test func namesTheFirstUnknownFeatureBit() throws {
        #expect(try tag(16, little(0b11 as UInt64)) == nil)
        let found = try tag(16, little(0b101 as UInt64))
        #expect(found?.code == .unknownRequiredFeature)
        #expect(found?.isMismatch == true)
        #expect(found?.sentence.contains("feature bit 2 ") == true)
        #expect(try tag(16, little(1 << 63 as UInt64))?.sentence.contains("bit 63 ") == true)
    }

    @Test func refusesAnUnknownFlag() throws {
        #expect(try tag(24, little(0b10 as UInt64)) == nil)
        let found = try tag(24, little(0b100 as UInt64))
        #expect(found?.code == .tagMalformed)
        #expect(found?.sentence.contains("flag bit 2 ") == true)
    }

    @Test func refusesTextThatIsNotText() throws {
        #expect(try tag(32, [UInt8](repeating: 0x61, count: 63)) == nil)
        #expect(try tag(32, [UInt8](repeating: 0x61, count: 64))?.code == .tagMalformed)
        #expect(try tag(96, [UInt8](repeating: 0x61, count: 32))?.code == .tagMalformed)
        #expect(try tag(128, [UInt8](repeating: 0x61, count: 32))?.code == .tagMalformed)
        #expect(try tag(32, [0xff])?.code == .tagMalformed)
        #expect(try tag(32, Array("\u{1b}[2J".utf8))?.code == .tagMalformed)
    }

    @Test func refusesReservedBytesThatAreNotZero() throws {
        #expect(try tag(160, [1])?.code == .tagMalformed)
        #expect(try tag(191, [1])?.sentence.contains("reserved byte at 191") == true)
        // A tag of 160 bytes has none.
        let short = try refusal {
            $0.tag.replaceSubrange(8..<12, with: little(UInt32(160)))
            $0.tag[160] = 1
        }
        #expect(short == nil)
    }

    @Test func namesAMismatchBeforeAnyOtherFault() throws {
        let found = try refusal {
            $0.tag[12] = 9
            $0.tag[32] = 0xff
            $0.stackFlags = 7
            $0.symbols = []
        }
        #expect(found?.code == .abiMajorMismatch)
    }

    @Test func comparesTheToolchainOfAPluginThatSharesTheRuntime() throws {
        func built(with toolchain: String, needing library: String) throws -> PluginImageError? {
            try refusal {
                $0.needed = ["libc.so.6", library]
                $0.tag.replaceSubrange(128..<160, with: PluginSource.padded(toolchain, 32))
            }
        }
        #expect(try built(with: "swift-6.3", needing: "libswiftCore.so") == nil)
        #expect(try built(with: "swift-6.3.1", needing: "libswiftCore.so") == nil)
        #expect(try built(with: "swift-6.2", needing: "libm.so.6") == nil)
        #expect(try built(with: "", needing: "libswiftCore.so") == nil)
        let found = try built(with: "swift-6.2", needing: "libswiftCore.so")
        #expect(found?.code == .toolchainMismatch)
        #expect(found?.isMismatch == true)
        #expect(found?.sentence.contains("Swift 6.2 and this host's runtime is Swift 6.3") == true)
        for text in ["swift-", "swift-6", "swift-6.x", "swift-6.3.1.2", "swift-123456.1"] {
            #expect(try built(with: text, needing: "libm.so.6")?.code == .tagMalformed)
        }
        var alone = Self.host
        alone.swiftRuntime = nil
        let image = try refusal(rules: alone) {
            $0.needed = ["libswiftCore.so"]
            $0.tag.replaceSubrange(128..<160, with: PluginSource.padded("swift-5.9", 32))
        }
        #expect(image == nil)
    }

    @Test func refusesAPluginWithoutEntryPoint() throws {
        #expect(try refusal { $0.symbols = [] }?.code == .noEntryPoint)
        let main = ElfBuilder.Symbol(name: "main", address: 0)
        #expect(try refusal { $0.symbols = [main] }?.code == .noEntryPoint)
        #expect(try refusal { $0.tag[24] = 1 }?.sentence.contains("function main") == true)
        let registering = try refusal {
            $0.tag[24] = 1
            $0.symbols.append(main)
        }
        #expect(registering == nil)
    }

    @Test func refusesAnExecutableStack() throws {
        #expect(try refusal { $0.stackFlags = 7 }?.code == .executableStack)
        #expect(try refusal { $0.stackFlags = 6 } == nil)
        let unsaid = try refusal { $0.stackFlags = nil }
        #expect(unsaid?.code == (Machine.host == .x86_64 ? .executableStack : nil))
        let bytes = try PluginSource.build(["-Wl,-z,execstack"])
        #expect(Self.host.refusal(of: try read(bytes))?.code == .executableStack)
    }

    @Test func judgesAnUnsaidStackByMachine() throws {
        for (number, code) in [(62, .executableStack), (183, nil)]
            as [(UInt16, PluginImageError.Code?)]
        {
            var builder = ElfBuilder()
            builder.machine = number
            builder.stackFlags = nil
            let image = try read(builder.build(), expecting: nil)
            #expect(image.elf.stack == .unsaid)
            #expect(Self.host.refusal(of: image)?.code == code)
        }
    }

    @Test func refusesTextRelocations() throws {
        #expect(try refusal { $0.extraDynamic = [(22, 0)] }?.code == .textRelocations)
        #expect(try refusal { $0.extraDynamic = [(30, 4)] }?.code == .textRelocations)
        #expect(try refusal { $0.extraDynamic = [(30, 8)] } == nil)
    }

    @Test func acceptsWritableSegmentsUpToTheLimit() throws {
        #expect(try refusal { $0.writableMemory = 6 << 20 } == nil)
        let found = try refusal { $0.writableMemory = 6 << 20 + 1 }
        #expect(found?.code == .writableOverLimit)
        #expect(
            found?.sentence == "the file's writable segments take 6,295,552 bytes, the memory limit"
                + " is 6,291,456")
    }

    @Test func advisesASwiftPluginThatIsTooLarge() throws {
        func swift(needing library: String) throws -> PluginImageError? {
            try refusal {
                $0.needed = [library]
                $0.tag[24] = 2
                $0.writableMemory = 37 << 20
            }
        }
        #expect(try swift(needing: "libc.so.6")?.sentence.contains("dynamically") == true)
        #expect(try swift(needing: "libswiftCore.so")?.sentence.contains("dynamically") == false)
    }

    @Test func acceptsAnAlignmentUpToTwoMebibytes() throws {
        func aligned(to alignment: UInt64) throws -> PluginImageError? {
            var forged = ForgedFile(ElfBuilder().build())
            // Segment 0 is at 0 in file and memory: any alignment fits it.
            forged.put(alignment, at: forged.headers(1)[0] + 48)
            return Self.host.refusal(of: try read(forged.bytes))
        }
        #expect(try aligned(to: 2 << 20) == nil)
        #expect(try aligned(to: 4 << 20)?.code == .alignmentTooLarge)
        #expect(try aligned(to: 1 << 63)?.code == .alignmentTooLarge)
    }

    @Test(arguments: [
        "libs/x.so", "/usr/lib/x.so", "./x.so", "x/", "", "${ORIGIN}x.so", "$LIB", "a\u{1b}/b",
    ])
    func refusesANeededLibraryThatIsNoFileName(name: String) throws {
        let found = try refusal { $0.needed = ["libc.so.6", name] }
        #expect(found?.code == .forbiddenNeeded)
        #expect(found?.isMismatch == false)
    }

    @Test func refusesAFilter() throws {
        for tag in [0x7fff_ffff, 0x7fff_fffd] as [UInt64] {
            #expect(try refusal { $0.extraDynamic = [(tag, 1)] }?.code == .forbiddenNeeded)
        }
    }

    @Test(arguments: [
        "", "$ORIGIN", "${ORIGIN}", "$ORIGIN/", "$ORIGIN/lib", "$ORIGIN/a/../b", "/usr/lib",
        "/usr/lib/x86_64", "/usr/./lib//", "/opt/swift/lib", "/opt/app/plugin/x:$ORIGIN:/usr/lib",
        "$ORIGIN/../plugin", "/../usr/lib",
    ])
    func acceptsARunPathInside(list: String) throws {
        #expect(try refusal { $0.runPaths = [list] } == nil)
    }

    @Test(arguments: [
        "lib", ".", "..", ":", "/usr/lib:", ":/usr/lib", "/usr/lib::$ORIGIN", "/tmp", "/",
        "/usr/libs", "/usr", "$ORIGIN/..", "$ORIGIN/../x", "$ORIGINx", "${ORIGIN", "ORIGIN",
        "/usr/lib/../../tmp", "/usr/lib/$ORIGIN", "/usr/$LIB", "$ORIGIN/$PLATFORM", "$LIB",
        "/opt/app/pluginx", "/usr/lib:/home/a",
    ])
    func refusesARunPathOutside(list: String) throws {
        let found = try refusal { $0.runPaths = ["$ORIGIN", list] }
        #expect(found?.code == .forbiddenRunPath)
        #expect(found?.isMismatch == false)
    }

    @Test func judgesTheOldRunPathToo() throws {
        #expect(try refusal { $0.extraDynamic = [(15, 1)] }?.code == .forbiddenRunPath)
    }

    @Test func namesTheHighestMissingVersion() throws {
        func needing(_ names: [String], flags: UInt16 = 0) throws -> PluginImageError? {
            try refusal {
                $0.versions = [("libm.so.6", ["GLIBC_2.2.5"]), ("libc.so.6", names)]
                $0.versionFlags = flags
            }
        }
        #expect(try needing(["GLIBC_2.36"]) == nil)
        #expect(try needing(["GLIBC_PRIVATE", "GLIBC_ABI_DT_RELR", "GLIBCXX_9.9"]) == nil)
        #expect(try needing(["GLIBC_3.0"], flags: 2) == nil)
        let found = try needing(["GLIBC_2.38", "GLIBC_2.41", "GLIBC_2.37"])
        #expect(found?.code == .missingSymbolVersion)
        #expect(
            found?.sentence
                == "the file needs GLIBC_2.41 from \"libc.so.6\", this system's glibc is 2.36")
        var silent = Self.host
        silent.glibc = nil
        #expect(try refusal(rules: silent) { $0.versions = [("a", ["GLIBC_9.9"])] } == nil)
    }

    @Test func judgesALibraryWithoutTag() throws {
        var builder = ElfBuilder()
        builder.tagSymbol.name = ""
        builder.runPaths = ["lib"]
        let elf = try facts(builder.build())
        #expect(Self.host.refusal(of: elf)?.code == .forbiddenRunPath)
    }

    @Test(arguments: [
        ("2.36", MajorMinor(2, 36)), ("2.2.5", MajorMinor(2, 2)),
        ("99999.0", MajorMinor(99_999, 0)),
        ("100000.0", nil), ("2", nil), ("2.", nil), (".2", nil), ("2.3.4.5", nil), ("2.-3", nil),
        ("2.3a", nil), ("", nil), ("+2.3", nil),
    ])
    func readsTwoNumbers(text: String, expected: MajorMinor?) {
        #expect(MajorMinor(text) == expected)
    }
}
