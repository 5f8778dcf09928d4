import HostEngine
import LinuxSystem
import Testing

@Suite struct WrittenBudgetTests {
    private func started(bytes: UInt64 = 1000) -> WrittenBudget {
        var budget = WrittenBudget(bytes: bytes)
        let isSpent = budget.isSpent(by: FolderUse(bytes: 5000, files: 7))
        #expect(!isSpent)
        return budget
    }

    @Test(arguments: [(UInt64(6000), false), (6001, true)])
    func bytesAreSpentOnlyPastTheBudget(found: UInt64, expected: Bool) {
        var budget = started()
        let isSpent = budget.isSpent(by: FolderUse(bytes: found, files: 7))
        #expect(isSpent == expected)
    }

    @Test(arguments: [(UInt64(1031), false), (1032, true)])
    func filesAreSpentOnlyPastTheirNumber(found: UInt64, expected: Bool) {
        var budget = started()
        let isSpent = budget.isSpent(by: FolderUse(bytes: 5000, files: found))
        #expect(isSpent == expected)
    }

    @Test func whatTheHostPublishesIsNotThePlugins() {
        var budget = started()
        budget.notePublished(bytes: 400)
        let arriving = FolderUse(bytes: 300, files: 1)
        let within = budget.isSpent(by: FolderUse(bytes: 6700, files: 9), arriving: arriving)
        let past = budget.isSpent(by: FolderUse(bytes: 6701, files: 9), arriving: arriving)
        #expect(!within && past)
        let unknown = budget.isSpent(by: FolderUse(bytes: 1 << 40, files: 9), arriving: nil)
        #expect(!unknown)
    }

    @Test func tooMuchToLookThroughIsSpentFromTheStart() {
        var budget = started()
        var fresh = WrittenBudget(bytes: 1)
        let isSpent = budget.isSpent(by: nil)
        let isSpentAtOnce = fresh.isSpent(by: nil)
        #expect(isSpent && isSpentAtOnce)
    }
}
