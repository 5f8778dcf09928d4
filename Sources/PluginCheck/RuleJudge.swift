internal import ExtensionHost
internal import LinuxSystem
package import WireProtocol

/// Holds what workers did against the rules.
///
/// Pure: records go in, findings and figures come out.
package struct RuleJudge: Sendable {
    package internal(set) var findings = Findings()
    package internal(set) var figures: EntryFigures

    /// The first thread and the watcher, which every worker has.
    private static let ownThreads: UInt32 = 2

    /// Printed by every worker, before any call.
    private var linesOfLoading = 0

    /// - Parameters:
    ///   - wallBudget: Of each call.
    ///   - packBudget: Of each question about a pack, unless a call has less.
    package init(wallBudget: Duration, packBudget: Duration) {
        figures = EntryFigures(wallBudget: wallBudget, packBudget: packBudget)
    }

    /// The plugin was loaded and left alone.
    package mutating func takeLoad(_ record: ScriptRecord) {
        let outcome = record.outcome
        guard let loaded = outcome.loaded, outcome.stage != .load else {
            return findings.fail(.loads, RuleJudge.sentence(outcome))
        }
        guard outcome.verdict == .ok else {
            return findings.fail(.loads, "loaded and not called: \(RuleJudge.sentence(outcome))")
        }
        findings.pass(.loads)
        findings.pass(.loadsQuietly)
        let threads = Int(loaded.holdings.threads) - Int(RuleJudge.ownThreads)
        if threads > 0 {
            findings.fail(
                .loadsQuietly,
                "\(RuleJudge.count(threads, "thread")) of its own while it is loaded")
        }
        if record.printedLines > 0 {
            findings.warn(.loadsQuietly, "printed \(RuleJudge.printed(record)) while it is loaded")
        }
        linesOfLoading = record.printedLines
        takeFiles(record)
    }

    /// Names that the file exports besides the interface's.
    ///
    /// - Parameter others: Nil when they could not be read.
    package mutating func takeExports(_ others: Exports?) {
        guard let others else {
            return findings.skip(.exports, "its symbols could not be read")
        }
        findings.pass(.exports)
        guard let first = others.names.first else { return }
        let more = others.count > 1 ? " and \(others.count - 1) more" : ""
        findings.warn(
            .exports, "exports \(PlainText.clean(first))\(more); hide it with -fvisibility=hidden")
    }

    /// A script whose worker was to come to its end by itself.
    ///
    /// - Parameters:
    ///   - record: What it did.
    ///   - isOrdinary: True when an error of the plugin's own is odd.
    package mutating func take(_ record: ScriptRecord, isOrdinary: Bool = false) {
        takeCommon(record)
        // Requests are judged one by one; that the call ended well says nothing of them.
        if record.rule != .requests { findings.pass(record.rule) }
        takeEnd(record)
        guard isOrdinary, let call = record.calls.first(where: { RuleJudge.isError($0) }) else {
            return
        }
        let status = call.result?.status ?? 0
        let what = status == 0 ? "an error for a pack" : "\(status)"
        findings.warn(record.rule, "\(call.entry.symbol) returned \(what) \(call.step)")
    }

    private static func isError(_ call: CallRecord) -> Bool {
        guard let result = call.result, result.wasCalled else { return false }
        return result.status < 0 || call.packReplies.contains { $0 < 0 }
    }

    /// The record's rule fails when its worker ended badly.
    mutating func takeEnd(_ record: ScriptRecord) {
        guard case .bad(let sentence) = record.end else { return }
        let step = record.lastStep.isEmpty ? "" : "\(record.lastStep): "
        findings.fail(record.rule, step + sentence)
    }

    /// What is looked at in every record.
    mutating func takeCommon(_ record: ScriptRecord) {
        figures.add(record)
        findings.pass(.replies)
        findings.pass(.output)
        if case .badReply(let sentence) = record.end {
            findings.fail(.replies, "\(record.lastStep): \(sentence)")
        }
        if record.printedLines > linesOfLoading {
            let lines = RuleJudge.printed(record, after: linesOfLoading)
            let place = record.calls.first.map { " in \($0.entry.symbol)" } ?? ""
            findings.warn(
                .output, "printed \(lines)\(place); host->log is meant for that")
        }
        takeFiles(record)
        let late = record.calls.reduce(0) { $0 + Int($1.result?.lateCalls ?? 0) }
        if late > 0 {
            let place = record.calls.first.map { " after \($0.entry.symbol) had returned" } ?? ""
            findings.fail(
                .lateCalls, "called the host \(RuleJudge.count(late, "time"))\(place)")
        }
        if let call = record.calls.first(where: \.hasLostFile) {
            findings.fail(
                .finished,
                "\(call.step): returned \(call.result?.status ?? 1), so the file is kept, but it"
                    + " is not there any more; return 0 for a file that was moved")
        }
    }

    private mutating func takeFiles(_ record: ScriptRecord) {
        findings.pass(.files)
        guard let first = record.strayNames.first else { return }
        let more = record.strayNames.count > 1 ? " and \(record.strayNames.count - 1) more" : ""
        findings.fail(.files, "made \(PlainText.clean(first))\(more)")
    }

    /// Requests that the plugin made of its own accord, in a script of ordinary questions.
    package mutating func takeRequests(_ record: ScriptRecord) {
        for call in record.calls {
            for wish in call.wishes.kept { take(wish, in: call) }
            for refusal in call.refusals where !isEssentialFault(refusal, call) {
                take(refusal, in: call)
            }
            if call.wishes.count > 0 || !call.refusals.isEmpty {
                findings.pass(.requests)
                findings.pass(.essential)
            }
        }
    }

    private mutating func take(_ wish: NotedWishes.Wish, in call: CallRecord) {
        guard wish.isEssential else { return }
        let name = PlainText.clean(wish.identifier)
        if call.entry != .install, call.entry != .update {
            findings.fail(.essential, "\(name) is essential in \(call.entry.symbol)")
        } else if wish.sizeBytes == 0 {
            findings.fail(.essential, "\(name) is essential and has no size")
        }
    }

    /// Refused for what ``take(_:in:)-(NotedWishes.Wish,_)`` says already.
    private func isEssentialFault(_ refusal: Refusal, _ call: CallRecord) -> Bool {
        guard refusal.code != .downloadEssentialDownloadNotPermitted else { return true }
        return refusal.code == .badArgument
            && call.wishes.kept.contains {
                $0.isEssential && $0.sizeBytes == 0
                    && PlainText.clean($0.identifier) == refusal.identifier
            }
    }

    private mutating func take(_ refusal: Refusal, in call: CallRecord) {
        let name = refusal.identifier.isEmpty ? "a request" : refusal.identifier
        let sentence =
            "\(call.entry.symbol) \(call.step): \(name) is refused with"
            + " \(refusal.code.status): \(refusal.message)"
        switch refusal.code {
        case .badArgument, .badString, .urlRefused, .noFeature, .downloadInvalid:
            findings.fail(.requests, sentence)
        // The app's own groups are not known here.
        case .groupNotYours: break
        default: findings.warn(.requests, sentence)
        }
    }

    /// Late calls would have been seen.
    package mutating func passLateCalls() {
        findings.pass(.lateCalls)
    }

    /// What is left of the check was not tried; that can be a part of any rule but the first three.
    ///
    /// - Parameter budget: What there was.
    package mutating func takeTimeIsUp(_ budget: Duration) {
        let settled: [ContractRule] = [.loads, .exports, .loadsQuietly]
        for rule in ContractRule.allCases where !settled.contains(rule) {
            findings.withhold(rule, "the time is up (\(budget.wholeMilliseconds / 1_000) s)")
        }
    }

    package mutating func skip(_ rule: ContractRule, _ reason: String) {
        findings.skip(rule, reason)
    }
}

