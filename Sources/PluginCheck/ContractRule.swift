/// The rules that a plugin is held to; the numbers never change.
///
/// docs/plugin-rules.md has a section for each.
package enum ContractRule: Int, Hashable, Sendable, CaseIterable {
    case loads = 1
    case exports = 2
    case loadsQuietly = 3
    case noManifest = 4
    case emptyManifest = 5
    case hugeManifest = 6
    case hostileManifest = 7
    case requests = 8
    case essential = 9
    case refusals = 10
    case packs = 11
    case finished = 12
    case failed = 13
    case termination = 14
    case lateCalls = 15
    case repeats = 16
    case descriptors = 17
    case threads = 18
    case memory = 19
    case budgets = 20
    case sameAnswers = 21
    case replies = 22
    case output = 23
    case files = 24

    /// `R12`.
    package var name: String { "R\(rawValue)" }

    /// Where it is explained, below the project's root.
    package var page: String { "docs/plugin-rules.md#r\(rawValue)" }

    /// What holds for a plugin that keeps it.
    package var title: String {
        switch self {
        case .loads: "the file can be loaded"
        case .exports: "it exports its tag and entry points and nothing else"
        case .loadsQuietly: "loading it prints nothing and starts no thread"
        case .noManifest: "it answers when there is no manifest"
        case .emptyManifest: "it answers an empty manifest"
        case .hugeManifest: "it survives the largest manifest, 16 MiB"
        case .hostileManifest: "it survives manifests that are broken or hostile"
        case .requests: "what it asks for is well formed"
        case .essential: "it asks for essential downloads only where they are possible"
        case .refusals: "it copes with every refusal"
        case .packs: "it answers for every asset pack"
        case .finished: "it takes finished downloads, known or not"
        case .failed: "it takes failures of every kind"
        case .termination: "it ends well when its time is over"
        case .lateCalls: "it calls the host only while it is called itself"
        case .repeats: "it can be called again and again"
        case .descriptors: "it leaves no descriptor open"
        case .threads: "it leaves no thread behind"
        case .memory: "what it holds does not grow from call to call"
        case .budgets: "it keeps well below the limits of time and memory"
        case .sameAnswers: "it gives the same answers to the same questions"
        case .replies: "it returns only what its entry points may return"
        case .output: "it does not print"
        case .files: "it writes where it may and nowhere else"
        }
    }
}

/// What came of one rule, the worst last.
package enum RuleLevel: String, Hashable, Sendable, CaseIterable {
    case notTried
    case passed
    case warning
    case failed
}

/// One rule, and what was seen.
package struct RuleResult: Hashable, Sendable {
    package let rule: ContractRule
    package let level: RuleLevel

    /// One sentence without a full stop; empty for what has passed.
    package let seen: String

    package init(_ rule: ContractRule, _ level: RuleLevel, seen: String = "") {
        self.rule = rule
        self.level = level
        self.seen = seen
    }
}

/// Collects what is seen of each rule.
package struct Findings: Hashable, Sendable {
    private var worst: [ContractRule: RuleLevel] = [:]

    /// Of the worst level only.
    private var sentences: [ContractRule: [String]] = [:]

    /// Why what has passed is not enough.
    private var withheld: [ContractRule: String] = [:]

    package init() {}

    package func level(of rule: ContractRule) -> RuleLevel {
        let level = worst[rule] ?? .notTried
        return level == .passed && withheld[rule] != nil ? .notTried : level
    }

    /// The rule was tried and nothing was seen.
    package mutating func pass(_ rule: ContractRule) {
        guard level(of: rule) == .notTried else { return }
        worst[rule] = .passed
        sentences[rule] = nil
    }

    package mutating func warn(_ rule: ContractRule, _ sentence: String) {
        note(rule, .warning, sentence)
    }

    package mutating func fail(_ rule: ContractRule, _ sentence: String) {
        note(rule, .failed, sentence)
    }

    /// Why the rule was not tried, as long as nothing else is known of it.
    package mutating func skip(_ rule: ContractRule, _ reason: String) {
        guard worst[rule] == nil, sentences[rule] == nil else { return }
        sentences[rule] = [reason]
    }

    /// A part of the rule was not tried, so it has not passed, whatever the other parts say.
    package mutating func withhold(_ rule: ContractRule, _ reason: String) {
        if withheld[rule] == nil { withheld[rule] = reason }
    }

    private mutating func note(_ rule: ContractRule, _ level: RuleLevel, _ sentence: String) {
        let before = self.level(of: rule)
        guard before != .failed || level == .failed else { return }
        if before != level { sentences[rule] = [] }
        worst[rule] = level
        sentences[rule, default: []].append(sentence)
    }

    /// Every rule once, in order.
    package var results: [RuleResult] {
        ContractRule.allCases.map { rule in
            let isWithheld = level(of: rule) == .notTried && withheld[rule] != nil
            let seen = isWithheld ? [withheld[rule]].compactMap(\.self) : sentences[rule] ?? []
            let more = seen.count > 1 ? " (and \(seen.count - 1) more)" : ""
            return RuleResult(rule, level(of: rule), seen: (seen.first ?? "") + more)
        }
    }
}
