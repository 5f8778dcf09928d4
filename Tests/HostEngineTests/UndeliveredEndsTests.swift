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

    @Test func theFirstOneIsDueAtOnce() throws {
        var ends = UndeliveredEnds()
        ends.append(1)
        #expect(ends.isDue(at: start, mayGrow: true))
        #expect(try #require(ends.deadline) <= start)
    }

    @Test func theNextOnesHaveTimeToComeTogether() {
        var ends = UndeliveredEnds()
        ends.append(1)
        #expect(ends.popFirst(at: start) == 1)
        #expect(ends.deadline == nil)
        ends.append(2)
        #expect(ends.deadline == end)
        #expect(!ends.isDue(at: start + .milliseconds(249), mayGrow: true))
        #expect(ends.isDue(at: end, mayGrow: true))
        #expect(ends.isDue(at: start, mayGrow: false))
    }

    @Test func timeIsLeftOnlyAfterTheLastOne() {
        var ends = UndeliveredEnds()
        ends.append(1)
        ends.append(2)
        #expect(ends.popFirst(at: start) == 1)
        #expect(ends.isDue(at: start, mayGrow: true))
        #expect(ends.popFirst(at: start) == 2)
        #expect(ends.popFirst(at: start) == nil)
        ends.append(3)
        #expect(!ends.isDue(at: start, mayGrow: true))
    }

    @Test func oneThatIsForgottenIsNotWaitedFor() {
        var ends = UndeliveredEnds()
        ends.append(1)
        ends.append(2)
        ends.remove(1)
        #expect(ends.popFirst(at: start) == 2)
        ends.append(3)
        ends.remove(3)
        #expect(ends.isEmpty && ends.deadline == nil)
    }
}
