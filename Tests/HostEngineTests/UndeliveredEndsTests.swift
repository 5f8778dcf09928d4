import LinuxSystem
import Testing

@testable import HostEngine

@Suite struct UndeliveredEndsTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private var end: Instant { start + UndeliveredEnds.gatheringTime }

    @Test func nothingIsNeverDue() {
        let ends = UndeliveredEnds()
        #expect(ends.isEmpty)
        #expect(ends.deadline == nil)
        #expect(!ends.isDue(at: start, mayGrow: false))
    }

    @Test func theLastOneIsDueAtOnce() {
        var ends = UndeliveredEnds()
        ends.append(1, at: start)
        #expect(ends.isDue(at: start, mayGrow: false))
        #expect(!ends.isDue(at: start, mayGrow: true))
    }

    @Test func theOldestDecidesHowLongToWait() {
        var ends = UndeliveredEnds()
        ends.append(1, at: start)
        ends.append(2, at: start + .milliseconds(249))
        #expect(ends.deadline == end)
        #expect(!ends.isDue(at: start + .milliseconds(249), mayGrow: true))
        #expect(ends.isDue(at: end, mayGrow: true))
    }

    @Test func gatheringBeginsAnewAfterTheLastOne() {
        var ends = UndeliveredEnds()
        ends.append(1, at: start)
        ends.append(2, at: start)
        #expect(ends.popFirst() == 1)
        #expect(ends.deadline == end)
        #expect(ends.popFirst() == 2)
        #expect(ends.deadline == nil)
        #expect(ends.popFirst() == nil)
        ends.append(3, at: end)
        #expect(ends.deadline == end + UndeliveredEnds.gatheringTime)
    }

    @Test func oneThatIsForgottenIsNotWaitedFor() {
        var ends = UndeliveredEnds()
        ends.append(1, at: start)
        ends.append(2, at: start)
        ends.remove(1)
        #expect(ends.deadline == end)
        ends.remove(2)
        #expect(ends.isEmpty && ends.deadline == nil)
    }
}
