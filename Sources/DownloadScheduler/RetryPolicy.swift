/// When a download that failed for a reason that may pass is tried again.
///
/// A foreground one never is: somebody waits, and is told at once. The others:
///
/// Full jitter: the wait is drawn evenly between a least wait and a bound that doubles with every
/// retry, so that many clients of one server that came back do not meet again. The caller brings
/// the random number and adds the wait to its own clock.
package struct RetryPolicy: Hashable, Sendable {
    /// How often an essential or background download is tried again before it fails for good.
    ///
    /// For the caller to lower when it does not want to wait so long.
    package var maximumRetries = 8
    package var leastDelay = Duration.milliseconds(100)
    /// The bound of the first wait.
    package var firstBound = Duration.seconds(1)
    /// The bound that doubling stops at.
    package var greatestBound = Duration.seconds(600)
    /// The longest `Retry-After` that is obeyed.
    package var greatestRetryAfter = Duration.seconds(3600)

    package init() {}

    /// How long to wait before the next attempt.
    ///
    /// - Parameters:
    ///   - downloadClass: the class it has now; foreground is never tried again.
    ///   - attempt: how many retries were made already; below 0 counts as 0.
    ///   - random: evenly drawn from 0 to 1; anything outside is clamped, not-a-number counts as 0.
    ///   - retryAfter: what the server asked for (RFC 9110 §10.2.3), clamped to 0…1 h. The longer
    ///     of it and our own wait counts.
    /// - Returns: nil when the retries are used up.
    package func delay(
        for downloadClass: DownloadClass, attempt: Int, random: Double, retryAfter: Duration? = nil
    ) -> Duration? {
        let attempt = max(0, attempt)
        guard downloadClass != .foreground, attempt < maximumRetries else { return nil }
        let draw = random >= 0 ? min(random, 1) : 0
        let span = bound(attempt: attempt) - leastDelay
        let own = leastDelay + span * draw
        let asked = min(max(retryAfter ?? .zero, .zero), greatestRetryAfter)
        return max(own, asked)
    }

    /// The longest own wait after `attempt` retries.
    private func bound(attempt: Int) -> Duration {
        var bound = firstBound
        for _ in 0..<attempt where bound < greatestBound { bound *= 2 }
        return max(leastDelay, min(bound, greatestBound))
    }
}
