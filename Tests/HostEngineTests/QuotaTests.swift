import HostEngine
import LinuxSystem
import Testing

@Suite struct QuotaTests {
    private static let disk: UInt64 = 1 << 30

    /// Free, reserved, needed, missing: in MiB, and one is never given away.
    private static let overdrawn: [[UInt64]] = [[0, 0, 4, 5], [5, 8, 2, 6], [9, 8, 1, 1]]

    private func isSpent(_ budget: inout WrittenBudget, _ bytes: UInt64) -> Bool {
        budget.isSpent(by: FolderUse(bytes: bytes, files: 1))
    }

    @Test(arguments: [(UInt64(600), false), (601, true)])
    func theQuotaIsABoundForAllThatIsInFlight(need: UInt64, isRefused: Bool) {
        var space = SpaceReservations()
        let quota = QuotaSpace(quotaBytes: 5_000, usedBytes: 4_000)
        let group = GroupSpace(diskBytes: Self.disk, quota: quota)
        #expect(space.reserve(1, needBytes: 400, in: group, path: "/data") == nil)
        let refusal = space.reserve(2, needBytes: need, in: group, path: "/data")
        #expect((refusal != nil) == isRefused)
        #expect(refusal?.missingBytes ?? 1 == 1)
        #expect(refusal?.quota ?? quota == quota)
    }

    @Test func theSentenceNamesTheBound() {
        var space = SpaceReservations()
        let quota = QuotaSpace(quotaBytes: 3 << 20, usedBytes: 2 << 20)
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
        space.release(1, isWhole: true)
        #expect(space.writtenBytes == 1_000)
        space.setReceived(2, bytes: 50)
        space.setReceived(2, bytes: 80)
        space.release(2)
        #expect(space.writtenBytes == 1_080)
        // A failed one has not written the rest.
        #expect(space.reserve(3, needBytes: 500, in: group, path: "/data") == nil)
        space.release(3)
        #expect(space.writtenBytes == 1_080)
    }

    /// What a transfer gives back, or had before, is not taken from a worker.
    @Test func whatIsGivenBackIsNotGiven() {
        var space = SpaceReservations()
        let group = GroupSpace(diskBytes: Self.disk)
        #expect(space.reserve(1, needBytes: 1_000, in: group, path: "/data") == nil)
        space.setRemaining(1, bytes: 700)
        #expect(space.givenBytes == 1_000)
        space.release(1)
        #expect(space.givenBytes == 300)
        #expect(space.reserve(1, needBytes: 700, in: group, path: "/data") == nil)
        #expect(space.reserve(1, needBytes: 700, in: group, path: "/data") == nil)
        #expect(space.givenBytes == 1_000)
        space.release(1, isWhole: true)
        #expect(space.givenBytes == 1_000)
        space.beginOpen(2, receivedBytes: 500)
        space.setReceived(2, bytes: 520)
        #expect(space.givenBytes == 1_020)
    }

