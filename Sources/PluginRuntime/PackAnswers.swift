internal import LinuxSystem

/// What a batch's packs were answered with and the host has not been told yet.
struct PackAnswers {
    /// How long answers wait at most, looked at before each call.
    private static let patience = Duration.milliseconds(5)

    private var replies: [Int32] = []
    private var told = Instant(nanoseconds: 0)

    /// Set at the host's warning: what is answered after it comes too late.
    private(set) var isClosed = false

    mutating func begin(_ now: Instant) {
        replies.removeAll(keepingCapacity: true)
        told = now
    }

    mutating func append(_ reply: Int32) {
        if !isClosed { replies.append(reply) }
    }

    func isDue(_ now: Instant) -> Bool {
        !replies.isEmpty && now - told >= PackAnswers.patience
    }

    /// The next piece of the answer; nil when there is nothing to tell.
    mutating func take(_ now: Instant) -> [Int32]? {
        told = now
        guard !replies.isEmpty else { return nil }
        defer { replies.removeAll(keepingCapacity: true) }
        return replies
    }

    /// True when there is something left to tell.
    mutating func close() -> Bool {
        isClosed = true
        return !replies.isEmpty
    }
}
