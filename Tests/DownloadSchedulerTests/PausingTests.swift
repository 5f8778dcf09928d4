import DownloadScheduler
import Testing

struct PausingTests {
    /// A scheduler whose only slot download 0 holds, with download 1 behind it.
    private func busyScheduler() -> DownloadScheduler {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 1))
        #expect(scheduler.handle(.admitted(.sample(0))) == [.start(0)])
        #expect(scheduler.handle(.admitted(.sample(1))) == [])
        return scheduler
    }

    @Test func aWaitingOneIsForgottenUntilItIsAdmittedAgain() {
        var scheduler = busyScheduler()
        #expect(scheduler.handle(.paused(1)) == [])
        #expect(scheduler.handle(.finished(0)) == [])
        #expect(scheduler.count == 0)
        #expect(scheduler.handle(.admitted(.sample(1))) == [.start(1)])
    }

    @Test func aRestingOneIsForgotten() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.failed(0, retryAt: .seconds(1)))
        #expect(scheduler.handle(.paused(0)) == [])
        #expect(scheduler.nextWake == nil)
        #expect(scheduler.handle(.reached(.seconds(1))) == [])
    }

    @Test func aRunningOneIsStoppedAndForgotten() {
        var scheduler = busyScheduler()
        #expect(scheduler.handle(.paused(0)) == [.stop(0)])
        #expect(scheduler.handle(.paused(0)) == [])
        #expect(scheduler.handle(.stopped(0)) == [.start(1)])
        #expect(scheduler.phase(of: 0) == nil)
    }

    @Test func oneThatFailsWhileItStopsIsForgotten() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.paused(0))
        #expect(scheduler.handle(.failed(0, retryAt: .seconds(1))) == [.start(1)])
        #expect(scheduler.nextWake == nil)
    }

    @Test func oneResumedBeforeItHasStoppedGoesOn() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.paused(0))
        #expect(scheduler.handle(.admitted(.sample(0))) == [])
        #expect(scheduler.handle(.stopped(0)) == [.start(0)])
    }

    @Test func aCancelHoldsWhateverComesAfterIt() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.paused(0))
        #expect(scheduler.handle(.cancelled(0)) == [])
        #expect(scheduler.handle(.paused(0)) == [])
        #expect(scheduler.handle(.admitted(.sample(0))) == [])
        #expect(scheduler.handle(.stopped(0)) == [.start(1)])
        #expect(scheduler.phase(of: 0) == nil)
    }

    @Test func anAppThatIsPausedStopsWhollyAndGoesOn() {
        var scheduler = busyScheduler()
        _ = scheduler.handle(.admitted(.sample(2, .foreground)))
        _ = scheduler.handle(.admitted(.sample(3, app: "b")))
        #expect(scheduler.handle(.appPaused("a")) == [.stop(0), .stop(2)])
        #expect(scheduler.handle(.stopped(0)) == [.start(3)])
        #expect(scheduler.handle(.stopped(2)) == [])
        #expect(scheduler.handle(.admitted(.sample(4, .foreground))) == [])
        #expect(scheduler.handle(.appResumed("a")) == [.start(2)])
        #expect(scheduler.handle(.finished(3)) == [.start(0)])
    }

    @Test func nothingIsAskedForAPausedApp() {
        let key = WindowKey(app: "a", downloadClass: .essential)
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.appPaused("a"))
        #expect(scheduler.handle(.windowOpened(key)) == [])
        #expect(
            scheduler.handle(.appResumed("a")) == [
                .refill(key, after: nil, limit: WindowLimits.usual)
            ])
    }
}
