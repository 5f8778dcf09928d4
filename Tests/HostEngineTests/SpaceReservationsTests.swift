import HostEngine
import Testing

@Suite struct SpaceReservationsTests {
    private static let floor = SpaceReservations.floorBytes

    private func reserve(
        _ space: inout SpaceReservations, _ row: Int64, _ need: UInt64, free: UInt64
    ) -> SpaceRefusal? {
        space.reserve(row, needBytes: need, in: GroupSpace(diskBytes: free), path: "/data")
    }

    @Test(arguments: [(UInt64(1000), false), (1001, true)])
    func oneDownloadHasWhatIsFreeButTheFloor(need: UInt64, isRefused: Bool) {
        var space = SpaceReservations()
        let refusal = reserve(&space, 1, need, free: Self.floor + 1000)
        #expect((refusal != nil) == isRefused)
        #expect(space.reservedBytes == (isRefused ? 0 : need))
    }

    @Test(arguments: [(UInt64(600), false), (601, true)])
    func severalShareIt(need: UInt64, isRefused: Bool) {
        var space = SpaceReservations()
        #expect(reserve(&space, 1, 400, free: Self.floor + 1000) == nil)
        let refusal = reserve(&space, 2, need, free: Self.floor + 1000)
        #expect((refusal != nil) == isRefused)
        #expect(refusal?.freeBytes ?? 600 == 600)
        #expect(refusal?.needBytes ?? 601 == 601)
    }

    @Test(arguments: [UInt64(0), 1, Self.floor - 1, Self.floor])
    func theFloorIsNobodys(free: UInt64) {
        var space = SpaceReservations()
        #expect(reserve(&space, 1, 0, free: free) == nil)
        #expect(reserve(&space, 2, 1, free: free)?.freeBytes == 0)
    }

    @Test func whatArrivesIsNoLongerReserved() {
        var space = SpaceReservations()
        #expect(reserve(&space, 1, 1000, free: Self.floor + 1000) == nil)
        // 300 bytes are in the file, and so no longer free.
        space.setRemaining(1, bytes: 700)
        #expect(reserve(&space, 2, 1, free: Self.floor + 700) != nil)
        space.release(1)
        #expect(reserve(&space, 2, 700, free: Self.floor + 700) == nil)
        #expect(space.reservedBytes == 700)
    }

    @Test func anEmptiedFileNeedsAllAgain() {
        var space = SpaceReservations()
        #expect(reserve(&space, 1, 1000, free: Self.floor + 1000) == nil)
        space.setRemaining(1, bytes: 10)
        space.setRemaining(1, bytes: 1000)
        #expect(space.reservedBytes == 1000)
    }

    @Test func anUnknownSizeReservesNothingUntilItIsJudged() {
        var space = SpaceReservations()
        space.setRemaining(7, bytes: 500)
        #expect(space.reservedBytes == 0)
        #expect(reserve(&space, 1, 900, free: Self.floor + 1000) == nil)
        #expect(reserve(&space, 7, 101, free: Self.floor + 1000) != nil)
        #expect(reserve(&space, 7, 100, free: Self.floor + 1000) == nil)
    }

    @Test func anotherReservationTakesThePlaceOfTheFirst() {
        var space = SpaceReservations()
        #expect(reserve(&space, 1, 1000, free: Self.floor + 1000) == nil)
        #expect(reserve(&space, 1, 900, free: Self.floor + 1000) == nil)
        #expect(space.reservedBytes == 900)
        #expect(reserve(&space, 1, 1001, free: Self.floor + 1000) != nil)
        #expect(space.reservedBytes == 0)
    }

    @Test func theLargestNumbersAddUpToNoMore() {
        var space = SpaceReservations()
        #expect(reserve(&space, 1, .max - Self.floor, free: .max) == nil)
        #expect(reserve(&space, 2, 1, free: .max)?.freeBytes == 0)
        space.setRemaining(1, bytes: .max)
        #expect(space.reservedBytes == .max)
        #expect(reserve(&space, 2, 0, free: .max) == nil)
        space.setRemaining(2, bytes: .max)
        #expect(space.reservedBytes == .max)
        #expect(reserve(&space, 3, .max, free: .max)?.needBytes == .max)
    }

    @Test func theRefusalIsOneSentence() throws {
        var space = SpaceReservations()
        let refusal = try #require(
            reserve(&space, 1, 1_288_490_189, free: Self.floor + 300 << 20))
        #expect(
            refusal.sentence
                == "the download needs 1.2 GiB, 300.0 MiB are free on /data after what is in flight"
        )
        let close = try #require(reserve(&space, 1, 2049, free: Self.floor + 2048))
        #expect(
            close.sentence
                == "the download needs 2049 B, 2048 B are free on /data after what is in flight")
    }
}
