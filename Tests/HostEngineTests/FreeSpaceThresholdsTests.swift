import HostEngine
import Testing

@Suite struct FreeSpaceThresholdsTests {
    private static let large: UInt64 = 1 << 40

    private func thresholds(_ low: UInt64, _ high: UInt64) -> FreeSpaceThresholds {
        var thresholds = FreeSpaceThresholds()
        thresholds.lowBytes = low
        thresholds.highBytes = high
        return thresholds
    }

    @Test func belowTheLowOneFilesGoUntilTheHighOneIsFree() {
        let usual = FreeSpaceThresholds()
        #expect(usual.missingBytes(freeBytes: 256 << 20, totalBytes: Self.large) == 0)
        #expect(
            usual.missingBytes(freeBytes: (256 << 20) - 1, totalBytes: Self.large)
                == (256 << 20) + 1)
        #expect(usual.missingBytes(freeBytes: 0, totalBytes: Self.large) == 512 << 20)
        #expect(usual.floorBytes(totalBytes: Self.large) == 272 << 20)
    }

    @Test func ofASmallFileSystemItIsATwentiethAndATenth() {
        let usual = FreeSpaceThresholds()
        #expect(usual.floorBytes(totalBytes: 80 << 20) == (4 << 20) + (1 << 19))
        #expect(usual.missingBytes(freeBytes: 5 << 20, totalBytes: 100 << 20) == 0)
        #expect(
            usual.missingBytes(freeBytes: (5 << 20) - 1, totalBytes: 100 << 20)
                == (5 << 20) + 1)
        // The database's own floor stays.
        #expect(usual.floorBytes(totalBytes: 10 << 20) == SpaceReservations.floorBytes)
        #expect(usual.missingBytes(freeBytes: 0, totalBytes: 0) == 0)
    }

    @Test func noThresholdsAndOnesInTheWrongOrder() {
        let none = thresholds(0, 0)
        #expect(none.floorBytes(totalBytes: Self.large) == SpaceReservations.floorBytes)
        #expect(none.missingBytes(freeBytes: 0, totalBytes: Self.large) == 0)
        let crossed = thresholds(100, 50)
        #expect(crossed.missingBytes(freeBytes: 99, totalBytes: Self.large) == 1)
        let most = thresholds(.max, .max)
        #expect(most.missingBytes(freeBytes: 0, totalBytes: .max) == UInt64.max / 10)
    }
}
