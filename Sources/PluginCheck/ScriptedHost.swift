internal import ExtensionHost
internal import LinuxSystem
internal import URLPolicy
internal import WireProtocol

/// Answers a plugin's calls during one step, and sees when it asks the same thing for ever.
struct ScriptedHost {
    /// How often one question may be put in one call.
    static let repetitionBound = 100

    /// Different questions that are told apart.
    private static let questionBound = 10_000

    private let answers: HostAnswers
    private let deadline: Instant
    private let memoryBytes: UInt64
    private var broker = Broker(policy: ScriptedHost.policy)
    private var holdsContainer = false
    private var questions: [String: Int] = [:]
    private(set) var endlessQuestion: String?

    init(_ answers: HostAnswers, deadline: Instant, memoryBytes: UInt64) {
        self.answers = answers
        self.deadline = deadline
        self.memoryBytes = memoryBytes
    }

    static let group = "group.bahost.check"
    static let app = "bahost.check"

    /// Any domain, no allowance: what is refused then is refused for its form.
    private static var policy: BrokerPolicy {
        BrokerPolicy(appGroup: group, rules: URLRules(domains: .any))
    }

    /// Nil for a call that wants no reply.
    mutating func answer(_ call: HostCall, in record: inout CallRecord) -> HostReply? {
        switch call {
        case .log: return nil
        case .refused(let identifier, let code, let sentence):
            record.note(Refusal(reportedBy: identifier, code: code, sentence: sentence))
            return nil
        default: break
        }
        record.questions += 1
        note(call)
        if case .schedule(let wish) = call { record.note(wish) }
        switch answers {
        case .refusing(let status): return refusal(of: call, status)
        case .judged: return judged(call, &record)
        }
    }

    private mutating func note(_ call: HostCall) {
        guard let question = ScriptedHost.question(call) else { return }
        if questions.count >= ScriptedHost.questionBound { questions = [:] }
        let count = (questions[question] ?? 0) + 1
        questions[question] = count
        if count > ScriptedHost.repetitionBound, endlessQuestion == nil {
            endlessQuestion = question
        }
    }

    /// Nil for what may be asked as often as one likes.
    private static func question(_ call: HostCall) -> String? {
        switch call {
        case .schedule(let wish): "schedule \(PlainText.clean(wish.identifier))"
        case .cancel(let identifier): "cancel \(PlainText.clean(identifier))"
        case .currentDownloads(let after, _):
            "current_downloads after \(PlainText.clean(after ?? "NULL"))"
        case .acquireExclusive: "acquire_exclusive"
        case .releaseExclusive, .remaining, .log, .refused: nil
        }
    }

    private func refusal(of call: HostCall, _ status: Int32) -> HostReply {
        switch call {
        case .remaining: .value(0)
        // What was not acquired cannot be given back.
        case .releaseExclusive: .status(RefusalCode.notAllowedNow.status)
        default: .status(status)
        }
    }

    private mutating func judged(_ call: HostCall, _ record: inout CallRecord) -> HostReply {
        switch call {
        case .schedule(let wish): return .status(judge(wish, &record))
        case .cancel(let identifier):
            let wasThere = broker.cancelCollected(identifier)
            return .status(wasThere ? 0 : RefusalCode.downloadNotScheduled.status)
        case .currentDownloads: return .downloads([])
        case .acquireExclusive:
            defer { holdsContainer = true }
            return .status(holdsContainer ? RefusalCode.notAllowedNow.status : 0)
        case .releaseExclusive:
            defer { holdsContainer = false }
            return .status(holdsContainer ? 0 : RefusalCode.notAllowedNow.status)
        case .remaining(let what): return .value(remaining(what))
        case .log, .refused: return .status(0)
        }
    }

    private mutating func judge(_ wish: DownloadWish, _ record: inout CallRecord) -> Int32 {
        let decision = broker.judge(wish, entry: record.entry)
        if case .refused(let refusal) = decision { record.note(refusal) }
        return decision.status
    }

    private func remaining(_ what: UInt32) -> Int64 {
        switch what {
        case 3: max(0, (deadline - BootClock.now()).wholeMilliseconds)
        case 5: Int64(clamping: memoryBytes)
        default: -1
        }
    }
}
