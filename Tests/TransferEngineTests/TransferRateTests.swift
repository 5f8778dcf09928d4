import LinuxSystem
import Testing
import TransferEngine

struct TransferRateTests {
    private let start = Instant(nanoseconds: 0)

    @Test func nothingIsKnownAtTheStart() {
        let rate = TransferRate(at: start, bytes: 10)
        #expect(rate.bytesPerSecond == nil)
        #expect(rate.timeLeft(of: 100) == nil)
    }

    @Test func aSteadyRateIsTold() {
        var rate = TransferRate(at: start, bytes: 0)
        for tenth in 1...50 {
            rate.note(UInt64(tenth) * 100, at: start + .milliseconds(tenth * 100))
        }
        #expect(rate.bytesPerSecond == 1000)
        #expect(rate.timeLeft(of: 6000) == .seconds(1))
        #expect(rate.timeLeft(of: 5000) == .zero)
        #expect(rate.timeLeft(of: 4999) == nil)
        #expect(rate.timeLeft(of: nil) == nil)
    }

    @Test func aGustIsSmoothed() throws {
        var rate = TransferRate(at: start, bytes: 0)
        rate.note(10_000, at: start + .seconds(10))
        rate.note(20_000, at: start + .milliseconds(10_100))
        let told = try #require(rate.bytesPerSecond)
        #expect((1_001...10_000).contains(told))
    }

    @Test func howOftenItIsAskedDoesNotMatter() throws {
        var often = TransferRate(at: start, bytes: 0)
        var seldom = often
        often.note(1_000, at: start + .seconds(1))
        seldom.note(1_000, at: start + .seconds(1))
        for tenth in 1...10 {
            often.note(1_000 + UInt64(tenth) * 500, at: start + .milliseconds(1_000 + tenth * 100))
        }
        seldom.note(6_000, at: start + .seconds(2))
        let (first, second) = (
            try #require(often.bytesPerSecond), try #require(seldom.bytesPerSecond)
        )
        #expect(max(first, second) - min(first, second) <= 1)
    }

    @Test func aStallTakesTheTimeLeftAway() {
        var rate = TransferRate(at: start, bytes: 0)
        rate.note(1_000, at: start + .seconds(1))
        rate.note(1_000, at: start + .seconds(3_600))
        #expect(rate.timeLeft(of: 1 << 30) == nil)
    }

    @Test func fewerBytesBeginAnew() {
        var rate = TransferRate(at: start, bytes: 0)
        rate.note(1_000, at: start + .seconds(1))
        rate.note(10, at: start + .seconds(2))
        #expect(rate.bytesPerSecond == nil)
    }
}

struct StallWatchTests {
    private let start = Instant(nanoseconds: 0)
    private var watch = StallWatch(rate: .kibibytes(1), time: .seconds(30))

    @Test(arguments: [(29_999, false), (30_000, true)])
    func aStallIsThirtySecondsWithoutEnough(milliseconds: Int, expected: Bool) {
        var watch = watch
        #expect(watch.isStalled(at: start, bytes: 0) == false)
        #expect(watch.isStalled(at: start + .milliseconds(milliseconds), bytes: 10) == expected)
    }

    @Test(arguments: [(30 * 1024 - 1, true), (30 * 1024, false)] as [(UInt64, Bool)])
    func enoughIsAKibibyteASecond(bytes: UInt64, expected: Bool) {
        var watch = watch
        #expect(watch.isStalled(at: start, bytes: 0) == false)
        #expect(watch.isStalled(at: start + .seconds(30), bytes: bytes) == expected)
    }

    @Test func timeInWhichWeHoldItBackDoesNotCount() {
        var watch = watch
        #expect(watch.isStalled(at: start, bytes: 0) == false)
        watch.rest()
        #expect(watch.isStalled(at: start + .seconds(100), bytes: 0) == false)
        #expect(watch.isStalled(at: start + .seconds(129), bytes: 0) == false)
        #expect(watch.isStalled(at: start + .seconds(130), bytes: 0) == true)
    }

    @Test func bytesThatWereDroppedBeginAnew() {
        var watch = watch
        #expect(watch.isStalled(at: start, bytes: 50) == false)
        #expect(watch.isStalled(at: start + .seconds(40), bytes: 0) == false)
    }
}
