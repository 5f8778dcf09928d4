import DownloadScheduler
import Testing

struct DownloadSchedulerTests {
    /// A scheduler whose only slot download 0 holds.
    private func busyScheduler() -> DownloadScheduler {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 1))
        #expect(scheduler.handle(.admitted(.sample(0))) == [.start(0)])
        return scheduler
    }

    @Test func startsAtOnceWhenASlotIsFree() {
        var scheduler = DownloadScheduler()
        #expect(scheduler.handle(.admitted(.sample(1))) == [.start(1)])
        #expect(scheduler.phase(of: 1) == .starting)
        #expect(scheduler.handle(.began(1)) == [])
        #expect(scheduler.phase(of: 1) == .running)
    }

    @Test func essentialGoesBeforePriorityBeforeAge() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(1)))
        _ = scheduler.handle(.admitted(.sample(2)))
        _ = scheduler.handle(.admitted(.sample(3, priority: 1000)))
        _ = scheduler.handle(.admitted(.sample(4, .essential, priority: -1000)))
        var order: [DownloadScheduler.Action] = []
        for last in [0, 4, 3, 1] as [Int64] { order += scheduler.handle(.finished(last)) }
        #expect(order == [.start(4), .start(3), .start(1), .start(2)])
    }

    @Test func aSecondAdmissionOfTheSameIdIsIgnored() {
        var scheduler = DownloadScheduler()
        #expect(scheduler.handle(.admitted(.sample(1))) == [.start(1)])
        #expect(scheduler.handle(.admitted(.sample(1))) == [])
        #expect(scheduler.count == 1)
    }

    @Test func theCapOfAHostHoldsAtTheCapAndOnePast() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 4, total: 16))
        for id in 1...4 as ClosedRange<Int64> {
            #expect(scheduler.handle(.admitted(.sample(id))) == [.start(id)])
        }
        #expect(scheduler.handle(.admitted(.sample(5))) == [])
        #expect(scheduler.handle(.finished(2)) == [.start(5)])
    }

    @Test func theTotalCapHoldsAtTheCapAndOnePast() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 4, total: 16))
        for id in 1...16 as ClosedRange<Int64> {
            let event = DownloadScheduler.Event.admitted(.sample(id, host: "h\(id)"))
            #expect(scheduler.handle(event) == [.start(id)])
        }
        #expect(scheduler.handle(.admitted(.sample(17, host: "h17"))) == [])
        #expect(scheduler.handle(.failed(9, retryAt: nil)) == [.start(17)])
    }

    @Test func aBlockedHostHoldsUpNobodyElse() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 2))
        _ = scheduler.handle(.admitted(.sample(1, .essential)))
        _ = scheduler.handle(.admitted(.sample(2, .essential)))
        #expect(scheduler.handle(.admitted(.sample(3, host: "b"))) == [.start(3)])
    }

    @Test func aCapBelowOneCountsAsOne() {
        #expect(TransferCaps(perHost: 0, total: -5) == TransferCaps(perHost: 1, total: 1))
    }

    @Test func aFailedDownloadRestsUntilItsTime() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.admitted(.sample(1)))
        #expect(scheduler.handle(.failed(1, retryAt: .seconds(5))) == [])
        #expect(scheduler.nextWake == .seconds(5))
        #expect(scheduler.handle(.reached(.seconds(5) - .nanoseconds(1))) == [])
        #expect(scheduler.handle(.reached(.seconds(5))) == [.start(1)])
        #expect(scheduler.nextWake == nil)
    }

    @Test func aRetryTimeThatHasPassedMeansNow() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.reached(.seconds(10)))
        _ = scheduler.handle(.admitted(.sample(1)))
        #expect(scheduler.handle(.failed(1, retryAt: .seconds(10))) == [.start(1)])
    }

    @Test func aRestingDownloadHoldsNoSlot() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(1)))
        #expect(scheduler.handle(.failed(0, retryAt: .seconds(5))) == [.start(1)])
    }

    @Test func cancellingATransferKeepsItsSlotUntilItHasStopped() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(1)))
        #expect(scheduler.handle(.cancelled(0)) == [.stop(0)])
        #expect(scheduler.handle(.cancelled(0)) == [])
        #expect(scheduler.slotsInUse == 1)
        #expect(scheduler.handle(.stopped(0)) == [.start(1)])
        #expect(scheduler.phase(of: 0) == nil)
    }

    @Test func cancellingAWaitingOrRestingDownloadForgetsIt() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(1)))
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
        for id in 1...3 as ClosedRange<Int64> { _ = scheduler.handle(.admitted(.sample(id))) }
        #expect(scheduler.handle(.stopRequested) == [.stop(1), .stop(2)])
        #expect(scheduler.handle(.stopped(1)) == [])
        #expect(scheduler.handle(.finished(2)) == [])
        #expect(scheduler.handle(.admitted(.sample(4))) == [])
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

    @Test func theOrderOfServiceRemembers256Apps() {
        // 256 apps are remembered: "b" and "a" still are, served in this order.
        #expect(firstOfAAndB(othersServed: 254) == .start(1001))
        // One past: only the later of the two is.
        #expect(firstOfAAndB(othersServed: 255) == .start(1001))
        // Neither is: the name decides.
        #expect(firstOfAAndB(othersServed: 256) == .start(1000))
    }

    /// What starts of "a" (1000) and "b" (1001), when "b" was served first and others after both.
    private func firstOfAAndB(othersServed: Int) -> DownloadScheduler.Action? {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 1))
        for (id, app) in (["b", "a"] + (0..<othersServed).map { "other\($0)" }).enumerated() {
            _ = scheduler.handle(.admitted(.sample(Int64(id), app: app)))
            if id < othersServed + 1 { _ = scheduler.handle(.finished(Int64(id))) }
        }
        _ = scheduler.handle(.admitted(.sample(1000, app: "a")))
        _ = scheduler.handle(.admitted(.sample(1001, app: "b")))
        return scheduler.handle(.finished(Int64(othersServed) + 1)).first
    }
}
