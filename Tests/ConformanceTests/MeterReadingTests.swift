import Conformance
import Testing

/// What the meter makes of what it sees.
@Suite struct MeterReadingTests {
    private func kernel(_ slab: UInt64, stacks: UInt64 = 0, mapped: UInt64 = 0) -> KernelMemory {
        KernelMemory(
            meminfo: """
                MemTotal: 1 kB
                SUnreclaim:   \(slab) kB
                SReclaimable: 5 kB
                KernelStack: \(stacks) kB
                VmallocUsed: \(mapped) kB
                PageTables: 0 kB
                Shmem: 0 kB

                """)
    }

    @Test func nothingSeenIsNothingHeld() {
        let reading = MeterReading()
        #expect(!reading.wasSeen)
        #expect(reading.outside(baseline: 0) == 0)
        #expect(reading.kernel == 0)
        #expect(reading.believed == nil)
    }

    @Test func whatItHeldAtTheStartDoesNotCount() {
        var reading = MeterReading()
        reading.add(name: "bah-begin\n", held: 1_000, tables: 100) { nil }
        #expect(reading.outside(baseline: 1_000) == 0)
        reading.add(name: "bah-hold 4\n", held: 9_000, tables: 150) { nil }
        reading.add(name: "bah-done\n", held: 1_000, tables: 100) { nil }
        #expect(reading.outside(baseline: 1_000) == 8_050)
        #expect(reading.outside(baseline: 20_000) == 50)
        #expect(reading.believed == 4 << 10)
    }

    @Test func theMiddleRiseOfTheKernelCounts() {
        var reading = MeterReading()
        reading.add(name: "bah-begin", held: 0, tables: 0) { kernel(1_000) }
        for slab in [6_000, 90_000, 1_000] as [UInt64] {
            reading.add(name: "bah-hold 1", held: 0, tables: 0) { kernel(slab) }
        }
        // 5,000 kB less the noise of a mebibyte.
        #expect(reading.kernel == 5_000 << 10 - 1 << 20)
    }

    @Test func stacksThatAreMappedCountOnce() {
        let rise = kernel(0, stacks: 30, mapped: 40).rise(since: kernel(0, stacks: 10, mapped: 10))
        #expect(rise.unreclaimable == 30 << 10)
    }

    @Test func withoutABeginningTheKernelIsNotLookedAt() {
        var reading = MeterReading()
        reading.add(name: "bah-hold 7", held: 0, tables: 0) { kernel(1_000) }
        #expect(reading.kernel == 0)
        #expect(reading.wasSeen)
    }

    @Test func theLargestMeasureCounts() {
        var memory = HeldMemory()
        memory.limit = 6 << 20
        memory.believed = 1
        memory.sampled = 2
        memory.outside = 3
        memory.kernel = 4
        #expect(memory.held == 7)
        #expect(memory.heldByWorker == 3)
        #expect(memory.promise == 6 << 20 + (6 << 20) / 20 + 256 << 10)
    }
}
