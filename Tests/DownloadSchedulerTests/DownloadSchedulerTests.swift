import DownloadScheduler
import Testing

struct DownloadSchedulerTests {
    private func summary(
        _ id: Int64, host: String = "a", essential: Bool = false, priority: Int64 = 0
    ) -> DownloadSummary {
        DownloadSummary(
            id: id, app: "a", host: host, downloadClass: essential ? .essential : .background,
            position: DownloadPosition(priority: priority, sequence: id))
    }

    /// A scheduler whose only slot download 0 holds.
    private func busyScheduler() -> DownloadScheduler {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 1))
        #expect(scheduler.handle(.admitted(summary(0))) == [.start(0)])
        return scheduler
    }

    @Test func startsAtOnceWhenASlotIsFree() {
        var scheduler = DownloadScheduler()
        #expect(scheduler.handle(.admitted(summary(1))) == [.start(1)])
        #expect(scheduler.phase(of: 1) == .starting)
        #expect(scheduler.handle(.began(1)) == [])
        #expect(scheduler.phase(of: 1) == .running)
    }

    @Test func essentialGoesBeforePriorityBeforeAge() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(summary(1)))
        _ = scheduler.handle(.admitted(summary(2)))
        _ = scheduler.handle(.admitted(summary(3, priority: 1000)))
        _ = scheduler.handle(.admitted(summary(4, essential: true, priority: -1000)))
        var order: [DownloadScheduler.Action] = []
        for last in [0, 4, 3, 1] as [Int64] { order += scheduler.handle(.finished(last)) }
        #expect(order == [.start(4), .start(3), .start(1), .start(2)])
    }

    @Test func aSecondAdmissionOfTheSameIdIsIgnored() {
        var scheduler = DownloadScheduler()
        #expect(scheduler.handle(.admitted(summary(1))) == [.start(1)])
        #expect(scheduler.handle(.admitted(summary(1))) == [])
        #expect(scheduler.count == 1)
    }

    @Test func theCapOfAHostHoldsAtTheCapAndOnePast() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 4, total: 16))
        for id in 1...4 as ClosedRange<Int64> {
            #expect(scheduler.handle(.admitted(summary(id))) == [.start(id)])
        }
        #expect(scheduler.handle(.admitted(summary(5))) == [])
        #expect(scheduler.handle(.finished(2)) == [.start(5)])
    }

    @Test func theTotalCapHoldsAtTheCapAndOnePast() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 4, total: 16))
        for id in 1...16 as ClosedRange<Int64> {
            let event = DownloadScheduler.Event.admitted(summary(id, host: "h\(id)"))
            #expect(scheduler.handle(event) == [.start(id)])
        }
        #expect(scheduler.handle(.admitted(summary(17, host: "h17"))) == [])
        #expect(scheduler.handle(.failed(9, retryAt: nil)) == [.start(17)])
    }

    @Test func aBlockedHostHoldsUpNobodyElse() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 2))
        _ = scheduler.handle(.admitted(summary(1, essential: true)))
        _ = scheduler.handle(.admitted(summary(2, essential: true)))
        #expect(scheduler.handle(.admitted(summary(3, host: "b"))) == [.start(3)])
    }

    @Test func aCapBelowOneCountsAsOne() {
        #expect(TransferCaps(perHost: 0, total: -5) == TransferCaps(perHost: 1, total: 1))
    }

    @Test func aFailedDownloadRestsUntilItsTime() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.admitted(summary(1)))
        #expect(scheduler.handle(.failed(1, retryAt: .seconds(5))) == [])
        #expect(scheduler.nextWake == .seconds(5))
        #expect(scheduler.handle(.reached(.seconds(5) - .nanoseconds(1))) == [])
        #expect(scheduler.handle(.reached(.seconds(5))) == [.start(1)])
        #expect(scheduler.nextWake == nil)
    }

    @Test func aRetryTimeThatHasPassedMeansNow() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.reached(.seconds(10)))
        _ = scheduler.handle(.admitted(summary(1)))
        #expect(scheduler.handle(.failed(1, retryAt: .seconds(10))) == [.start(1)])
    }

    @Test func aRestingDownloadHoldsNoSlot() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(summary(1)))
        #expect(scheduler.handle(.failed(0, retryAt: .seconds(5))) == [.start(1)])
    }

    @Test func cancellingATransferKeepsItsSlotUntilItHasStopped() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(summary(1)))
        #expect(scheduler.handle(.cancelled(0)) == [.stop(0)])
        #expect(scheduler.handle(.cancelled(0)) == [])
        #expect(scheduler.slotsInUse == 1)
        #expect(scheduler.handle(.stopped(0)) == [.start(1)])
        #expect(scheduler.phase(of: 0) == nil)
    }

    @Test func cancellingAWaitingOrRestingDownloadForgetsIt() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(summary(1)))
        #expect(scheduler.handle(.cancelled(1)) == [])
        #expect(scheduler.handle(.failed(0, retryAt: .seconds(1))) == [])
        #expect(scheduler.handle(.cancelled(0)) == [])
        #expect(scheduler.count == 0)
        #expect(scheduler.nextWake == nil)
    }

    @Test func aCancelledTransferThatFailsIsNotTriedAgain() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.cancelled(0))
        #expect(scheduler.handle(.failed(0, retryAt: .seconds(1))) == [])
        #expect(scheduler.count == 0)
    }

    @Test func stoppingStopsEveryTransferAndStartsNothing() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 2, total: 2))
        for id in 1...3 as ClosedRange<Int64> { _ = scheduler.handle(.admitted(summary(id))) }
        #expect(scheduler.handle(.stopRequested) == [.stop(1), .stop(2)])
        #expect(scheduler.handle(.stopped(1)) == [])
        #expect(scheduler.handle(.finished(2)) == [])
        #expect(scheduler.handle(.admitted(summary(4))) == [])
        #expect(scheduler.slotsInUse == 0)
        #expect(scheduler.count == 3)
    }

    @Test func eventsAboutStrangersChangeNothing() {
        var scheduler = busyScheduler()
        let events: [DownloadScheduler.Event] = [
            .began(9), .finished(9), .failed(9, retryAt: nil), .failed(9, retryAt: .zero),
            .cancelled(9), .stopped(9),
        ]
        for event in events { #expect(scheduler.handle(event) == [], "\(event)") }
        #expect(scheduler.slotsInUse == 1)
        #expect(scheduler.count == 1)
    }

    @Test func tenThousandCancelledOnesAreForgotten() {
        var scheduler = busyScheduler()
        for id in 1...10_000 as ClosedRange<Int64> { _ = scheduler.handle(.admitted(summary(id))) }
        for id in 1..<10_000 as Range<Int64> { _ = scheduler.handle(.cancelled(id)) }
        #expect(scheduler.count == 2)
        #expect(scheduler.handle(.finished(0)) == [.start(10_000)])
    }
}
