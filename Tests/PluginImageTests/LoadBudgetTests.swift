import PluginImage
import Testing

@Suite struct LoadBudgetTests {
    private static let mebibyte: UInt64 = 1 << 20

    private func need(
        nonWritable: UInt64 = 0, holes: UInt64 = 0, writable: UInt64 = 0
    ) -> LoadNeed {
        LoadNeed(
            nonWritableBytes: nonWritable, holeBytes: holes, writableBytes: writable,
            alignmentBytes: 0)
    }

    private func budget(_ needs: LoadNeed...) throws -> LoadBudget {
        var budget = LoadBudget(limitBytes: 6 * Self.mebibyte)
        for need in needs { try budget.add(need) }
        return budget
    }

    @Test func whatCannotBeWrittenIsFreeUpToTheBound() throws {
        let most = LoadBudget.largestNeedBytes
        #expect(try budget(need(nonWritable: most - 4096, holes: 4096)).needBytes == most)
        let error = #expect(throws: PluginImageError.self) {
            try budget(need(nonWritable: most, holes: 4096))
        }
        #expect(error?.code == .needOverLimit)
        #expect(error?.sentence.contains("takes 536,875,008 bytes") == true)
        #expect(error?.sentence.contains("at most 536,870,912") == true)
    }

    @Test func writableSegmentsOfAllFilesAreSummed() throws {
        let half = 3 * Self.mebibyte
        #expect(try budget(need(writable: half), need(writable: half)).writableBytes == 2 * half)
        let error = #expect(throws: PluginImageError.self) {
            try budget(need(writable: half), need(writable: half + 4096))
        }
        #expect(error?.code == .writableOverLimit)
        #expect(error?.sentence.contains("6,295,552 bytes for writable segments") == true)
        #expect(error?.sentence.contains("the memory limit is 6,291,456") == true)
    }

    @Test func sumsPastSixtyFourBitsAreRefused() throws {
        let error = #expect(throws: PluginImageError.self) {
            try budget(need(nonWritable: 4096), need(nonWritable: .max - 8191, holes: 4096))
        }
        #expect(error?.code == .needOverLimit)
    }

    @Test func librariesAreCounted() throws {
        var budget = LoadBudget(limitBytes: 1)
        for _ in 0...LoadBudget.mostLibraries { try budget.add(need()) }
        let error = #expect(throws: PluginImageError.self) { try budget.add(need()) }
        #expect(error?.sentence == "the file brings more than 64 libraries of its own")
    }

    private static let before = MemoryMark(
        dataBytes: 1 << 20, addressSpaceBytes: 100 << 20, relroBytes: 1 << 16)

    @Test func theLimitsAreTheNeedAndTheLimitOnTopOfWhatThereIs() throws {
        let budget = try budget(need(nonWritable: 8192, holes: 4096, writable: 4096))
        let limits = try #require(LoadLimits(budget, before: Self.before, now: Self.before))
        #expect(limits.dataBytes == 7 << 20)
        #expect(limits.addressSpaceBytes == (106 << 20) + 12_288)
        #expect(limits.leftBytes == 6 << 20)
    }

    @Test func systemLibrariesPayForWhatTheyWriteOnly() throws {
        var now = Self.before
        now.addressSpaceBytes += 40 << 20
        now.dataBytes += 1 << 20
        now.relroBytes += 2 << 20
        let limits = try #require(LoadLimits(try budget(need()), before: Self.before, now: now))
        #expect(limits.leftBytes == 3 << 20)
        #expect(limits.addressSpaceBytes == 143 << 20)
        #expect(limits.dataBytes == 5 << 20)
    }

    @Test func systemLibrariesThatWriteTheWholeLimitLeaveNothingAndMoreIsRefused() throws {
        var now = Self.before
        now.dataBytes += 6 << 20
        let limits = try #require(LoadLimits(try budget(need()), before: Self.before, now: now))
        #expect(limits.leftBytes == 0)
        now.relroBytes += 4096
        #expect(LoadLimits(try budget(need()), before: Self.before, now: now) == nil)
    }

    @Test func trimmingNeverRaises() throws {
        let budget = try budget(need(nonWritable: 1 << 20))
        let limits = try #require(LoadLimits(budget, before: Self.before, now: Self.before))
        var loaded = Self.before
        #expect(limits.trimmedAddressSpace(loaded) == 106 << 20)
        loaded.addressSpaceBytes += 3 << 20
        // Pages made read-only have left the count of data: what is left looks like more than it is.
        #expect(limits.trimmedAddressSpace(loaded) == limits.addressSpaceBytes)
        loaded.addressSpaceBytes = .max - 5
        #expect(limits.trimmedAddressSpace(loaded) == limits.addressSpaceBytes)
    }
}

@Suite struct RunFolderTests {
    private func elf(_ change: (inout ElfBuilder) -> Void) throws -> ElfFile {
        var builder = ElfBuilder()
        change(&builder)
        return try read(builder.build()).elf
    }

    @Test func runFoldersAreInOrderAndOriginIsReplaced() throws {
        let elf = try elf { $0.runPaths = ["$ORIGIN/lib:/usr/lib/x:${ORIGIN}"] }
        var rules = LoadRules.forTests
        #expect(
            rules.runFolders(of: elf)
                == ["/opt/app/plugin/lib", "/usr/lib/x", "/opt/app/plugin"])
        rules.originFolder = "/opt/app/plugin/lib"
        #expect(rules.runFolders(of: elf).first == "/opt/app/plugin/lib/lib")
    }

    @Test func aLibrarysOwnOriginMayLeadBackToThePluginsFolderButNotOut() throws {
        var rules = LoadRules.forTests
        rules.originFolder = "/opt/app/plugin/lib"
        #expect(rules.refusal(of: try elf { $0.runPaths = ["$ORIGIN/.."] }) == nil)
        #expect(
            rules.refusal(of: try elf { $0.runPaths = ["$ORIGIN/../.."] })?.code
                == .forbiddenRunPath)
    }

    @Test func theOldKindOfRunPathIsSeen() throws {
        #expect(try !elf { $0.runPaths = ["$ORIGIN"] }.hasOldRunPath)
        #expect(try elf { $0.runPaths = ["$ORIGIN", "$ORIGIN"] }.hasOldRunPath)
        #expect(try elf { $0.extraDynamic = [(15, 0)] }.hasOldRunPath)
    }

    @Test(arguments: [
        ("/usr/lib/a.so", true), ("/usr/lib", true), ("/usr/lib2/a.so", false),
        ("/usr/lib/../a.so", false), ("/", false),
    ])
    func insideIsComponentByComponent(path: String, expected: Bool) {
        #expect(LoadRules.isInside(path, ["/opt", "/usr/lib/"]) == expected)
    }
}
