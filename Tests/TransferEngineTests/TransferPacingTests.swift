import LinuxSystem
import Testing
import TransferEngine

struct TransferPacingTests {
    private func due(
        after elapsed: Duration, bytes: UInt64
    ) -> TransferPacing.Due {
        let start = Instant(nanoseconds: 0)
        var pacing = TransferPacing(at: start, bytes: 0)
        return pacing.due(at: start + elapsed, bytes: bytes)
    }

    @Test(arguments: [(99, false), (100, true)])
    func progressAtMostTenTimesASecond(milliseconds: Int, expected: Bool) {
        #expect(due(after: .milliseconds(milliseconds), bytes: 1).progress == expected)
    }

    @Test(
        arguments: [
            (999, 1, false), (1000, 1, true), (100, 1 << 20, true), (100, (1 << 20) - 1, false),
            (99, 1 << 30, false),
        ] as [(Int, UInt64, Bool)])
    func checkpointAfterASecondOrAMebibyte(milliseconds: Int, bytes: UInt64, expected: Bool) {
        #expect(due(after: .milliseconds(milliseconds), bytes: bytes).checkpoint == expected)
    }

    @Test(
        arguments: [
            (4999, 1, false), (5000, 1, true), (1000, 64 << 20, true),
            (1000, (64 << 20) - 1, false),
            (999, 1 << 30, false),
        ] as [(Int, UInt64, Bool)])
    func syncAfterFiveSecondsOrSixtyFourMebibytes(milliseconds: Int, bytes: UInt64, expected: Bool)
    {
        #expect(due(after: .milliseconds(milliseconds), bytes: bytes).sync == expected)
    }

    @Test func nothingIsDueWithoutNewBytes() {
        #expect(due(after: .seconds(100), bytes: 0) == TransferPacing.Due())
    }

    @Test func eachIsCountedFromItsLastTime() {
        let start = Instant(nanoseconds: 0)
        var pacing = TransferPacing(at: start, bytes: 0)
        #expect(pacing.due(at: start + .seconds(1), bytes: 10).checkpoint)
        #expect(!pacing.due(at: start + .milliseconds(1999), bytes: 20).checkpoint)
        #expect(pacing.due(at: start + .seconds(2), bytes: 30).checkpoint)
    }
}
