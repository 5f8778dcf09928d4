internal import ExtensionHost
package import WireProtocol

/// How long an entry point took at most, and what its workers held at most.
package struct EntryFigure: Hashable, Sendable {
    package let entry: EntryPoint
    package var calls = 0
    package var longest = Duration.zero

    /// What each call has.
    package var budget = Duration.zero
    package var peakBytes: UInt64 = 0

    package init(_ entry: EntryPoint) {
        self.entry = entry
    }
}

/// The figures of every entry point that was called.
package struct EntryFigures: Hashable, Sendable {
    private var figures: [EntryPoint: EntryFigure] = [:]

    /// Of a call; for packs, of each.
    private let wallBudget: Duration
    private let packBudget: Duration

    /// - Parameters:
    ///   - wallBudget: Of each call.
    ///   - packBudget: Of each question about a pack, unless a call has less.
    package init(wallBudget: Duration, packBudget: Duration) {
        self.wallBudget = wallBudget
        self.packBudget = min(packBudget, wallBudget)
    }

    /// In the order of the interface.
    package var all: [EntryFigure] { EntryPoint.allCases.compactMap { figures[$0] } }

    /// Takes in a script, all of whose calls are of one entry point.
    package mutating func add(_ record: ScriptRecord) {
        for call in record.calls where call.result?.wasCalled ?? true {
            add(call, peakBytes: record.outcome.peakBytes)
        }
    }

    private mutating func add(_ call: CallRecord, peakBytes: UInt64) {
        var figure = figures[call.entry] ?? EntryFigure(call.entry)
        let isPacks = call.entry == .shouldDownload
        let count = isPacks ? max(1, call.packReplies.count) : 1
        figure.calls += count
        figure.longest = max(
            figure.longest, call.result == nil ? call.duration : call.duration / count)
        figure.budget = isPacks ? packBudget : wallBudget
        figure.peakBytes = max(figure.peakBytes, peakBytes)
        figures[call.entry] = figure
    }
}
