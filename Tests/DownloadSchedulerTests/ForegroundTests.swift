import DownloadScheduler
import Testing

struct ForegroundTests {
    /// A scheduler whose only slot for what is not foreground download 0 holds.
    private func busyScheduler() -> DownloadScheduler {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 1))
        #expect(scheduler.handle(.admitted(.sample(0))) == [.start(0)])
        return scheduler
    }

    @Test func startsThoughEveryOtherSlotIsTaken() {
        var scheduler = busyScheduler()
        #expect(scheduler.handle(.admitted(.sample(1, .essential))) == [])
        #expect(scheduler.handle(.admitted(.sample(2, .foreground))) == [.start(2)])
        #expect(scheduler.slotsInUse == 2)
    }

    @Test func hasTheSameCapsOfItsOwn() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 2, total: 3))
        for id in 1...2 as ClosedRange<Int64> {
            #expect(scheduler.handle(.admitted(.sample(id, .foreground))) == [.start(id)])
        }
        #expect(scheduler.handle(.admitted(.sample(3, .foreground))) == [])
        let other = DownloadSummary.sample(4, host: "b", .foreground)
        #expect(scheduler.handle(.admitted(other)) == [.start(4)])
        #expect(scheduler.handle(.admitted(.sample(5, host: "c", .foreground))) == [])
        #expect(scheduler.handle(.finished(4)) == [.start(5)])
        #expect(scheduler.handle(.finished(1)) == [.start(3)])
    }

    @Test func aWaitingOneThatIsPromotedStartsNow() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(1)))
        #expect(scheduler.handle(.reclassified(.sample(1, .foreground))) == [.start(1)])
        #expect(scheduler.handle(.finished(0)) == [])
    }

    @Test func aRestingOneThatIsPromotedStartsNow() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.failed(0, retryAt: .seconds(60)))
        #expect(scheduler.handle(.reclassified(.sample(0, .foreground))) == [.start(0)])
        #expect(scheduler.nextWake == nil)
        #expect(scheduler.handle(.reached(.seconds(60))) == [])
    }

    @Test func oneThatIsNotKnownStartsWhenPromoted() {
        var scheduler = busyScheduler()
        #expect(scheduler.handle(.reclassified(.sample(9, .foreground))) == [.start(9)])
    }

    @Test func aRunningOneThatIsPromotedRunsOnInItsSlot() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.began(0))
        _ = scheduler.handle(.admitted(.sample(1)))
        let actions = scheduler.handle(.reclassified(.sample(0, .foreground)))
        #expect(actions == [.reclassify(0, .foreground)])
        #expect(scheduler.phase(of: 0) == .running)
        // The slots of the foreground are all there still.
        #expect(scheduler.handle(.admitted(.sample(2, .foreground))) == [.start(2)])
        #expect(scheduler.handle(.finished(0)) == [.start(1)])
    }

    @Test func aRunningOneThatIsDemotedRunsOnInItsSlot() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(1, .foreground)))
        let actions = scheduler.handle(.reclassified(.sample(1, .essential)))
        #expect(actions == [.reclassify(1, .essential)])
        #expect(scheduler.handle(.admitted(.sample(2, .foreground))) == [])
        #expect(scheduler.handle(.finished(1)) == [.start(2)])
    }

    @Test func oneThatMayNotRunWhenDemotedIsStoppedAndKept() {
        var offline = SchedulingConditions()
        offline.isOnline = false
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.conditionsChanged(offline))
        #expect(scheduler.handle(.admitted(.sample(1, .foreground))) == [.start(1)])
        #expect(scheduler.handle(.reclassified(.sample(1, .essential))) == [.stop(1)])
        #expect(scheduler.handle(.stopped(1)) == [])
        #expect(scheduler.phase(of: 1) == .waiting)
        #expect(scheduler.handle(.conditionsChanged(SchedulingConditions())) == [.start(1)])
    }

    @Test func oneThatStopsStartsAgainWhenPromoted() {
        var offline = SchedulingConditions()
        offline.isOnline = false
        var scheduler = busyScheduler()
        #expect(scheduler.handle(.conditionsChanged(offline)) == [.stop(0)])
        #expect(scheduler.handle(.reclassified(.sample(0, .foreground))) == [])
        #expect(scheduler.handle(.stopped(0)) == [.start(0)])
    }

    @Test func aWaitingOneThatIsDemotedWaitsInItsPlace() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(1, .foreground)))
        _ = scheduler.handle(.admitted(.sample(2, .foreground)))
        _ = scheduler.handle(.admitted(.sample(3)))
        #expect(scheduler.handle(.reclassified(.sample(2))) == [])
        #expect(scheduler.handle(.finished(0)) == [.start(2)])
    }

    @Test func aRestKeepsItsTimeWhenOnlyThePriorityChanges() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.failed(0, retryAt: .seconds(60)))
        #expect(scheduler.handle(.reclassified(.sample(0, priority: 5))) == [])
        #expect(scheduler.phase(of: 0) == .resting(until: .seconds(60)))
    }

    @Test func aCancelledOneDoesNotComeBackWhenPromoted() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.cancelled(0))
        #expect(scheduler.handle(.reclassified(.sample(0, .foreground))) == [])
        #expect(scheduler.handle(.stopped(0)) == [])
        #expect(scheduler.count == 0)
    }

    /// Each brings a rest into a window that holds nothing else; the oldest rests stay.
    @Test func demotedOnesThatFailDoNotFillTheMemory() {
        var scheduler = DownloadScheduler()
        for id in 1...1000 as ClosedRange<Int64> {
            #expect(scheduler.handle(.admitted(.sample(id, .foreground))) == [.start(id)])
            _ = scheduler.handle(.reclassified(.sample(id)))
            _ = scheduler.handle(.failed(id, retryAt: .seconds(id)))
        }
        #expect(scheduler.count == WindowLimits.usual)
        #expect(scheduler.nextWake == .seconds(1))
    }
}
