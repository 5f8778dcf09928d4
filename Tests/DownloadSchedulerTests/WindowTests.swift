import DownloadScheduler
import Testing

struct WindowTests {
    private let key = WindowKey(app: "a", downloadClass: .background)

    /// A scheduler with one slot and a window of 8 whose first 8 rows are known, of which row 1 has
    /// the slot.
    private func filled(isComplete: Bool = false) -> DownloadScheduler {
        var scheduler = DownloadScheduler(
            caps: TransferCaps(perHost: 1, total: 1), limits: WindowLimits(main: 8))
        #expect(scheduler.handle(.windowOpened(key)) == [.refill(key, after: nil, limit: 8)])
        let answer = DownloadScheduler.Event.refilled(
            key, DownloadSummary.samples(1...8), isComplete: isComplete)
        #expect(scheduler.handle(answer) == [.start(1)])
        return scheduler
    }

    private func position(_ sequence: Int64) -> DownloadPosition {
        DownloadPosition(priority: 0, sequence: sequence)
    }

    @Test func theDefaultWindowIsOfTheUsualWidth() {
        var scheduler = DownloadScheduler()
        #expect(
            scheduler.handle(.windowOpened(key)) == [
                .refill(key, after: nil, limit: WindowLimits.usual)
            ])
    }

    @Test(arguments: [(1, 256), (64, 256), (65, 260), (Int.max, Int.max / 8 * 4)])
    func theWindowGrowsWithTheCaps(total: Int, width: Int) {
        #expect(WindowLimits(caps: TransferCaps(total: total)).main == width)
    }

    @Test func aWindowIsAtLeastTwoWide() {
        #expect(WindowLimits(main: 0) == WindowLimits(main: 2))
        #expect(WindowLimits(main: 2).others == 1)
    }

    @Test func asksAgainOnceHalfIsLeft() {
        var scheduler = filled()
        for id in 1...3 as ClosedRange<Int64> {
            #expect(scheduler.handle(.finished(id)) == [.start(id + 1)])
        }
        let refill = DownloadScheduler.Action.refill(key, after: position(8), limit: 4)
        #expect(scheduler.handle(.finished(4)) == [.start(5), refill])
        // One question at a time.
        #expect(scheduler.handle(.finished(5)) == [.start(6)])
        let answer = DownloadScheduler.Event.refilled(
            key, DownloadSummary.samples(9...9), isComplete: true)
        #expect(scheduler.handle(answer) == [])
        #expect(scheduler.load(of: key) == (4, 0))
        #expect(scheduler.handle(.finished(6)) == [.start(7)])
    }

    @Test func aCompleteWindowAsksForNothing() {
        var scheduler = filled(isComplete: true)
        for id in 1...7 as ClosedRange<Int64> {
            #expect(scheduler.handle(.finished(id)) == [.start(id + 1)])
        }
        #expect(scheduler.handle(.finished(8)) == [])
        #expect(scheduler.count == 0)
    }

    @Test func anAnswerWithoutRowsIsTheLast() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.windowOpened(key))
        #expect(scheduler.handle(.refilled(key, [], isComplete: false)) == [])
        #expect(scheduler.handle(.reached(.seconds(1))) == [])
    }

    @Test func anAnswerThatLeadsNowhereIsTheLast() {
        var scheduler = filled()
        for id in 1...4 as ClosedRange<Int64> { _ = scheduler.handle(.finished(id)) }
        let answer = DownloadScheduler.Event.refilled(
            key, DownloadSummary.samples(5...8), isComplete: false)
        #expect(scheduler.handle(answer) == [])
    }

    @Test func anAnswerNobodyAskedForIsIgnored() {
        var scheduler = DownloadScheduler()
        let rows = DownloadSummary.samples(1...2)
        #expect(scheduler.handle(.refilled(key, rows, isComplete: true)) == [])
        #expect(scheduler.handle(.refilledOtherHosts(key, rows)) == [])
        #expect(scheduler.count == 0)
    }

    @Test func rowsOfAnotherWindowAreNotTakenIn() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.windowOpened(key))
        let stranger = DownloadSummary.sample(1, .essential)
        #expect(scheduler.handle(.refilled(key, [stranger], isComplete: true)) == [])
    }

    @Test func aRowThatIsKnownIsPassedOver() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 1))
        #expect(scheduler.handle(.admitted(.sample(1))) == [.start(1)])
        #expect(
            scheduler.handle(.windowOpened(key)) == [
                .refill(key, after: nil, limit: WindowLimits.usual - 1)
            ])
        let rows = DownloadSummary.samples(1...2)
        #expect(scheduler.handle(.refilled(key, rows, isComplete: true)) == [])
        #expect(scheduler.handle(.finished(1)) == [.start(2)])
    }

    @Test func whatIsAdmittedBehindTheWindowIsLeftToARefill() {
        var scheduler = filled()
        #expect(scheduler.handle(.admitted(.sample(9))) == [])
        #expect(scheduler.phase(of: 9) == nil)
        var complete = filled(isComplete: true)
        _ = complete.handle(.finished(1))
        #expect(complete.handle(.admitted(.sample(9))) == [])
        #expect(complete.phase(of: 9) == .waiting)
    }

    @Test func aBetterOneCrowdsOutTheLast() {
        var scheduler = filled(isComplete: true)
        _ = scheduler.handle(.admitted(.sample(20, priority: 1)))
        #expect(scheduler.load(of: key) == (8, 0))
        #expect(scheduler.phase(of: 8) == nil)
        var actions: [DownloadScheduler.Action] = []
        for id in [1, 20, 2, 3] as [Int64] { actions += scheduler.handle(.finished(id)) }
        // It is asked for together with what comes after it.
        let refill = DownloadScheduler.Action.refill(key, after: position(7), limit: 4)
        #expect(actions == [.start(20), .start(2), .start(3), .start(4), refill])
    }

    @Test func anAnswerThatWasOvertakenIsAskedForAnew() {
        var scheduler = filled()
        for id in 1...4 as ClosedRange<Int64> { _ = scheduler.handle(.finished(id)) }
        // Five better ones: the last of the window goes before the answer comes.
        for id in 20...24 as ClosedRange<Int64> {
            _ = scheduler.handle(.admitted(.sample(id, priority: 1)))
        }
        #expect(scheduler.phase(of: 8) == nil)
        let answer = DownloadScheduler.Event.refilled(
            key, DownloadSummary.samples(9...12), isComplete: true)
        #expect(scheduler.handle(answer) == [])
        #expect(scheduler.phase(of: 9) == nil)
        var actions: [DownloadScheduler.Action] = []
        for id in [5, 20, 21, 22] as [Int64] { actions += scheduler.handle(.finished(id)) }
        #expect(actions.last == .refill(key, after: position(7), limit: 4))
    }

    @Test func anAnswerThatIsTooLongIsCut() {
        var scheduler = DownloadScheduler(limits: WindowLimits(main: 8))
        _ = scheduler.handle(.windowOpened(key))
        let rows = DownloadSummary.samples(1...50)
        _ = scheduler.handle(.refilled(key, rows, isComplete: true))
        #expect(scheduler.load(of: key) == (8, 0))
        #expect(scheduler.phase(of: 8) == .waiting)
    }
}
