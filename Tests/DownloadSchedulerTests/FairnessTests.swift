import DownloadScheduler
import Testing

struct FairnessTests {
    @Test func theAppWithTheFewestSlotsGoesFirst() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 4, total: 3))
        for id in 1...8 as ClosedRange<Int64> { _ = scheduler.handle(.admitted(.sample(id))) }
        let other = DownloadSummary.sample(9, app: "b", priority: -1000)
        _ = scheduler.handle(.admitted(other))
        #expect(scheduler.handle(.finished(1)) == [.start(9)])
        #expect(scheduler.handle(.finished(2)) == [.start(4)])
    }

    @Test func amongEqualsTheOneServedLongestAgoGoesFirst() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 1, total: 1))
        for (id, app) in ["b", "a", "c", "a", "b", "c"].enumerated() {
            _ = scheduler.handle(.admitted(.sample(Int64(id), app: app)))
        }
        var order: [DownloadScheduler.Action] = []
        for id in [0, 1, 2, 4, 3] as [Int64] { order += scheduler.handle(.finished(id)) }
        #expect(order == [.start(1), .start(2), .start(4), .start(3), .start(5)])
    }

    @Test func essentialGoesBeforeFairness() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 4, total: 2))
        for id in 1...4 as ClosedRange<Int64> {
            _ = scheduler.handle(.admitted(.sample(id, .essential)))
        }
        _ = scheduler.handle(.admitted(.sample(9, app: "b")))
        #expect(scheduler.handle(.finished(1)) == [.start(3)])
        #expect(scheduler.handle(.finished(2)) == [.start(4)])
        #expect(scheduler.handle(.finished(3)) == [.start(9)])
    }

    @Test func slotsOfBothClassesCount() {
        var scheduler = DownloadScheduler(caps: TransferCaps(perHost: 4, total: 2))
        _ = scheduler.handle(.admitted(.sample(1, .essential)))
        _ = scheduler.handle(.admitted(.sample(2, app: "b", .essential)))
        _ = scheduler.handle(.admitted(.sample(3, app: "b")))
        _ = scheduler.handle(.admitted(.sample(4, app: "a")))
        #expect(scheduler.handle(.finished(2)) == [.start(3)])
    }
}
