package import ExtensionHost
package import WireProtocol

/// One call as it was seen from outside.
package struct CallRecord: Hashable, Sendable {
    package let step: String
    package let call: EntryCall

    /// Nil when it never returned.
    package var result: EntryReturn?

    /// Until it returned or its worker ended; of packs without a return, since the last answer.
    package var duration = Duration.zero

    /// What it asked for.
    package private(set) var wishes = NotedWishes()

    /// What of that was refused, and what the worker refused for its form; ``keptBytes`` of it.
    package private(set) var refusals: [Refusal] = []
    private var refusalBytes = 0

    /// Calls that were answered.
    package var questions = 0
    package var packReplies: [Int32] = []

    /// True for a finished download whose file was kept and is not there.
    package var hasLostFile = false

    /// Text of wishes, and of refusals, that one call may leave in the host's memory.
    package static let keptBytes = 64 << 10

    package init(_ step: String, _ call: EntryCall) {
        self.step = step
        self.call = call
    }

    package var entry: EntryPoint { call.entryPoint }

    package mutating func note(_ wish: DownloadWish) { wishes.note(wish) }

    package mutating func note(_ refusal: Refusal) {
        let size =
            refusal.identifier.utf8.count + refusal.message.utf8.count
            + (refusal.hint?.utf8.count ?? 0)
        guard refusalBytes + size <= CallRecord.keptBytes else { return }
        refusalBytes += size + MemoryLayout<Refusal>.stride
        refusals.append(refusal)
    }
}

/// What a script's worker did.
package struct ScriptRecord: Hashable, Sendable {
    package let rule: ContractRule

    /// What its worker had to read.
    package var manifest: [UInt8]?
    package var outcome: WorkerOutcome
    package var calls: [CallRecord] = []
    package var printedLines = 0

    /// The first of them, at most ``keptLines``.
    package var firstLines: [String] = []

    /// Names that appeared beside the folders that plugins may write to.
    package var strayNames: [String] = []

    /// The question that was put again and again, such as `schedule "level-1"`.
    package var endlessQuestion: String?

    /// How long the worker lived after the plugin was told to end; nil when it was not.
    package var timeAfterWord: Duration?

    package static let keptLines = 16

    package init(rule: ContractRule, outcome: WorkerOutcome) {
        self.rule = rule
        self.outcome = outcome
    }

    /// How its worker ended.
    package enum End: Hashable, Sendable {
        /// Every call returned, whatever it said below zero.
        case whole

        /// A number that the entry point does not have.
        case badReply(String)
        case bad(String)
    }

    package var end: End {
        if let endlessQuestion {
            return .bad(
                "asked more than \(ScriptedHost.repetitionBound) times in one call:"
                    + " \(endlessQuestion)")
        }
        switch outcome.verdict {
        case .ok: return .whole
        case .badReply: return .badReply(outcome.detail)
        case .pluginError: return endAfterError
        default: return .bad(RuleJudge.sentence(outcome))
        }
    }

    /// An error of its own ends nothing, so what came after it decides.
    private var endAfterError: End {
        guard let later = outcome.later.first(where: { $0.verdict != .pluginError }) else {
            return calls.last.map { $0.result != nil } ?? true
                ? .whole : .bad("ended without having returned")
        }
        return later.verdict == .badReply
            ? .badReply(later.detail) : .bad(PlainText.clean(later.sentence))
    }

    package var isWhole: Bool { end == .whole }

    /// What was on the stack when it ended badly.
    package var lastStep: String { calls.last?.step ?? "" }
}
