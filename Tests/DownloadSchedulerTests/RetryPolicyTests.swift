import DownloadScheduler
import Testing

struct RetryPolicyTests {
    private let policy = RetryPolicy()

    @Test(arguments: [
        (0, 1.0), (1, 2.0), (2, 4.0), (3, 8.0), (4, 16.0), (5, 32.0), (6, 64.0), (7, 128.0),
    ])
    func theBoundDoublesWithEveryRetry(attempt: Int, seconds: Double) {
        #expect(policy.delay(for: .background, attempt: attempt, random: 1) == .seconds(seconds))
    }

    @Test(arguments: 0..<8)
    func theLeastWaitIsATenthOfASecond(attempt: Int) {
        #expect(policy.delay(for: .background, attempt: attempt, random: 0) == .milliseconds(100))
    }

    @Test func theWaitIsDrawnEvenly() {
        #expect(policy.delay(for: .background, attempt: 0, random: 0.5) == .milliseconds(550))
    }

    @Test func theBoundEndsAtTenMinutes() {
        var policy = policy
        policy.maximumRetries = 2000
        #expect(policy.delay(for: .background, attempt: 9, random: 1) == .seconds(512))
        #expect(policy.delay(for: .background, attempt: 10, random: 1) == .seconds(600))
        #expect(policy.delay(for: .background, attempt: 1999, random: 1) == .seconds(600))
    }

    @Test func theEighthRetryIsTheLast() {
        #expect(policy.delay(for: .background, attempt: 7, random: 0) != nil)
        #expect(policy.delay(for: .background, attempt: 8, random: 0) == nil)
        #expect(policy.delay(for: .background, attempt: 8, random: 0, retryAfter: .seconds(1)) == nil)
    }

    @Test(arguments: [
        (Duration.seconds(3600), Duration.seconds(3600)),
        (.seconds(3601), .seconds(3600)),
        (.seconds(Int64.max), .seconds(3600)),
        (.milliseconds(550), .milliseconds(550)),
        (.milliseconds(549), .milliseconds(550)),
        (.zero, .milliseconds(550)),
        (.seconds(-5), .milliseconds(550)),
    ])
    func theLongerOfOwnWaitAndRetryAfterCounts(asked: Duration, expected: Duration) {
        #expect(policy.delay(for: .background, attempt: 0, random: 0.5, retryAfter: asked) == expected)
    }

    @Test(arguments: [
        (-1.0, 100), (Double.nan, 100), (-Double.infinity, 100), (2.0, 1000),
        (Double.infinity, 1000),
    ])
    func aBadRandomNumberIsClamped(random: Double, milliseconds: Int) {
        #expect(policy.delay(for: .background, attempt: 0, random: random) == .milliseconds(milliseconds))
    }

    @Test func aNegativeAttemptCountsAsTheFirst() {
        #expect(policy.delay(for: .background, attempt: -3, random: 1) == .seconds(1))
    }

    @Test func foregroundIsNeverTriedAgain() {
        #expect(policy.delay(for: .foreground, attempt: 0, random: 0) == nil)
        let asked = policy.delay(
            for: .foreground, attempt: 0, random: 0, retryAfter: .seconds(1))
        #expect(asked == nil)
    }

    @Test(arguments: 0...8)
    func essentialIsTriedAgainLikeBackground(attempt: Int) {
        let essential = policy.delay(for: .essential, attempt: attempt, random: 0.25)
        #expect(essential == policy.delay(for: .background, attempt: attempt, random: 0.25))
    }

    @Test func aLoweredMaximumHolds() {
        var policy = policy
        policy.maximumRetries = 3
        #expect(policy.delay(for: .essential, attempt: 2, random: 0) != nil)
        #expect(policy.delay(for: .essential, attempt: 3, random: 0) == nil)
    }
}
