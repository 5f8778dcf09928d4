package import WireProtocol

/// What a check has found.
package struct CheckReport: Hashable, Sendable {
    /// Nil when the file could not be loaded.
    package var plugin: LoadedPlugin?
    package var results: [RuleResult] = []

    /// One for each entry point that was called.
    package var figures: [EntryFigure] = []

    /// What each worker may hold.
    package var memoryBytes: UInt64 = 0
    package var wallTime = Duration.zero

    /// Workers that were started.
    package var workers = 0

    package init() {}

    package func count(_ level: RuleLevel) -> Int {
        results.count { $0.level == level }
    }

    package var hasFailed: Bool { count(.failed) > 0 }
}