extension RuleJudge {
    /// The plugin was told to end while it waited for the host, if it ever did.
    ///
    /// - Parameters:
    ///   - record: What it did then.
    ///   - hasEntryPoint: True when it has `bahost_will_terminate`.
    ///   - grace: How long it has.
    package mutating func takeTermination(
        _ record: ScriptRecord, hasEntryPoint: Bool, grace: Duration
    ) {
        guard let time = record.timeAfterWord else { return }
        findings.pass(.termination)
        let outcome = record.outcome
        if let later = outcome.later.first {
            findings.fail(.termination, "after it was told to end: \(later.sentence)")
        } else if let status = outcome.exitCode {
            findings.fail(.termination, "called exit with status \(status) when told to end")
        } else if hasEntryPoint, time >= grace {
            findings.warn(
                .termination,
                "\(record.lastStep): still ran when its grace of"
                    + " \(grace.wholeMilliseconds) ms was over")
        }
    }

    /// The same question to a new worker.
    package mutating func takeRepeat(_ record: ScriptRecord, of first: ScriptRecord) {
        findings.pass(.sameAnswers)
        for (call, before) in zip(record.calls, first.calls) {
            guard let now = call.result?.status, let then = before.result?.status else { continue }
            let symbol = call.entry.symbol
            if now != then {
                findings.warn(.sameAnswers, "\(symbol) returned \(then), then \(now)")
            } else if call.packReplies != before.packReplies {
                findings.warn(.sameAnswers, "\(symbol) answered otherwise the second time")
            } else if call.wishes != before.wishes {
                findings.warn(
                    .sameAnswers,
                    "\(symbol) asked for \(before.wishes.count) downloads, then for"
                        + " \(call.wishes.count), not all of them the same")
            }
        }
    }

    /// The limits, once everything has been seen.
    package mutating func takeFigures(_ limits: WorkerLimits) {
        findings.pass(.budgets)
        for figure in figures.all {
            let symbol = figure.entry.symbol
            if figure.longest * 10 >= figure.budget * 8 {
                findings.warn(
                    .budgets,
                    "\(symbol) took \(figure.longest.wholeMilliseconds) ms of"
                        + " \(figure.budget.wholeMilliseconds) ms")
            }
            if figure.peakBytes / 8 >= limits.memoryBytes / 10 {
                findings.warn(
                    .budgets,
                    "\(symbol) held \(ByteCount(bytes: figure.peakBytes)) of"
                        + " \(ByteCount(bytes: limits.memoryBytes))")
            }
        }
    }

    static func sentence(_ outcome: WorkerOutcome) -> String {
        let detail = outcome.detail.isEmpty ? "" : ": \(outcome.detail)"
        return PlainText.clean(outcome.verdict.rawValue + detail)
    }

    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    private static func printed(_ record: ScriptRecord, after skipped: Int = 0) -> String {
        let line = record.firstLines.dropFirst(skipped).first ?? record.firstLines.last ?? ""
        let text = String(String.UnicodeScalarView(line.unicodeScalars.prefix(60)))
        return "\(count(record.printedLines - skipped, "line")) (\"\(text)\")"
    }
}
