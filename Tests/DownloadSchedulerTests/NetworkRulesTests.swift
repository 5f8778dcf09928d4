import DownloadScheduler
import Testing

struct NetworkRulesTests {
    /// The table, from a letter for each condition: offline, metered, power saving, refresh off,
    /// the app's refresh off.
    @Test(arguments: [
        ("", "feb"), ("o", "f"), ("m", "fe"), ("p", "fe"), ("r", "fe"), ("a", "fe"),
        ("om", "f"), ("mpra", "fe"), ("ompra", "f"),
    ])
    func eachClassHasItsRules(letters: String, expected: String) {
        let conditions = conditions(letters)
        let allowed = [(DownloadClass.foreground, "f"), (.essential, "e"), (.background, "b")]
            .filter { conditions.allows(.sample(1, $0.0)) }.map(\.1).joined()
        #expect(allowed == expected)
    }

    @Test(arguments: [("m", true), ("mo", false), ("mp", false), ("mr", false), ("ma", false)])
    func backgroundThatAllowsAMeteredNetworkUsesIt(letters: String, isAllowed: Bool) {
        let summary = DownloadSummary.sample(1, allowsMetered: true)
        #expect(conditions(letters).allows(summary) == isAllowed)
    }

    @Test func theSettingOfOneAppIsNotThatOfAnother() {
        #expect(conditions("a").allows(.sample(1, app: "b")))
    }

    @Test func whatMayNotRunWaitsAndStartsWhenItMay() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.conditionsChanged(conditions("m")))
        #expect(scheduler.handle(.admitted(.sample(1))) == [])
        #expect(scheduler.handle(.admitted(.sample(2, allowsMetered: true))) == [.start(2)])
        #expect(scheduler.handle(.admitted(.sample(3, .essential))) == [.start(3)])
        #expect(scheduler.handle(.conditionsChanged(conditions(""))) == [.start(1)])
    }

    @Test func whatMayNotRunAnyMoreIsStoppedAndKept() {
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.admitted(.sample(1)))
        _ = scheduler.handle(.admitted(.sample(2, .essential)))
        _ = scheduler.handle(.admitted(.sample(3, .foreground)))
        _ = scheduler.handle(.began(2))
        #expect(scheduler.handle(.conditionsChanged(conditions("p"))) == [.stop(1)])
        #expect(scheduler.handle(.conditionsChanged(conditions("o"))) == [.stop(2)])
        #expect(scheduler.handle(.conditionsChanged(conditions(""))) == [])
        #expect(scheduler.handle(.stopped(2)) == [.start(2)])
        // It failed in the moment it was stopped: it rests like any other.
        #expect(scheduler.handle(.failed(1, retryAt: .seconds(3))) == [])
        #expect(scheduler.handle(.reached(.seconds(3))) == [.start(1)])
    }

    @Test func nothingIsAskedForThatMayNotRun() {
        let key = WindowKey(app: "a", downloadClass: .background)
        var scheduler = DownloadScheduler()
        _ = scheduler.handle(.conditionsChanged(conditions("o")))
        #expect(scheduler.handle(.windowOpened(key)) == [])
        let asked = scheduler.handle(.conditionsChanged(conditions("m")))
        #expect(asked == [.refill(key, after: nil, limit: WindowLimits.usual)])
    }

    private func conditions(_ letters: String) -> SchedulingConditions {
        var conditions = SchedulingConditions()
        conditions.isOnline = !letters.contains("o")
        conditions.isMetered = letters.contains("m")
        conditions.isPowerSaving = letters.contains("p")
        conditions.isBackgroundRefreshOn = !letters.contains("r")
        if letters.contains("a") { conditions.appsWithoutBackgroundRefresh = ["a"] }
        return conditions
    }
}
