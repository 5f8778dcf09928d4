import LinuxSystem
import Testing

struct ByteCountTests {
    @Test(
        arguments: [
            ("1", 1), ("512K", 512 << 10), ("6M", 6 << 20), ("1G", 1 << 30), ("007", 7),
            ("18446744073709551615", UInt64.max), ("17179869183G", 17_179_869_183 << 30),
        ] as [(String, UInt64)])
    func goodTextIsRead(text: String, bytes: UInt64) {
        #expect(ByteCount(untrusted: text)?.bytes == bytes)
    }

    @Test(arguments: [
        "", "0", "0M", "M", "-1", "+1", " 1", "1 ", "1.5M", "6m", "6MB", "6T", "٣", "1_000",
        "18446744073709551616", "17179869184G", "0x10",
    ])
    func anythingElseIsNil(text: String) {
        #expect(ByteCount(untrusted: text) == nil)
    }

    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
            ((1 << 20) - 1, "1023.9 KiB"), (1 << 20, "1.0 MiB"), (52_428_800, "50.0 MiB"),
            (1 << 40, "1.0 TiB"), (UInt64.max, "16777215.9 TiB"),
        ] as [(UInt64, String)])
    func itIsShownInBinaryUnits(bytes: UInt64, text: String) {
        #expect(ByteCount(bytes: bytes).description == text)
    }

    @Test func unitsAreBinary() {
        #expect(ByteCount.kibibytes(3).bytes == 3072)
        #expect(ByteCount.mebibytes(6).bytes == 6_291_456)
        #expect(ByteCount.kibibytes(1) < ByteCount.mebibytes(1))
    }
}

struct InstantTests {
    @Test(
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1),
            (.seconds(1) + .nanoseconds(5), 1_000_000_005), (.milliseconds(-1500), -1_500_000_000),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            (.nanoseconds(Int64.max), .max), (.nanoseconds(Int64.min), .min),
            (.nanoseconds(Int64.max) + .nanoseconds(1), .max),
            (.nanoseconds(Int64.min) - .nanoseconds(1), .min),
        ] as [(Duration, Int64)])
    func durationsAreClampedTo64Bits(duration: Duration, nanoseconds: Int64) {
        #expect(duration.wholeNanoseconds == nanoseconds)
    }

    @Test func millisecondsAreCut() {
        #expect(Duration.microseconds(1999).wholeMilliseconds == 1)
        #expect(Duration.microseconds(-1999).wholeMilliseconds == -1)
    }

    @Test func instantsAreAddedAndSubtracted() {
        let start = Instant(nanoseconds: 5)
        let later = start + .seconds(2)
        #expect(later - start == .seconds(2))
        #expect(start < later)
        #expect(start - later == .seconds(-2))
    }

    @Test func theClockOnlyGoesForward() {
        let first = BootClock.now()
        let second = BootClock.now()
        #expect(first <= second)
        #expect(first.nanoseconds > 0)
        #expect(BootClock.wallSeconds() > 1_600_000_000)
    }
}

struct ProcessMemoryTests {
    private func parse(_ text: String) -> ProcessMemory? {
        ProcessMemory.parse(Array(text.utf8))
    }

    @Test func theLinesAreAddedUp() {
        let memory = parse(
            """
            Name:\tworker
            VmSize:\t    9000 kB
            VmData:\t     700 kB
            VmPTE:\t      48 kB
            VmSwap:\t       3 kB
            RssAnon:\t     100 kB
            RssFile:\t     500 kB
            RssShmem:\t      20 kB

            """)
        #expect(memory?.heldBytes == 123 * 1024)
        #expect(memory?.dataBytes == 700 * 1024)
        #expect(memory?.addressSpaceBytes == 9000 * 1024)
        #expect(memory?.pageTableBytes == 48 * 1024)
    }

    @Test(arguments: ["", "Name:\tx\nState:\tZ (zombie)\n", "RssAnon", "VmData:\t1 kB"])
    func aFileWithoutMemoryIsNil(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func absurdNumbersDoNotTrap() {
        let huge = String(repeating: "9", count: 40)
        #expect(parse("RssAnon: \(huge) kB\nVmSwap: \(huge) kB\nRssShmem: \(huge) kB") != nil)
        let most = UInt64.max / 1024
        #expect(parse("RssAnon: \(most) kB\nVmSwap: \(most) kB\nRssShmem: 1 kB") != nil)
    }

    @Test func aNameThatLooksLikeALineIsOnlyAName() {
        #expect(parse("Name:\tRssAnon: 5 kB\nRssAnon:\t1 kB\n")?.heldBytes == 1024)
    }

    @Test func thisProcessIsRead() throws {
        let memory = try #require(ProcessMemory.read())
        #expect(memory.heldBytes > 0)
        #expect(memory.addressSpaceBytes > memory.dataBytes)
        #expect(ProcessMemory.read(pid: 1 << 30) == nil)
    }
}

struct ResourceLimitTests {
    @Test func everyLimitCanBeRead() {
        let limits: [ResourceLimit] = [
            .dataBytes, .addressSpaceBytes, .stackBytes, .fileSizeBytes, .coreBytes, .openFiles,
            .processes, .cpuSeconds, .pendingSignals, .messageQueueBytes,
        ]
        #expect(limits.allSatisfy { $0.rawValue.hasPrefix("RLIMIT_") })
        #expect(ResourceLimit.openFiles.current > 10)
        #expect(ResourceLimit.stackBytes.current > 65_536)
    }

    @Test func aLimitCanBeLowered() throws {
        try ResourceLimit.coreBytes.set(0)
        #expect(ResourceLimit.coreBytes.current == 0)
    }
}
