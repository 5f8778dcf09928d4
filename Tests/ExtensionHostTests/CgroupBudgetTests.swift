import ExtensionHost
import Testing

struct CgroupBudgetTests {
    private static let mebibyte: UInt64 = 1 << 20
    private let share = CgroupBudget.Share(memoryBytes: 20 << 20, writtenBytes: 5 << 20)

    /// 20 + 1 + 0.25 + 8 + 5 MiB.
    @Test func aShareIsTheLimitAndWhatComesOnTop() {
        #expect(share.bytes == 34 << 20 + 256 << 10)
        #expect(CgroupBudget.Share(memoryBytes: .max, writtenBytes: 1).bytes == .max)
    }

    @Test func eachWorkerAddsItsShareAndTakesItAway() {
        var budget = CgroupBudget(allowance: 10 << 20)
        #expect(budget.isIdle)
        budget.start(1, share)
        #expect(budget.limitBytes(heldBytes: 0) == 10 << 20 + share.bytes)
        budget.start(2, share)
        #expect(budget.limitBytes(heldBytes: 0) == 10 << 20 + 2 * share.bytes)
        budget.end(1)
        budget.end(1)
        budget.end(7)
        #expect(!budget.isIdle)
        #expect(budget.limitBytes(heldBytes: 0) == 10 << 20 + share.bytes)
    }

    /// What an ended worker has left in files counts as far as it is really there.
    @Test func whatIsLeftInFilesIsNotTakenFromOthers() {
        var budget = CgroupBudget(allowance: 10 << 20)
        budget.start(1, share)
        budget.start(2, share)
        budget.end(1)
        let bare = 10 << 20 + share.bytes
        #expect(budget.limitBytes(heldBytes: 10 << 20) == bare)
        #expect(budget.limitBytes(heldBytes: 12 << 20) == bare + 2 << 20)
        #expect(budget.limitBytes(heldBytes: 15 << 20) == bare + 5 << 20)
        #expect(budget.limitBytes(heldBytes: 90 << 20) == bare + 5 << 20)
    }

    @Test func anIdleLauncherIsMeasuredAnew() {
        var budget = CgroupBudget(allowance: 10 << 20)
        budget.start(1, share)
        budget.end(1)
        budget.measured(heldBytes: 15 << 20)
        #expect(budget.limitBytes(heldBytes: 90 << 20) == 15 << 20 + CgroupBudget.slackBytes)
    }

    @Test func theFirstMeasurementOnlyLowers() {
        var budget = CgroupBudget(allowance: 10 << 20)
        budget.measuredFirst(heldBytes: 6 << 20 + 1)
        #expect(budget.limitBytes(heldBytes: 0) == 10 << 20)
        budget.measuredFirst(heldBytes: 6 << 20 - 1)
        #expect(budget.limitBytes(heldBytes: 0) == 10 << 20 - 1)
    }

    @Test func sumsStopAtTheTop() {
        var budget = CgroupBudget(allowance: .max)
        budget.start(1, share)
        #expect(budget.limitBytes(heldBytes: .max) == .max)
        budget.measured(heldBytes: .max)
        #expect(budget.limitBytes(heldBytes: 0) == .max)
    }
}
