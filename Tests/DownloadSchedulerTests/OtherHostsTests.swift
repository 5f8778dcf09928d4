import DownloadScheduler
import Testing

struct OtherHostsTests {
    private let key = WindowKey(app: "a", downloadClass: .background)

    private func question(
        excluding hosts: [String], mustAllowMetered: Bool = false, limit: Int
    ) -> DownloadScheduler.Action {
        .refillOtherHosts(
            key, excluding: hosts, mustAllowMetered: mustAllowMetered, limit: limit)
    }

    /// A scheduler of two slots, one a host, whose window is full of rows 1 to 4 of host "a".
    private func heldUp(
        _ conditions: SchedulingConditions = SchedulingConditions()
    ) -> (DownloadScheduler, [DownloadScheduler.Action]) {
        var scheduler = DownloadScheduler(
            caps: TransferCaps(perHost: 1, total: 2), limits: WindowLimits(main: 4))
        _ = scheduler.handle(.conditionsChanged(conditions))
        _ = scheduler.handle(.windowOpened(key))
        let actions = scheduler.handle(
            .refilled(key, DownloadSummary.samples(1...4), isComplete: false))
        return (scheduler, actions)
    }

    @Test func aFullHostMakesItLookPastItsDownloads() {
        var (scheduler, actions) = heldUp()
        #expect(actions == [.start(1), question(excluding: ["a"], limit: 2)])
        let rows = DownloadSummary.samples(9...10, host: "b")
        #expect(scheduler.handle(.refilledOtherHosts(key, rows)) == [.start(9)])
        #expect(scheduler.load(of: key) == (4, 2))
        #expect(scheduler.handle(.finished(9)) == [.start(10)])
        #expect(scheduler.handle(.finished(10)) == [question(excluding: ["a"], limit: 2)])
    }

    @Test func whatLiesInTheWindowGoesBeforeWhatLiesPastIt() {
        var (scheduler, _) = heldUp()
        _ = scheduler.handle(.refilledOtherHosts(key, DownloadSummary.samples(9...10, host: "b")))
        _ = scheduler.handle(.cancelled(9))
        #expect(scheduler.handle(.finished(1)) == [.start(2)])
        #expect(scheduler.handle(.stopped(9)) == [.start(10)])
    }

    @Test func anAnswerWithoutRowsIsNotAskedForAgain() {
        var (scheduler, _) = heldUp()
        #expect(scheduler.handle(.refilledOtherHosts(key, [])) == [])
        #expect(scheduler.handle(.began(1)) == [])
        // Of the host that is full: no reason to ask.
        #expect(scheduler.handle(.admitted(.sample(5))) == [])
        // Of another: a reason.
        let asked = scheduler.handle(.admitted(.sample(6, host: "b")))
        #expect(asked == [question(excluding: ["a"], limit: 2)])
    }

    @Test func anAnswerLongerThanTheRoomIsCut() {
        var (scheduler, _) = heldUp()
        _ = scheduler.handle(.refilledOtherHosts(key, DownloadSummary.samples(9...20, host: "b")))
        #expect(scheduler.load(of: key) == (4, 2))
        #expect(scheduler.phase(of: 11) == nil)
    }

    @Test func aHostThatRestsIsLookedPast() {
        var scheduler = DownloadScheduler(
            caps: TransferCaps(perHost: 2, total: 2), limits: WindowLimits(main: 4))
        _ = scheduler.handle(.windowOpened(key))
        _ = scheduler.handle(.refilled(key, DownloadSummary.samples(1...4), isComplete: false))
        _ = scheduler.handle(.failed(1, retryAt: .seconds(9)))
        _ = scheduler.handle(.failed(2, retryAt: .seconds(9)))
        let asked = scheduler.handle(.failed(3, retryAt: .seconds(9)))
        #expect(scheduler.handle(.failed(4, retryAt: .seconds(9))) == [])
        #expect(asked == [question(excluding: ["a"], limit: 2)])
        let answer = DownloadScheduler.Event.refilledOtherHosts(key, [.sample(9, host: "b")])
        #expect(scheduler.handle(answer) == [.start(9), question(excluding: ["a"], limit: 1)])
        #expect(scheduler.handle(.refilledOtherHosts(key, [])) == [])
        #expect(scheduler.handle(.reached(.seconds(9))) == [.start(1)])
    }

    @Test func sixteenHostsAtMostAreLeftOut() {
        var scheduler = DownloadScheduler(
            caps: TransferCaps(perHost: 1, total: 4), limits: WindowLimits(main: 40))
        _ = scheduler.handle(.windowOpened(key))
        let rows = (1...40 as ClosedRange<Int64>).map {
            DownloadSummary.sample($0, host: "host\($0)")
        }
        _ = scheduler.handle(.refilled(key, rows, isComplete: false))
        var actions: [DownloadScheduler.Action] = []
        for id in 1...40 as ClosedRange<Int64> {
            actions += scheduler.handle(.failed(id, retryAt: .seconds(3600)))
        }
        actions.removeAll { !$0.isQuestion }
        #expect(actions.count == 1)
        guard case .refillOtherHosts(key, let hosts, false, let limit) = actions.first else {
            Issue.record("did \(actions)")
            return
        }
        #expect(hosts.count == 16)
        // Three were at their cap, 13 of 37 rested: 24 known rows may be in the answer, beside 20.
        #expect(limit == 44)
        // Nothing but known rows; now that 40 rest, the 16 are others, and it asks once more.
        let answer = DownloadScheduler.Event.refilledOtherHosts(key, Array(rows.prefix(44)))
        #expect(scheduler.handle(answer).count == 1)
        #expect(scheduler.handle(answer) == [])
        #expect(scheduler.handle(.reached(.seconds(1))) == [])
    }

    @Test func onAMeteredNetworkItLooksForWhatMayUseIt() {
        var conditions = SchedulingConditions()
        conditions.isMetered = true
        var (scheduler, actions) = heldUp(conditions)
        #expect(actions == [question(excluding: [], mustAllowMetered: true, limit: 2)])
        let row = DownloadSummary.sample(9, allowsMetered: true)
        // "a" is full now; whatever else may use the network is asked for.
        let asked = question(excluding: ["a"], mustAllowMetered: true, limit: 1)
        #expect(scheduler.handle(.refilledOtherHosts(key, [row])) == [.start(9), asked])
        #expect(scheduler.handle(.refilledOtherHosts(key, [])) == [])
        // Without the meter everything else comes into question again.
        let unmetered = scheduler.handle(.conditionsChanged(SchedulingConditions()))
        #expect(unmetered == [question(excluding: ["a"], limit: 1)])
    }

    @Test func aDeadServerFillsNothing() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.windowOpened(key))
        let store = StoreModel(rows: DownloadSummary.samples(1...2000))
        var queue: [DownloadScheduler.Action] = [
            .refill(key, after: nil, limit: WindowLimits.usual)
        ]
        while let action = queue.popLast() {
            if case .start(let id) = action {
                queue += scheduler.handle(.failed(id, retryAt: .seconds(600)))
            } else if let answer = store.answer(to: action) {
                queue += scheduler.handle(answer)
            }
        }
        #expect(scheduler.slotsInUse == 0)
        #expect(scheduler.count <= WindowLimits.usual)
        #expect(scheduler.nextWake == .seconds(600))
    }
}