    @Test func aWorkerMayWriteWhatTheQuotaLeaves() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 300)
        #expect(!isSpent(&budget, 5_000))
        #expect(!isSpent(&budget, 5_300))
        #expect(isSpent(&budget, 5_301))
        #expect(budget.isEndedByQuota)
        // 500 bytes made way: what was there is less, and the quota leaves as much more.
        budget.noteTaken(bytes: 500, files: 1)
        #expect(!isSpent(&budget, 4_801))
        #expect(!isSpent(&budget, 5_300))
        #expect(isSpent(&budget, 5_301))
    }

    @Test func whatMadeWayForADownloadIsNotTheWorkers() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 300)
        #expect(!isSpent(&budget, 5_000))
        budget.noteTaken(bytes: 500, files: 1)
        budget.noteGiven(bytes: 500)
        #expect(!isSpent(&budget, 4_800))
        #expect(isSpent(&budget, 4_801))
    }

    /// Both would have the same remainder otherwise.
    @Test func whatADownloadWasGivenIsNotTheWorkers() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 300)
        #expect(!isSpent(&budget, 5_000))
        budget.noteGiven(bytes: 200)
        #expect(!isSpent(&budget, 5_100))
        #expect(isSpent(&budget, 5_101))
        #expect(budget.isEndedByQuota)
        #expect(budget.nextStepBytes == 900)
        budget.noteGiven(bytes: 400)
        #expect(isSpent(&budget, 5_001))
        #expect(budget.nextStepBytes == 1_000)
    }

    @Test func whatCannotBeMeasuredIsNotBlamedOnTheQuota() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 300)
        #expect(!isSpent(&budget, 5_000))
        #expect(isSpent(&budget, 5_301))
        let isSpentUnseen = budget.isSpent(by: nil)
        #expect(isSpentUnseen)
        #expect(!budget.isEndedByQuota)
    }

    /// What is wanting already has to go as well: files would go in vain otherwise.
    @Test(arguments: overdrawn) func anOverdrawnDiskWantsAllThatIsMissing(mebibytes: [UInt64]) {
        let (disk, reserved) = (mebibytes[0] << 20, mebibytes[1] << 20)
        let (need, missing) = (mebibytes[2] << 20, mebibytes[3] << 20)
        var space = SpaceReservations()
        let before = GroupSpace(diskBytes: Self.disk)
        #expect(space.reserve(1, needBytes: reserved, in: before, path: "/data") == nil)
        let refusal = space.reserve(
            2, needBytes: need, in: GroupSpace(diskBytes: disk), path: "/data")
        #expect(refusal?.missingBytes == missing)
        let then = GroupSpace(diskBytes: disk + missing - 1)
        #expect(space.reserve(2, needBytes: need, in: then, path: "/data")?.missingBytes == 1)
        let enough = GroupSpace(diskBytes: disk + missing)
        #expect(space.reserve(2, needBytes: need, in: enough, path: "/data") == nil)
    }

    @Test func anOverdrawnQuotaWantsAllThatIsMissing() {
        var space = SpaceReservations()
        var group = GroupSpace(
            diskBytes: Self.disk, quota: QuotaSpace(quotaBytes: 1_000, usedBytes: 5_000))
        let refusal = space.reserve(1, needBytes: 10, in: group, path: "/data")
        #expect(refusal?.missingBytes == 4_010)
        group.quota?.usedBytes = 991
        #expect(space.reserve(1, needBytes: 10, in: group, path: "/data")?.missingBytes == 1)
        group.quota?.usedBytes = 990
        #expect(space.reserve(1, needBytes: 10, in: group, path: "/data") == nil)
        group.quota?.usedBytes = .max
        #expect(
            space.reserve(2, needBytes: 10, in: group, path: "/data")?.sentence
                == "the download needs 10 B, and what the group keeps of its quota of 1000 B "
                + "cannot be measured")
    }

    @Test func whatIsKeptFreeIsTold() {
        var space = SpaceReservations()
        let group = GroupSpace(diskBytes: 300 << 20, floorBytes: 256 << 20)
        #expect(
            space.reserve(1, needBytes: 45 << 20, in: group, path: "/data")?.sentence
                == "the download needs 45.0 MiB, 44.0 MiB are free on /data after what is in "
                + "flight and the 256.0 MiB that are kept free")
        #expect(space.reserve(1, needBytes: 44 << 20, in: group, path: "/data") == nil)
    }

    /// What the host removes was there before, or was published since.
    @Test func whatIsRemovedMakesNoRoomForAWorker() {
        var budget = WrittenBudget(bytes: 1_000)
        #expect(!isSpent(&budget, 300))
        budget.notePublished(bytes: 5_000)
        budget.noteRemoved(bytes: 5_200, files: 1)
        #expect(!isSpent(&budget, 1_100))
        #expect(isSpent(&budget, 1_101))
    }

    @Test func withoutANarrowerQuotaTheBudgetEndsIt() {
        var budget = WrittenBudget(bytes: 1_000, quotaLeftBytes: 2_000)
        #expect(!isSpent(&budget, 0))
        #expect(isSpent(&budget, 1_001))
        #expect(!budget.isEndedByQuota)
    }
}
