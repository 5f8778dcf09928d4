import HostEngine
import LinuxSystem
import Testing

@Suite struct QuotaTests {
    private static let disk: UInt64 = 1 << 30

    private func isSpent(_ budget: inout WrittenBudget, _ bytes: UInt64) -> Bool {
        budget.isSpent(by: FolderUse(bytes: bytes, files: 1))
    }

    @Test(arguments: [(UInt64(600), false), (601, true)])
    func theQuotaIsABoundForAllThatIsInFlight(need: UInt64, isRefused: Bool) {
        var space = SpaceReservations()
        let quota = QuotaSpace(quotaBytes: 5_000, leftBytes: 1_000)
        let group = GroupSpace(diskBytes: Self.disk, quota: quota)
        #expect(space.reserve(1, needBytes: 400, in: group, path: "/data") == nil)
        let refusal = space.reserve(2, needBytes: need, in: group, path: "/data")
        #expect((refusal != nil) == isRefused)
        #expect(refusal?.missingBytes ?? 1 == 1)
        #expect(refusal?.quotaBytes ?? 5_000 == 5_000)
    }

    @Test func theSentenceNamesTheBound() {
        var space = SpaceReservations()
        let quota = QuotaSpace(quotaBytes: 3 << 20, leftBytes: 1 << 20)
        let byQuota = space.reserve(
            1, needBytes: 2 << 20, in: GroupSpace(diskBytes: Self.disk, quota: quota),
            path: "/data")
        #expect(
            byQuota?.sentence == "the download needs 2.0 MiB, 1.0 MiB are left of the group's "
                + "quota of 3.0 MiB after what is in flight")
        let byDisk = space.reserve(
            1, needBytes: 2 << 20, in: GroupSpace(diskBytes: 1 << 20, quota: quota),
            path: "/data")
        #expect(
            byDisk?.sentence == "the download needs 2.0 MiB, 0 B are free on /data "
                + "after what is in flight")
    }

    @Test func whatHasArrivedIsCountedOnce() {
        var space = SpaceReservations()
        let group = GroupSpace(diskBytes: Self.disk)
        #expect(space.reserve(1, needBytes: 1_000, in: group, path: "/data") == nil)
        space.setRemaining(1, bytes: 700)
        #expect(space.writtenBytes == 300)
        space.release(1)
        #expect(space.writtenBytes == 1_000)
        space.setReceived(2, bytes: 50)
        space.setReceived(2, bytes: 80)
        space.release(2)
        #expect(space.writtenBytes == 1_080)
    }

    @Test func aWorkerMayWriteWhatTheQuotaLeaves() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 300)
        #expect(!isSpent(&budget, 5_000))
        #expect(!isSpent(&budget, 5_300))
        #expect(isSpent(&budget, 5_301))
        #expect(budget.isEndedByQuota)
        // 500 bytes made way: what was there is less, and the quota leaves as much more.
        budget.noteTaken(bytes: 500, files: 1, isForWorker: true)
        #expect(!isSpent(&budget, 4_801))
        #expect(!isSpent(&budget, 5_300))
        #expect(isSpent(&budget, 5_301))
    }

    @Test func whatMadeWayForADownloadIsNotTheWorkers() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 300)
        #expect(!isSpent(&budget, 5_000))
        budget.noteTaken(bytes: 500, files: 1, isForWorker: false)
        #expect(!isSpent(&budget, 4_800))
        #expect(isSpent(&budget, 4_801))
    }

    @Test func withoutANarrowerQuotaTheBudgetEndsIt() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 2_000)
        #expect(!isSpent(&budget, 0))
        #expect(isSpent(&budget, 1_001))
        #expect(!budget.isEndedByQuota)
    }
}
